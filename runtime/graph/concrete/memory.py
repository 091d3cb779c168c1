"""Detect arrays that share memory, and copy them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..state.variables import Variable


def array_of(value: Any) -> Any:
    """Return the array of a Variable, or the value itself."""
    return value.array if isinstance(value, Variable) else value


def copy_where(result: Any, test: Callable[[np.ndarray], bool]) -> Any:
    """Copy the arrays in a result that pass a test."""
    if isinstance(result, np.ndarray):
        return result.copy() if test(result) else result
    if isinstance(result, (list, tuple)):
        return type(result)([copy_where(part, test) for part in result])
    return result


def memory_of(array: np.ndarray) -> np.ndarray:
    """Return the array that owns the memory of an array."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def copied(value: Any) -> Any:
    return value.copy() if isinstance(value, (np.ndarray, list)) else value


def overlap(first: Any, second: Any) -> bool:
    """Return whether an array shares memory with another array or a Variable."""
    second = array_of(second)
    if not isinstance(first, np.ndarray) or not np.may_share_memory(first, second):
        return False
    max_work: Any = 100_000  # NumPy's annotations allow only two values
    try:
        return np.shares_memory(first, second, max_work=max_work)
    except np.exceptions.TooHardError:
        return True


def with_memory_of(new: np.ndarray, old: np.ndarray, value: Any) -> Any:
    """Replace views of `old` in a value by views of `new`, which has the same shape. Lists stay the same."""
    if isinstance(value, list):
        value[:] = [with_memory_of(new, old, item) for item in value]
    if value is old or value is new:
        return new
    return _corresponding_view(value, old, new)


def _corresponding_view(view: Any, old: np.ndarray, new: np.ndarray) -> Any:
    """Return the view of `new` at the elements that `view` has of `old`.

    Return `view` itself if it is no view of `old`, or if its strides do not tell the elements.
    """
    if not isinstance(view, np.ndarray) or not overlap(view, old):
        return view
    axes = sorted((a for a, size in enumerate(old.shape) if size > 1), key=lambda a: -old.strides[a])
    has_parts = old.dtype == new.dtype and old.itemsize % view.itemsize == 0
    if not has_parts or any(old.strides[a] <= 0 for a in axes):
        return view

    def indices(distance: int) -> list[int]:
        found = [0] * old.ndim
        for axis in axes:
            found[axis], distance = divmod(distance, old.strides[axis])
        return [*found, distance]

    begin = view.ctypes.data - old.ctypes.data
    first = indices(begin)
    low, high, strides = [*first], [*first], []
    for size, stride in zip(view.shape, view.strides, strict=True):
        following = indices(begin + stride) if size > 1 else first
        steps = [b - a for a, b in zip(first, following, strict=True)]
        low = [a + min(0, (size - 1) * step) for a, step in zip(low, steps, strict=True)]
        high = [a + max(0, (size - 1) * step) for a, step in zip(high, steps, strict=True)]
        strides.append(sum(a * b for a, b in zip(steps, (*new.strides, 1), strict=True)))
    if all(old.strides[a] == new.strides[a] for a in axes):
        strides = [*view.strides]
    elif min(low) < 0 or any(a >= size for a, size in zip(high, (*old.shape, old.itemsize), strict=True)):
        return view
    *indices_of_first, byte = first
    key: Any = (*[slice(i, i + 1) for i in indices_of_first], ...)
    element = new[key].reshape(-1)
    begins = element.view(view.dtype)[byte // view.itemsize :]
    return as_strided(begins, view.shape, strides, subok=True, writeable=view.flags.writeable)
