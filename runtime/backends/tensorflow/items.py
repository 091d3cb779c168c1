"""Items of TensorFlow's tensors: read, written and looked for, by keys that are known at run time."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from ... import staging
from ...errors import AliasError, MismatchError, UnsupportedFunctionError, ValueNeededError
from ...staging.aliases import other_way
from .. import staged_by
from ..iterables import StagedSequence
from ..texts import Text
from .lists import ListKind, StagedList
from .values import Number, weak


def get_item(backend: Any, target: Any, key: Any) -> Any:
    if isinstance(target, StagedList):
        return target[_bounds(backend, key)]
    if isinstance(target, (list, tuple)):
        return _item_of_sequence(backend, target, key)
    if isinstance(target, tf.RaggedTensor):
        return target[_bounds(backend, key)]
    if isinstance(target, tf.TensorArray):
        return target.read(key)
    if isinstance(target, (np.ndarray, tf.Tensor, tf.Variable)):
        return _read(backend, tf.convert_to_tensor(target), key)
    raise ValueNeededError(
        f"a {type(target).__name__} is indexed by a staged value",
        why="Python would need the value, which is known only when the program runs",
        remedy="use a tensor, or a list or tuple of values of one type",
    )


def _bounds(backend: Any, key: Any) -> Any:
    """A key without our own kinds of values."""
    if isinstance(key, tuple):
        return tuple([_bounds(backend, part) for part in key])
    if isinstance(key, slice):
        return slice(*[_bounds(backend, part) for part in (key.start, key.stop, key.step)])
    return backend.tensor(key) if backend.is_array(key) else key


def _item_of_sequence(backend: Any, target: Any, key: Any) -> Any:
    kind = backend.type_of(list(target))
    if not isinstance(kind, ListKind):
        raise MismatchError(
            f"a {type(target).__name__} of different things is indexed by a staged value",
            why="which item it is is known only when the program runs, and what comes after needs one type",
            remedy="give its items one type, or use a tensor",
        )
    items = backend.staged_list(list(target))
    items.name = type(target).__name__
    return items[backend.tensor(key) if not isinstance(key, slice) else _bounds(backend, key)]


def _is_scalar(part: Any) -> bool:
    if isinstance(part, (bool, np.bool_)):
        return False
    if isinstance(part, (int, np.integer)):
        return True
    return isinstance(part, (tf.Tensor, tf.Variable)) and part.shape.rank == 0 and part.dtype.is_integer


def _checked(backend: Any, tensor: Any, key: Any, *, positive: bool = False) -> Any:
    """A key whose numbers are raised for if they are outside, as NumPy does, and made positive if need be."""
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
        return index  # a strided slice counts from the end itself, and raises for what is outside
    most = tf.shape(tensor, out_type=index.dtype)[axis] if size is None else tf.constant(size, index.dtype)
    outside = tf.logical_or(index < -most, index >= most)
    if index.shape.rank == 0:
        text = Text(
            ["index ", (0, "", ""), f" is out of bounds for axis {axis} with size ", (1, "", "")],
            [index, most],
        )
        checked = backend.fail(outside, IndexError(text))
    else:
        checked = backend.fail(tf.reduce_any(outside), IndexError(f"index out of bounds for axis {axis}"))
    with tf.control_dependencies([checked]):
        return tf.where(index < 0, index + most, index)


def _read(backend: Any, tensor: Any, key: Any) -> Any:
    key = _bounds(backend, key)
    if isinstance(key, tf.Tensor) and key.dtype.is_bool:
        return tf.boolean_mask(tensor, key)
    key = _checked(backend, tensor, key)
    parts = key if isinstance(key, tuple) else (key,)
    arrays = [p for p in parts if isinstance(p, (tf.Tensor, np.ndarray, list)) and not _is_scalar(p)]
    if not arrays:
        return tensor[key]
    if len(parts) == 1:
        return tf.gather(tensor, parts[0])
    return (
        tf.experimental.numpy.asarray(tensor).__getitem__(key)
        if hasattr(tf.Tensor, "astype")
        else _picked(tensor, key)
    )


def _picked(tensor: Any, key: tuple[Any, ...]) -> Any:
    """Items at the places that several arrays of numbers name together."""
    if any(not _is_scalar(p) and not isinstance(p, (tf.Tensor, np.ndarray, list)) for p in key):
        raise UnsupportedFunctionError(
            "a tensor is indexed by arrays and slices at once",
            why="TensorFlow has no operation for it",
            remedy="take one after the other: x[rows][:, 1:]",
        )
    columns = [tf.cast(tf.convert_to_tensor(p), tf.int64) for p in key]
    shape = columns[0].shape
    for column in columns:
        shape = tf.broadcast_static_shape(shape, column.shape)
    return tf.gather_nd(tensor, tf.stack([tf.broadcast_to(c, shape) for c in columns], axis=-1))


def set_item(backend: Any, target: Any, key: Any, value: Any) -> Any:
    if isinstance(target, StagedList):
        target[key if isinstance(key, int) else _bounds(backend, key)] = value
        return target
    if isinstance(target, tf.Variable):
        target.assign(_written(backend, tf.convert_to_tensor(target), key, value))
        return target
    if isinstance(target, tf.Tensor):
        backend.refuse_other_names(target)
        return _written(backend, target, key, value)
    is_staged = staging.has_staged(key) or staged_by(value) is not None
    if isinstance(target, np.ndarray) and not tf.executing_eagerly() and (is_staged or backend.captures):
        other = other_way(target, None, None)
        if other:
            raise AliasError(
                f"a staged value is written into a plain array, and {other} leads to it too",
                why="the other name would not see what the program writes when it runs",
                remedy="write to a copy of it, as in y = x.copy(), or pass the array as an argument",
            )
        return _written(backend, tf.convert_to_tensor(target), key, value)
    if staging.has_staged(key):
        if isinstance(target, list):
            made = backend.staged_list(target)
            made[_bounds(backend, key)] = value
            return made
        raise ValueNeededError(
            f"an item of a {type(target).__name__} is set by a staged key",
            why="Python would need the value of the key, which is known only when the program runs",
            remedy="use a tensor or a list",
        )
    target[key] = value
    return target


def _written(backend: Any, tensor: Any, key: Any, value: Any) -> Any:
    """A tensor with other items at a key."""
    key = _bounds(backend, key)
    if backend.is_array(value) or isinstance(value, np.ndarray):
        value = backend.tensor(value)
        value = value if value.dtype == tensor.dtype else tf.cast(value, tensor.dtype)
    else:
        value = (
            backend.cast(np.asarray(value), backend.type_of(tensor))
            if isinstance(value, (list, tuple))
            else (
                tf.constant(value, tensor.dtype)
                if not (isinstance(value, float) and tensor.dtype.is_integer)
                else tf.constant(int(value), tensor.dtype)
            )
        )
    if _is_mask(key):
        mask = tf.convert_to_tensor(key)
        if value.shape.rank == 0 or mask.shape.rank != tensor.shape.rank:
            for _ in range((tensor.shape.rank or 1) - (mask.shape.rank or 1)):
                mask = mask[..., None]
            return tf.where(mask, value, tensor)
        return tf.tensor_scatter_nd_update(tensor, tf.where(mask), value)
    key = _checked(backend, tensor, key, positive=True)
    if _is_scalar(key):
        row = tf.broadcast_to(value, tf.shape(tensor)[1:])
        return tf.tensor_scatter_nd_update(tensor, [[key]], row[None])
    shape = tf.shape(tensor)
    numbers = tf.reshape(tf.range(tf.size(tensor)), shape)
    numbers.set_shape(tensor.shape)
    places = _read(backend, numbers, key)
    updates = tf.broadcast_to(value, tf.shape(places))
    flat = tf.tensor_scatter_nd_update(
        tf.reshape(tensor, [-1]), tf.reshape(places, [-1, 1]), tf.reshape(updates, [-1])
    )
    made = tf.reshape(flat, shape)
    made.set_shape(tensor.shape)
    return made


def _is_mask(key: Any) -> bool:
    dtype = getattr(key, "dtype", None)
    return dtype is not None and not isinstance(key, (bool, np.bool_)) and tf.as_dtype(dtype).is_bool


def contains(backend: Any, item: Any, container: Any) -> Any:
    if isinstance(container, range) or (isinstance(container, StagedSequence) and container.name == "range"):
        items = backend.sequence(container)
        first, stop, step = [weak(v) for v in _range_of(items)]
        past, number = item - first, weak(item) if isinstance(item, (int, float)) else item
        inside = tf.where(step > 0, tf.logical_and(number >= first, number < stop), number <= first)
        inside = tf.logical_and(inside, tf.logical_or(step > 0, number > stop))
        return tf.logical_and(inside, past % step == 0)
    if isinstance(container, StagedSequence):
        raise UnsupportedFunctionError(
            f"a staged {container.name} is searched by 'in'",
            why="TensorFlow has no operation for it",
            remedy="compare with its bounds, or search the tensor that it goes over",
        )
    if isinstance(container, (list, tuple)):
        found: Any = tf.constant(False)
        for part in container:
            if isinstance(part, str) != (getattr(backend.type_of(item), "dtype", None) == tf.string):
                continue
            equal = part == item if isinstance(part, Number) else item == part
            found = tf.logical_or(found, equal if isinstance(equal, bool) else tf.reduce_all(equal))
        return found
    if isinstance(container, (tf.Tensor, tf.Variable, np.ndarray, StagedList)):
        tensor = tf.convert_to_tensor(container)
        return tf.reduce_any(tf.equal(tensor, tf.cast(tf.convert_to_tensor(item), tensor.dtype)))
    raise UnsupportedFunctionError(
        f"a staged value is searched for in a {type(container).__name__}",
        why="Python would need its value, which is known only when the program runs",
        remedy="use a list, tuple, range or tensor: x in (1, 2, 3)",
    )


def _range_of(items: StagedSequence) -> tuple[Any, Any, Any]:
    first = items.item(0)
    step = items.item(1) - first
    return first, first + items.length * step, step
