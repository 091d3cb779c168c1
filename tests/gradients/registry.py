"""Functions with control flow whose gradients are compared: of floats and arrays, to one float."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

X = np.array([0.5, -1.5, 2.0, 0.25])
M = np.array([[0.5, 0.1, -0.3], [0.2, -0.4, 0.6], [0.7, 0.3, 0.2]])
PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {}


def program(*arguments: Any) -> Callable[[Any], Any]:
    """Add a function, with the arguments at which it is differentiated."""

    def add(f: Any) -> Any:
        PROGRAMS[f.__name__] = f, arguments
        return f

    return add
