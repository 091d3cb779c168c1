"""NumPy and `math` functions on TensorFlow's staged values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow.experimental.numpy as tnp

from ...errors import UnsupportedFunctionError, ValueNeededError
from ...values.structures import flatten, unflatten
from ..builtins import is_of_numpy
from ..functional.builtins import WRITES, replacing, ufunc_method
from .lists import StagedList, known_length
from .types import Number, default_dtype, rank_of, weak

_NAMES = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "asinh": "arcsinh",
          "acosh": "arccosh", "atanh": "arctanh", "factorial": "",
          "ascontiguousarray": "asarray"}  # fmt: skip


def replaced(backend: Any, function: Callable[..., Any]) -> Callable[..., Any] | None:
    """Return a function that calls TensorFlow's counterpart of a NumPy function if an argument is staged."""
    if tf.executing_eagerly():
        return None
    implementation = _BUILTINS.get(function) if getattr(function, "__hash__", None) else None
    owner = getattr(function, "__self__", None)
    if implementation is None and isinstance(owner, np.ufunc):
        outer = _OUTER.get(owner) if function.__name__ == "outer" else None
        implementation = outer or ufunc_method(tnp, function)
        if implementation is None and function.__name__ not in WRITES:
            return None
    elif implementation is None and not is_of_numpy(function):
        return None

    def run(*args: Any, **kwargs: Any) -> Any:
        if implementation is not None:
            return implementation(*map(_operand, args), **kwargs)
        return counterpart(function)(*args, **kwargs)

    return replacing(function, lambda leaf: backend.is_array(leaf) or isinstance(leaf, StagedList), run)


