"""Items of arrays by staged slices and masks, which select a number of rows that only the program knows."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ...errors import StagingError
from .. import staged_by
from .bounded_arrays import (
    BoundedArray,
    LengthKey,
    buffer_of,
    check_lengths,
    key_of,
    known_as_arrays,
    padded,
    resized,
    unsupported,
)
from .private import distance


def is_bounded_item(target: Any, key: Any) -> bool:
    """Return whether an item has to be read or written here: the number of its rows, or of all, is staged."""
    return isinstance(target, BoundedArray) or any(
        isinstance(part, BoundedArray)
        or _is_staged_slice(part)
        or (_is_mask(part) and staged_by(part) is not None)
        for part in _parts(key)
    )


def _parts(key: Any) -> tuple[Any, ...]:
    return tuple(
        jnp.asarray(part) if isinstance(part, list) else part
        for part in (key if type(key) is tuple else (key,))
    )


def _is_staged_slice(part: Any) -> bool:
    return isinstance(part, slice) and any(
        staged_by(v) is not None for v in (part.start, part.stop, part.step)
    )


def _is_mask(part: Any) -> bool:
    is_array = isinstance(part, (jax.Array, np.ndarray, BoundedArray))
    return is_array and part.dtype == bool and part.ndim > 0


def get_item(target: Any, key: Any) -> Any:
    """`target[key]`"""
    target, parts = known_as_arrays(target), tuple(map(known_as_arrays, _parts(key)))
    target, parts, _ = _leading(target, parts)
    if not parts:
        return target
    first, rest = parts[0], parts[1:]
    if first is Ellipsis and not rest:
        return target
    if rest:
        _check_rest(first, rest)
        target = _on_rows(target, lambda data: data[(slice(None), *rest)])
    if isinstance(first, slice):
        return _sliced(target, first)
    if _is_mask(first):
        return _selected(target, first)
    if isinstance(first, BoundedArray):
        rows = padded(_rows(target, first.data), first.length, first.key)
        return padded(buffer_of(target)[rows.data], first.length, first.key)
    if _is_number(first) or isinstance(first, (jax.Array, np.ndarray)):
        if not buffer_of(target).shape[0]:
            raise StagingError(
                "an item is read from an array that never has one",
                why="the array is a part of another, and its largest length is known to be zero",
                remedy="test the length of the other array before, or end the recursion that shortens it",
            )
        return buffer_of(target)[_rows(target, first)]
    raise unsupported(f"a subscript of type {type(first).__name__}")


def set_item(target: Any, key: Any, value: Any) -> Any:
    """Return the array after `target[key] = value`."""
    target, parts = known_as_arrays(target), tuple(map(known_as_arrays, _parts(key)))
    whole = target if isinstance(target, BoundedArray) else jnp.asarray(target)
    part, parts, leading = _leading(whole, parts)
    if leading:
        return whole.at[leading].set(set_item(part, parts, value) if parts else value)
    first, rest = parts[0], parts[1:]
    target, value = part, known_as_arrays(value)
    data = buffer_of(target)
    if rest:
        _check_rest(first, rest)
    length, key_of_rows = None, ()
    if isinstance(first, slice):
        start, length, step, key_of_rows = _range(target, first)
        rows = start + jnp.arange(data.shape[0]) * step
    elif _is_mask(first):
        target, mask, key_of_rows = _masked(target, first)
        data, length = buffer_of(target), jnp.sum(mask)
        if not rest and np.ndim(value) < data.ndim and not isinstance(value, BoundedArray):
            mask = mask.reshape(-1, *[1] * (data.ndim - 1))
            return _rebuilt(whole, target, jnp.where(mask, jnp.asarray(value).astype(data.dtype), data))
        rows = jnp.nonzero(mask, size=data.shape[0], fill_value=data.shape[0])[0]
    elif _is_number(first) or isinstance(first, (jax.Array, np.ndarray)):
        size = _length(target)
        rows = jnp.where(jnp.asarray(first) < 0, first + size, first)
        rows = jnp.where((rows < 0) | (rows >= size), data.shape[0], rows)
    else:
        raise unsupported(f"a subscript of type {type(first).__name__}")
    if length is not None:
        rows = jnp.where(jnp.arange(data.shape[0]) < length, rows, data.shape[0])
        value = _row_values(value, BoundedArray(rows, length, key_of_rows), data[(slice(None), *rest)].ndim)
    elif isinstance(value, BoundedArray):
        raise unsupported("an assignment of such an array to a single item")
    value = jnp.asarray(value).astype(data.dtype)
    return _rebuilt(whole, target, data.at[(rows, *rest)].set(value, mode="drop"))


def _rebuilt(whole: Any, target: Any, changed: Any) -> Any:
    if not isinstance(target, BoundedArray):
        return changed.reshape(whole.shape)
    return BoundedArray(changed, target.length, target.key)


def _row_values(value: Any, rows: BoundedArray, ndim: int) -> Any:
    """Return what to write to each of some rows: the items of an array, or the same for all."""
    if isinstance(value, BoundedArray) or (np.ndim(value) == ndim and np.shape(value)[0] != 1):
        value = value if isinstance(value, BoundedArray) else jnp.asarray(value)
        check_lengths([rows, value], "could not broadcast input array into the shape of the selected items")
        return resized(buffer_of(value), rows.bound)
    return value


def _leading(target: Any, parts: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...], tuple[Any, ...]]:
    """Apply leading numbers of a subscript, as in `x[i, :n]`, to an ordinary array; return the rest too."""
    if isinstance(target, BoundedArray):
        return target, parts, ()
    count = 0
    target = jnp.asarray(target)
    if sum(part is not None and part is not Ellipsis for part in parts) > target.ndim:
        raise IndexError(f"too many indices for array: array is {target.ndim}-dimensional")
    while count < len(parts) and _is_number(parts[count]):
        count += 1
    leading = parts[:count]
    return (target[leading] if leading else target), parts[count:], leading


def _check_rest(first: Any, rest: tuple[Any, ...]) -> None:
    is_array = _is_mask(first) or isinstance(first, (jax.Array, np.ndarray, BoundedArray))
    for part in rest:
        has_rows = isinstance(part, (BoundedArray, jax.Array, np.ndarray)) and np.ndim(part) > 0
        is_other = part is None or part is Ellipsis
        if is_other or _is_staged_slice(part) or _is_mask(part) or (has_rows and is_array):
            raise unsupported("a subscript whose number of rows is staged in another place than the first")


def _on_rows(target: Any, function: Callable[[Any], Any]) -> Any:
    """Apply a function that leaves the rows in their places."""
    if not isinstance(target, BoundedArray):
        return function(target)
    return BoundedArray(function(target.data), target.length, target.key)


def _is_number(part: Any) -> bool:
    return not isinstance(part, (slice, BoundedArray)) and part is not None and np.ndim(part) == 0


def _length(target: Any) -> Any:
    return target.length if isinstance(target, BoundedArray) else target.shape[0]


def _rows(target: Any, index: Any) -> Any:
    """Return the rows of indices. Like JAX, it takes the nearest row for an index out of bounds."""
    size = _length(target)
    index = jnp.asarray(index)
    return jnp.clip(jnp.where(index < 0, index + size, index), 0, jnp.maximum(size - 1, 0))


def _masked(target: Any, mask: Any) -> tuple[Any, Any, LengthKey]:
    """Return an array with one row for each item of a mask, the mask for its rows, and the length's key."""
    key: LengthKey = ("mask", key_of(target), mask)
    if isinstance(target, BoundedArray) or isinstance(mask, BoundedArray):
        if not has_like_rows(target, mask):
            check_lengths([target, mask], "boolean index did not match indexed array along axis 0")
        bound = buffer_of(target).shape[0]
        rows = BoundedArray(buffer_of(target), _length(target)).mask
        return target, resized(buffer_of(mask), bound) & rows, key
    count = mask.ndim
    if mask.shape != target.shape[:count]:
        raise IndexError(f"boolean index did not match the shape {target.shape}: the mask has {mask.shape}")
    return target.reshape(-1, *target.shape[count:]), jnp.reshape(mask, -1), key


