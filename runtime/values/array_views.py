"""Views of NumPy arrays, as keys of the arrays that own the memory."""

from __future__ import annotations

import itertools

import numpy as np


def key_of_view(view: np.ndarray, base: np.ndarray) -> tuple[int | slice, ...] | None:
    """Return a key of integers and slices with which `base` gives this view of its elements, or None.

    >>> import numpy as np
    >>> rows = np.zeros((4, 6))
    >>> key_of_view(rows[1, 4:0:-2], rows)
    (1, slice(4, 0, -2))
    >>> key_of_view(rows.T, rows) is None
    True
    """
    if not base.flags.c_contiguous or not view.size:
        return None
    offset = (view.__array_interface__["data"][0] - base.__array_interface__["data"][0]) // base.itemsize
    first = np.unravel_index(offset, base.shape)
    for axes in itertools.combinations(range(base.ndim), view.ndim):
        key: list[int | slice] = [*map(int, first)]
        for axis, length, stride in zip(axes, view.shape, view.strides, strict=True):
            step = (stride // base.strides[axis] if length > 1 else 0) or 1
            start = int(first[axis])
            stop = start + step * length
            key[axis] = slice(start, stop if stop >= 0 else None, step)
        found = base[tuple(key)]
        if found.shape == view.shape and _is_same_memory(found, view):
            return tuple(key)
    return None


def _is_same_memory(found: np.ndarray, view: np.ndarray) -> bool:
    """Return whether two arrays of one shape have the same elements in memory, in the same order."""
    strides = zip(found.shape, found.strides, view.strides, strict=True)
    return (
        found.dtype == view.dtype
        and found.__array_interface__["data"] == view.__array_interface__["data"]
        and all(a == b for length, a, b in strides if length > 1)
    )