def counterpart(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return TensorFlow's counterpart of a NumPy or `math` function."""
    module = (getattr(function, "__module__", None) or "").removeprefix("numpy").strip(".")
    if module.startswith(("core.", "_core.", "lib.")):  # NumPy's private modules
        module = ""
    name = _NAMES.get(function.__name__, function.__name__)
    implementation = _COUNTERPARTS.get((module, name)) or (
        getattr(tnp, name, None) if name and not module.startswith(("lin", "fft")) else None
    )
    if module == "math" and implementation is not None:
        return lambda *args: scalar(implementation, *args)
    if implementation is None:
        where = "math" if module == "math" else ".".join(filter(None, ("numpy", module)))
        raise UnsupportedFunctionError(
            f"{where}.{function.__name__} was called on a staged tensor",
            why="TensorFlow has no counterpart of this function",
            remedy="use TensorFlow functions instead, or call it through tf.numpy_function",
        )

    def run(*args: Any, **kwargs: Any) -> Any:
        if name == "stack" and isinstance(args[0], StagedList) and known_length(args[0].count) is None:
            args[0].backend.fail(args[0].length() < 1, ValueError("need at least one array to stack"))
        leaves, spec = flatten([args, kwargs])
        result = [_operand(leaf) for leaf in leaves]
        args, kwargs = unflatten(spec, result)
        return implementation(*args, **kwargs)

    return run


def _operand(value: Any) -> Any:
    if isinstance(value, StagedList) and value.is_structured:
        raise UnsupportedFunctionError(
            "a NumPy function is called on a staged list of tuples, lists or dicts",
            why="the parts of the items are tensors of their own",
            remedy="make an array of one part: [row[0] for row in rows]",
        )
    return tf.convert_to_tensor(value) if isinstance(value, (Number, StagedList, tf.Variable)) else value


def scalar(implementation: Callable[..., Any], *args: Any) -> Any:
    """Call the counterpart of a `math` function; for Python numbers, the result is a Python number."""
    result = implementation(*[as_float(a) for a in args])
    return weak(result) if all(isinstance(a, (int, float, Number)) for a in args) else result


def as_float(value: Any) -> Any:
    if not isinstance(value, (Number, tf.Tensor, tf.Variable)):
        return value
    tensor = tf.convert_to_tensor(value)
    return tf.cast(tensor, default_dtype(2)) if rank_of(tensor.dtype) < 2 else tensor


def _solve(a: Any, b: Any) -> Any:
    return tf.linalg.solve(a, b[..., None])[..., 0] if b.shape.rank == 1 else tf.linalg.solve(a, b)


def _sizes(shape: Any) -> Any:
    """Return a shape, or the length of one axis, as a tensor or a list of tensors."""
    if isinstance(shape, (tuple, list)):
        return [tf.cast(tf.convert_to_tensor(d), tf.int32) for d in shape]
    tensor = tf.cast(tf.convert_to_tensor(shape), tf.int32)
    return tf.reshape(tensor, [1]) if tensor.shape.rank == 0 else tensor


def _arange(*args: Any, dtype: Any = None) -> Any:
    result = tf.range(*args)
    return result if dtype is None else tf.cast(result, tf.as_dtype(np.dtype(dtype)))


def _nonempty(arrays: Any) -> Any:
    if isinstance(arrays, (list, tuple)) and not arrays:
        raise ValueError("need at least one array to stack")
    return arrays


def _shape(value: Any) -> Any:
    known = value.shape.as_list() if value.shape.rank is not None else [None]
    if None not in known:
        return tuple(known)
    if value.shape.rank is None:
        raise ValueNeededError(
            "np.shape() cannot return the shape of a tensor whose rank is known only at run time",
            why="its result is a tuple, whose length has to be known during the trace",
            remedy="use tf.shape(x)",
        )
    dims = tf.shape(value, out_type=default_dtype(1))
    return tuple([weak(dims[i]) if d is None else d for i, d in enumerate(known)])


def _size(value: Any) -> Any:
    known = value.shape.num_elements()
    return known if known is not None else weak(tf.size(value, out_type=default_dtype(1)))


def _take(x: Any, indices: Any, axis: int | None = None, mode: str = "raise") -> Any:
    """Take items, including those at negative indexes, which TensorFlow's own function clips."""
    if mode != "raise":
        return tnp.take(x, indices, axis, mode=mode)
    x, indices = map(tf.convert_to_tensor, (x, indices))
    if axis is None:
        x, axis = (x if x.shape.rank == 1 else tf.reshape(x, [-1])), 0
    if not _is_nonnegative(indices):
        length = x.shape[axis] or tf.shape(x, out_type=indices.dtype)[axis]
        indices = tf.where(indices < 0, indices + length, indices)
    return tf.gather(x, indices, axis=axis)


_NONNEGATIVE = {"TopKV2": 1, "ArgMax": 0, "ArgMin": 0, "Shape": 0, "Size": 0, "Where": 0}
_TRANSPARENT = frozenset(
    ("Identity", "Cast", "Reshape", "StridedSlice", "ExpandDims", "Squeeze", "Transpose")
)


def _is_nonnegative(indices: Any) -> bool:
    """Return whether indexes come from an operation whose results are never negative."""
    while tf.is_symbolic_tensor(indices) and indices.op.type in _TRANSPARENT:
        indices = indices.op.inputs[0]
    return tf.is_symbolic_tensor(indices) and _NONNEGATIVE.get(indices.op.type) == indices.value_index


def _array_equal(a: Any, b: Any) -> Any:
    """Return whether two arrays are equal. TensorFlow's own function returns False in a graph."""
    a, b = map(tf.convert_to_tensor, (a, b))
    if not a.shape.is_compatible_with(b.shape):
        return tf.constant(False)
    if a.shape.is_fully_defined() and b.shape.is_fully_defined():
        return tf.reduce_all(tnp.equal(a, b))
    is_alike = tf.reduce_all(tf.equal(tf.shape(a), tf.shape(b)))
    return tf.cond(is_alike, lambda: tf.reduce_all(tnp.equal(a, b)), lambda: False)


def _argsort(x: Any, axis: int | None = -1, kind: str | None = None) -> Any:
    """Return the indexes that sort an array.

    The operand of a negation is sorted in descending order, because TensorFlow would negate it again to sort
    in ascending order. TensorFlow sorts no booleans.
    """
    x = tf.convert_to_tensor(x)
    x = tf.cast(x, tf.int8) if x.dtype == tf.bool else x
    if axis is None:
        x, axis = tf.reshape(x, [-1]), 0
    if x.shape.rank == 0:
        return tf.zeros([1], tf.int64)
    is_negated = x.dtype.is_floating and tf.is_symbolic_tensor(x) and x.op.type == "Neg"
    operand, direction = (x.op.inputs[0], "DESCENDING") if is_negated else (x, "ASCENDING")
    return tf.cast(tf.argsort(operand, axis, direction, stable=True), tf.int64)


_COUNTERPARTS: dict[tuple[str, str], Callable[..., Any]] = {
    ("linalg", "norm"): tf.norm,
    ("linalg", "inv"): tf.linalg.inv,
    ("linalg", "det"): tf.linalg.det,
    ("linalg", "solve"): lambda a, b: _solve(*map(tf.convert_to_tensor, (a, b))),
    ("linalg", "cholesky"): tf.linalg.cholesky,
    ("", "pad"): lambda x, width, mode="constant", **rest: tnp.pad(
        x, np.broadcast_to(width, (x.shape.rank, 2)), mode, **rest
    ),
    ("", "zeros"): lambda shape, dtype=float: tf.zeros(_sizes(shape), tf.as_dtype(np.dtype(dtype))),
    ("", "ones"): lambda shape, dtype=float: tf.ones(_sizes(shape), tf.as_dtype(np.dtype(dtype))),
    ("", "empty"): lambda shape, dtype=float: tf.zeros(_sizes(shape), tf.as_dtype(np.dtype(dtype))),
    ("", "full"): lambda shape, value, dtype=None: tf.fill(_sizes(shape), tnp.asarray(value, dtype)),
    ("", "eye"): lambda n, dtype=float: tf.eye(n, dtype=tf.as_dtype(np.dtype(dtype))),
    ("", "identity"): lambda n, dtype=float: tf.eye(n, dtype=tf.as_dtype(np.dtype(dtype))),
    ("", "arange"): lambda *args, dtype=None: _arange(*args, dtype=dtype),
    ("", "stack"): lambda arrays, axis=0: tnp.stack(_nonempty(arrays), axis),
    ("", "array_equal"): _array_equal,
    ("", "argsort"): _argsort,
    ("", "take"): _take,
    ("", "float_power"): lambda a, b: tnp.power(tf.cast(a, tf.float64), tf.cast(b, tf.float64)),
    ("", "shape"): _shape,
    ("", "ndim"): lambda x: x.shape.rank,
    ("", "size"): _size,
}


def _with_axes(a: Any, b: Any) -> Any:
    """Append an axis to `a` for each axis of `b`."""
    shape = tf.concat([tf.shape(a), tf.ones([tf.rank(b)], tf.int32)], 0)
    return tf.ensure_shape(tf.reshape(a, shape), [*a.shape, *[1] * b.shape.rank])


_BUILTINS: dict[Any, Callable[..., Any]] = {divmod: lambda a, b: (a // b, a % b)}
_OUTER: dict[Any, Callable[..., Any]] = {
    np.multiply: lambda a, b: _with_axes(a, b) * b,
    np.add: lambda a, b: _with_axes(a, b) + b,
    np.subtract: lambda a, b: _with_axes(a, b) - b,
}
