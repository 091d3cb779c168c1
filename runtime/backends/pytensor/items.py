"""Items of tensors: an index out of range is an error of the program, and reads an item that exists.

Linkers such as Numba's run both branches of a conditional, so an item that only one branch may read has to be
harmless in the other.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytensor.tensor as pt

from ... import staging
from ..functional.index_errors import (
    check_unaliased,
    in_range,
    mixed_items_error,
    staged_index_error,
    staged_key_error,
)
from ..functional.optional_values import for_write, present
from .operators import equal, is_tensor

Fail = Callable[[Any, BaseException], Any]


def length_of(tensor: Any, axis: int = 0) -> Any:
    """Return the length of an axis: an integer if it is known, else a variable."""
    known = tensor.type.shape[axis]
    return tensor.shape[axis] if known is None else int(known)


def _is_index(part: Any) -> bool:
    """Return whether a part of a subscript is an integer, or an array of integers."""
    if isinstance(part, (int, np.integer)) and not isinstance(part, (bool, np.bool_)):
        return True
    dtype = getattr(part, "dtype", None)
    return (is_tensor(part) or isinstance(part, np.ndarray)) and np.dtype(dtype).kind in "iu"


def _axes(target: Any, parts: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    """Yield each part of a subscript with the axis where it starts."""
    widths = [0 if p is None else p.ndim if _is_mask(p) else 1 for p in parts]
    axis = 0
    for part, width in zip(parts, widths, strict=True):
        if part is Ellipsis:
            width = target.ndim - sum(w for p, w in zip(parts, widths, strict=True) if p is not Ellipsis)
        yield axis, part
        axis += width


def _is_mask(part: Any) -> bool:
    return (is_tensor(part) or isinstance(part, np.ndarray)) and str(part.dtype) == "bool"


def _checked(target: Any, key: Any, fail: Fail) -> Any:
    """Return a subscript with indexes in range in place of others, for which the program fails."""
    parts = list(key) if type(key) is tuple else [key]
    if sum(p is not None and p is not Ellipsis for p in parts) > target.ndim:
        raise IndexError(
            f"too many indices for array: array is {target.ndim}-dimensional, but {len(parts)} were indexed"
        )
    for i, (axis, part) in enumerate(list(_axes(target, parts))):
        if _is_index(part):
            parts[i] = _in_bounds(part, length_of(target, axis), axis, fail)
    return tuple(parts) if type(key) is tuple else parts[0]


def _in_bounds(index: Any, size: Any, axis: int, fail: Fail) -> Any:
    is_number = not getattr(index, "ndim", 0)
    if is_number and not is_tensor(index) and isinstance(size, int):
        if not -size <= index < size:
            raise IndexError(f"index {index} is out of bounds for axis {axis} with size {size}")
        return index
    outside = pt.or_(pt.lt(index, -size), pt.ge(index, size))
    fail(outside if is_number else pt.any(outside), IndexError(f"index is out of bounds for axis {axis}"))
    return pt.switch(outside, 0, index)


def get_item(target: Any, key: Any, fail: Fail) -> Any:
    target, key = present(target, operator.getitem), present(key, operator.index)
    if isinstance(target, (list, tuple)):
        target = _stacked(target)
    elif isinstance(target, np.ndarray):
        target = pt.as_tensor(target)
    if not is_tensor(target):
        raise staged_index_error(target, "use a tensor, or a list or tuple of tensors of one shape")
    first = length_of(target) if target.ndim else 0
    if _is_index(key) and not getattr(key, "ndim", 0) and not isinstance(first, int):
        return _item(target, key, first, fail)
    return target[_checked(target, key, fail)]


def _item(target: Any, index: Any, size: Any, fail: Fail) -> Any:
    """Return an item along an axis of unknown length, or zeros if there is none."""
    checked = _in_bounds(index, size, 0, fail)
    start = pt.switch(pt.lt(checked, 0), checked + size, checked)
    rows = target[start : start + 1]
    return pt.any(rows, axis=0) if target.dtype == "bool" else pt.sum(rows, axis=0, dtype=target.dtype)


def _stacked(items: Any) -> Any:
    try:
        return pt.stack([pt.as_tensor(np.asarray(v) if not is_tensor(v) else v) for v in items])
    except (TypeError, ValueError, NotImplementedError) as error:
        raise mixed_items_error(items, "a tensor", error) from None


def set_item(target: Any, key: Any, value: Any, fail: Fail) -> Any:
    target, key, value = for_write(target, key, value)
    if isinstance(target, np.ndarray) and (staging.has_staged(key) or is_tensor(value)):
        check_unaliased(target, "PyTensor", "{}.copy()")
        target = pt.as_tensor(target)
    elif is_tensor(target):
        check_unaliased(target, "PyTensor", "{}.copy()")
    if not is_tensor(target):
        if staging.has_staged(key):
            raise staged_key_error(target, "use a tensor: x = x[key].set(value)")
        target[key] = value
        return target
    value = pt.cast(value, target.dtype) if is_tensor(value) else np.asarray(value).astype(target.dtype)
    return pt.set_subtensor(target[_checked(target, key, fail)], value)


def contains(item: Any, container: Any) -> Any:
    container = present(container, iter)
    if isinstance(container, (list, tuple)):
        return pt.any(pt.stack([pt.all(equal(part, item)) for part in container])) if container else False
    if isinstance(container, np.ndarray) or is_tensor(container):
        return pt.any(equal(container, item))
    return in_range(item, container, "tensor")