def has_like_rows(first: Any, second: Any) -> bool:
    both = isinstance(first, BoundedArray) and isinstance(second, BoundedArray)
    return both and first.length is second.length


def _selected(target: Any, mask: Any) -> BoundedArray:
    target, mask, key = _masked(target, mask)
    data = buffer_of(target)
    rows = jnp.nonzero(mask, size=data.shape[0], fill_value=0)[0]
    return padded(data[rows], jnp.sum(mask), key)


def _sliced(target: Any, part: slice) -> Any:
    start, length, step, key = _range(target, part)
    data = buffer_of(target)
    bound = _bound(data.shape[0], part, step)
    if isinstance(part.start, (int, type(None))) and (part.start or 0) >= 0 and step > 0:
        rows = data[part.start : (part.start or 0) + bound * step : step]
        rows = resized(rows, bound)
    elif step == 1:
        rows = lax.dynamic_slice_in_dim(resized(data, data.shape[0] + bound), start, bound)
    else:
        places = start + jnp.arange(bound) * step
        rows = data[jnp.clip(places, 0, max(data.shape[0] - 1, 0))]
    return padded(rows, length, key)


def _range(target: Any, part: slice) -> tuple[Any, Any, int, LengthKey]:
    """Return the first row of a slice, the number of its rows, its step, and the key of that number."""
    size = _length(target)
    if staged_by(part.step) is not None:
        raise unsupported("a slice with a staged step")
    step = 1 if part.step is None else operator.index(part.step)
    if step == 0:
        raise ValueError("slice step cannot be zero")
    low, high = (0, size) if step > 0 else (-1, size - 1)

    def place(value: Any, default: Any) -> Any:
        if value is None:
            return default
        value = _as_index(value)
        return jnp.clip(jnp.where(value < 0, value + size, value), low, high)

    start, stop = place(part.start, low if step > 0 else high), place(part.stop, high if step > 0 else low)
    count = (stop - start + step - 1) // step if step > 0 else (start - stop - step - 1) // -step
    length = jnp.maximum(count, 0).astype(int)
    return start, length, step, ("slice", key_of(target), part.start, part.stop, step)


def _as_index(value: Any) -> Any:
    if staged_by(value) is None:
        return operator.index(value)
    if value.ndim or value.dtype.kind not in "iu":
        raise TypeError("slice indices must be integers or None or have an __index__ method")
    return value.astype(int)


def _bound(size: int, part: slice, step: int) -> int:
    """Return the largest number of rows that a slice of at most `size` rows has."""
    start, stop = part.start, part.stop
    bounds = [size]
    plain = [v if v is None or staged_by(v) is not None else operator.index(v) for v in (start, stop)]
    if step > 0:
        begin = plain[0] if isinstance(plain[0], int) else 0
        if begin > 0:
            bounds.append(size - begin)
        if isinstance(plain[1], int) and plain[1] >= 0 and begin >= 0:
            bounds.append(plain[1] - begin)
        if begin < 0 and (stop is None or (isinstance(plain[1], int) and plain[1] < 0)):
            bounds.append((plain[1] or 0) - begin)
        if staged_by(start) is not None and staged_by(stop) is not None:
            width = distance(start, stop)  # if it is negative, only the end may count from the back
            bounds.append(size if width is None or width < 0 else width)
    return -(-max(min(bounds), 0) // abs(step))
