"""Items of TensorFlow's tensors: reads, writes and searches with staged keys."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import tensorflow as tf

from ... import staging
from ...errors import AliasError, UnsupportedFunctionError
from ...staging.state.aliases import other_reference
from .. import staged_by
from ..functional.index_errors import (
    check_unaliased,
    membership_error,
    mixed_items_error,
    staged_index_error,
    staged_key_error,
)
from ..functional.iterables import StagedSequence
from ..functional.optional_values import for_write, present
from ..functional.staged_text import Text
from .lists import ListType, StagedList
from .types import Number, is_numpy_style, weak


def get_item(backend: Any, target: Any, key: Any) -> Any:
    target, key = present(target, operator.getitem), present(key, operator.index)
    if isinstance(target, (StagedList, tf.RaggedTensor)):
        return target[_plain_key(backend, key)]
    if isinstance(target, (list, tuple)):
        return _item_of_sequence(backend, target, key)
    if isinstance(target, tf.TensorArray):
        return target.read(key)
    if isinstance(target, (np.ndarray, tf.Tensor, tf.Variable)):
        return _read(backend, tf.convert_to_tensor(target), key)
    raise staged_index_error(target, "use a tensor, or a list or tuple of values of one type")


def _plain_key(backend: Any, key: Any) -> Any:
    """Return a key with tensors in place of staged numbers."""
    if isinstance(key, tuple):
        return tuple([_plain_key(backend, part) for part in key])
    if isinstance(key, slice):
        return slice(*[_plain_key(backend, part) for part in (key.start, key.stop, key.step)])
    return backend.tensor(key) if backend.is_array(key) else key


def _item_of_sequence(backend: Any, target: Any, key: Any) -> Any:
    aval = backend.type_of(list(target))
    if not isinstance(aval, ListType):
        raise mixed_items_error(target, "a tensor")
    items = backend.staged_list(list(target))
    items.ag__name = type(target).__name__
    return items[backend.tensor(key) if not isinstance(key, slice) else _plain_key(backend, key)]


def _is_scalar(part: Any) -> bool:
    if isinstance(part, (bool, np.bool_)):
        return False
    if isinstance(part, (int, np.integer)):
        return True
    return isinstance(part, (tf.Tensor, tf.Variable)) and part.shape.rank == 0 and part.dtype.is_integer


def _check_key(backend: Any, tensor: Any, key: Any, *, positive: bool = False) -> Any:
    """Check the indexes in a key against the shape; with `positive` make them nonnegative."""
    parts = list(key) if isinstance(key, tuple) else [key]
    dims = sum(p is not None and p is not Ellipsis for p in parts)
    axis = 0
    for i, part in enumerate(parts):
        if part is None:
            continue
        if part is Ellipsis:
            axis += (tensor.shape.rank or dims) - dims
            continue
        if _is_scalar(part) or (isinstance(part, tf.Tensor) and part.dtype.is_integer):
            parts[i] = _in_range(backend, tensor, axis, part, positive=positive)
        axis += 1
    return tuple(parts) if isinstance(key, tuple) else parts[0]


def _in_range(backend: Any, tensor: Any, axis: int, index: Any, *, positive: bool) -> Any:
    size = tensor.shape[axis] if tensor.shape.rank is not None else None
    if isinstance(index, (int, np.integer)) and size is not None:
        if not -size <= index < size:
            raise IndexError(f"index {index} is out of bounds for axis {axis} with size {size}")
        return int(index) % size
    index = tf.convert_to_tensor(index)
    if index.dtype not in (tf.int32, tf.int64):
        index = tf.cast(index, tf.int64)
    if index.shape.rank == 0 and not positive:
        return index  # a strided slice handles negative indexes, and raises for others
    length = tf.shape(tensor, out_type=index.dtype)[axis] if size is None else tf.constant(size, index.dtype)
    outside = tf.logical_or(index < -length, index >= length)
    if index.shape.rank == 0:
        text = Text(
            ["index ", (0, "", ""), f" is out of bounds for axis {axis} with size ", (1, "", "")],
            [index, length],
        )
        check = backend.fail(outside, IndexError(text))
    else:
        check = backend.fail(tf.reduce_any(outside), IndexError(f"index out of bounds for axis {axis}"))
    with tf.control_dependencies([check]):
        return tf.where(index < 0, index + length, index)


def _read(backend: Any, tensor: Any, key: Any) -> Any:
    key = _plain_key(backend, key)
    if isinstance(key, tf.Tensor) and key.dtype.is_bool:
        return tf.boolean_mask(tensor, key)
    key = _check_key(backend, tensor, key)
    parts = key if isinstance(key, tuple) else (key,)
    arrays = [p for p in parts if isinstance(p, (tf.Tensor, np.ndarray, list)) and not _is_scalar(p)]
    if not arrays:
        return tensor[key]
    if len(parts) == 1:
        return tf.gather(tensor, parts[0])
    return tf.experimental.numpy.asarray(tensor)[key] if is_numpy_style() else _gather(tensor, key)


def _gather(tensor: Any, key: tuple[Any, ...]) -> Any:
    """Return the items at the positions that several index arrays select together."""
    if any(not _is_scalar(p) and not isinstance(p, (tf.Tensor, np.ndarray, list)) for p in key):
        raise UnsupportedFunctionError(
            "a tensor cannot be indexed by arrays and slices together",
            why="TensorFlow has no operation for it",
            remedy="index twice: x[rows][:, 1:]",
        )
    columns = [tf.cast(tf.convert_to_tensor(p), tf.int64) for p in key]
    shape = columns[0].shape
    for column in columns:
        shape = tf.broadcast_static_shape(shape, column.shape)
    return tf.gather_nd(tensor, tf.stack([tf.broadcast_to(c, shape) for c in columns], axis=-1))


def set_item(backend: Any, target: Any, key: Any, value: Any) -> Any:
    target, key, value = for_write(target, key, value)
    if isinstance(target, StagedList):
        target[key if isinstance(key, int) else _plain_key(backend, key)] = value
        return target
    if isinstance(target, tf.Variable):
        target.assign(_write(backend, tf.convert_to_tensor(target), key, value))
        return target
    if isinstance(target, tf.Tensor):
        check_unaliased(target, backend.name, "tf.identity({})")
        return _write(backend, target, key, value)
    is_staged = staging.has_staged(key) or staged_by(value) is not None
    if isinstance(target, np.ndarray) and not tf.executing_eagerly() and (is_staged or backend.captures):
        other = other_reference(target, None, None)
        if other:
            raise AliasError(
                f"a staged value is written into a plain array that {other} also refers to",
                why="the other reference would not see what the graph writes",
                remedy="write to a copy (y = x.copy()), or pass the array as an argument",
            )
        return _write(backend, tf.convert_to_tensor(target), key, value)
    if staging.has_staged(key):
        if isinstance(target, list):
            result = backend.staged_list(target)
            result[_plain_key(backend, key)] = value
            return result
        raise staged_key_error(target, "use a tensor or a list")
    target[key] = value
    return target


def _write(backend: Any, tensor: Any, key: Any, value: Any) -> Any:
    """Return a copy of a tensor with new items at a key."""
    key = _plain_key(backend, key)
    if isinstance(value, float) and tensor.dtype.is_integer:
        value = int(value)
    elif isinstance(value, (list, tuple)):
        value = np.asarray(value)
    value = backend.cast(value, backend.type_of(tensor))
    if _is_mask(key):
        mask = tf.convert_to_tensor(key)
        if value.shape.rank == 0 or mask.shape.rank != tensor.shape.rank:
            for _ in range((tensor.shape.rank or 1) - (mask.shape.rank or 1)):
                mask = mask[..., None]
            return tf.where(mask, value, tensor)
        return tf.tensor_scatter_nd_update(tensor, tf.where(mask), value)
    key = _check_key(backend, tensor, key, positive=True)
    if _is_scalar(key):
        row = tf.broadcast_to(value, tf.shape(tensor)[1:])
        return tf.tensor_scatter_nd_update(tensor, [[key]], row[None])
    shape = tf.shape(tensor)
    numbers = tf.reshape(tf.range(tf.size(tensor)), shape)
    numbers.set_shape(tensor.shape)
    positions = _read(backend, numbers, key)
    updates = tf.broadcast_to(value, tf.shape(positions))
    flat = tf.tensor_scatter_nd_update(
        tf.reshape(tensor, [-1]), tf.reshape(positions, [-1, 1]), tf.reshape(updates, [-1])
    )
    result = tf.reshape(flat, shape)
    result.set_shape(tensor.shape)
    return result


def _is_mask(key: Any) -> bool:
    dtype = getattr(key, "dtype", None)
    return dtype is not None and not isinstance(key, (bool, np.bool_)) and tf.as_dtype(dtype).is_bool


def contains(backend: Any, item: Any, container: Any) -> Any:
    container = present(container, iter)
    if isinstance(container, range) or (isinstance(container, StagedSequence) and container.name == "range"):
        items = backend.sequence(container)
        first, stop, step = [weak(v) for v in _range_of(items)]
        past, number = item - first, weak(item) if isinstance(item, (int, float)) else item
        inside = tf.where(step > 0, tf.logical_and(number >= first, number < stop), number <= first)
        inside = tf.logical_and(inside, tf.logical_or(step > 0, number > stop))
        return tf.logical_and(inside, past % step == 0)
    if isinstance(container, StagedSequence):
        raise UnsupportedFunctionError(
            f"'in' cannot search a staged {container.name}",
            why="TensorFlow has no operation for it",
            remedy="search the underlying tensor or list",
        )
    if isinstance(container, (list, tuple)):
        is_member: Any = tf.constant(False)
        for part in container:
            if isinstance(part, str) != (getattr(backend.type_of(item), "dtype", None) == tf.string):
                continue
            equal = part == item if isinstance(part, Number) else item == part
            is_member = tf.logical_or(is_member, equal if isinstance(equal, bool) else tf.reduce_all(equal))
        return is_member
    if isinstance(container, (tf.Tensor, tf.Variable, np.ndarray, StagedList)):
        tensor = tf.convert_to_tensor(container)
        return tf.reduce_any(tf.equal(tensor, tf.cast(tf.convert_to_tensor(item), tensor.dtype)))
    raise membership_error(container, "tensor")


def _range_of(items: StagedSequence) -> tuple[Any, Any, Any]:
    first = items.item(0)
    step = items.item(1) - first
    return first, first + items.length * step, step
