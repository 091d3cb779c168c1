"""Plain arrays to which traced code writes staged values: a staged array takes the place of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import staging
from ...core.active_backends import active_backend
from . import recording


def staged_in_place(array: Any, refusal: Callable[[str], Exception]) -> Any:
    """Have the traced code refer to a staged array in place of a plain one: see `array_staged_in_place`."""
    return staging.array_staged_in_place(active_backend(), array, staged_array, refusal)


def staged_array(array: np.ndarray) -> Any:
    """Return a staged array with the contents of a plain one."""
    made = recording.wrap(recording.to_node(array))
    made.is_mutable = True
    return made
