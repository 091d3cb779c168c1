"""NumPy functions that write to their first argument, such as `np.put`, as functions that return a copy.

A graph has no aliases, so it records the function that returns the array with the elements written. The
handle of the array is then given the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .probing import numpy_functions


def _returning_copy(function: Callable[..., Any], name: str, module: str) -> Callable[..., Any]:
    """Return a function that applies `function` to a copy of the array and returns the copy."""

    def written(array: Any, *args: Any, **kwargs: Any) -> Any:
        result = np.array(array)  # keeps the memory layout
        function(result, *args, **kwargs)
        return result

    written.__name__, written.__module__ = name, module
    written.__qualname__ = f"{module}.{name}"  # tells them apart in the keys of machine code
    return written


WRITES: dict[Callable[..., Any], Callable[..., Any]] = {
    f: _returning_copy(f, f.__name__, "numpy")
    for f in numpy_functions("put put_along_axis putmask place copyto fill_diagonal")
}
"""For each function that writes to its first argument, the function that returns a copy instead."""

WRITES_AT: dict[np.ufunc, Callable[..., Any]] = {
    ufunc: _returning_copy(ufunc.at, "at", f"numpy.{ufunc.__name__}")
    for ufunc in vars(np).values()
    if isinstance(ufunc, np.ufunc) and ufunc.signature is None and ufunc.nout == 1
}
"""For each ufunc, the function that applies its method `at` to a copy."""
