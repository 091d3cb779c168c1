"""Types of TensorFlow's staged values, and `Number`, a Python number that a staged program computes."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from ...errors import ValueNeededError
from ..functional.counter_arithmetic import COMPARISONS, NumberKind, bound_of_plain, check_cast, result_bound
from ..functional.optional_values import Optional
from .private import TENSOR

RANKS = {bool: 0, int: 1, float: 2, complex: 3}


def is_numpy_style() -> bool:
    """Return whether TensorFlow's NumPy behavior is enabled, under which integers and floats have 64 bits."""
    return hasattr(tf.Tensor, "astype")


def default_dtype(rank: int) -> Any:
    """Return the dtype of a Python number that was not combined with a tensor."""
    if is_numpy_style():
        return (tf.bool, tf.int64, tf.float64, tf.complex128)[rank]
    return (tf.bool, tf.int32, tf.float32, tf.complex128)[rank]


def rank_of(dtype: Any) -> int:
    if dtype.is_bool:
        return 0
    if dtype.is_integer:
        return 1
    if dtype.is_floating:
        return 2
    if dtype.is_complex:
        return 3
    raise TypeError(f"{dtype.name} is not a numeric type")


@dataclass(frozen=True)
class TensorType:
    """The dtype and shape of a tensor; `shape` is None if the rank is unknown. Python numbers are `weak`."""

    dtype: Any
    shape: tuple[int | None, ...] | None
    weak: bool = False

    def __str__(self) -> str:
        dims = "..." if self.shape is None else ", ".join("?" if d is None else str(d) for d in self.shape)
        return f"{self.dtype.name}[{dims}]"


@dataclass(frozen=True)
class CompositeType:
    """The `tf.TypeSpec` of a value that consists of several tensors."""

    spec: Any

    def __str__(self) -> str:
        return str(self.spec)


@dataclass(frozen=True)
class TensorArrayType:
    """The type of a `tf.TensorArray`."""

    dtype: Any

    def __str__(self) -> str:
        return f"TensorArray of {self.dtype.name}"


def shape_of(value: Any) -> tuple[int | None, ...] | None:
    return None if value.shape.rank is None else tuple(value.shape.as_list())


def row_count(value: Any) -> Any:
    """Return the length of the first axis, as an int if it is known."""
    known = None if value.shape.rank is None else value.shape[0]
    return known if known is not None else weak(tf.shape(value, out_type=default_dtype(1))[0])


def merge_shapes(first: Any, second: Any) -> tuple[int | None, ...] | None:
    if first is None or second is None or len(first) != len(second):
        return None
    return tuple([a if a == b else None for a, b in zip(first, second, strict=True)])


def merge_dtypes(first: TensorType, second: TensorType) -> Any:
    a, b = first.dtype, second.dtype
    if a == b:
        return a
    ranks = rank_of(a), rank_of(b)
    if first.weak != second.weak:
        weak, strict = (0, 1) if first.weak else (1, 0)
        if ranks[weak] <= ranks[strict]:
            return (a, b)[strict]
    if ranks[0] != ranks[1] and not is_numpy_style():
        top = (a, b)[ranks[1] > ranks[0]]
        return default_dtype(2) if top.is_floating and (first.weak or second.weak) else top
    return tf.as_dtype(np.result_type(a.as_numpy_dtype, b.as_numpy_dtype))


def _kind(dtype: Any) -> NumberKind:
    return NumberKind(dtype.is_floating or dtype.is_complex, dtype.is_bool, dtype.size)


class OptionalTensor(Optional):
    """A value that may be None. NumPy, which promotes operands of NumPy-style tensors, reads its dtype."""

    @property
    def dtype(self) -> Any:
        value = self.value if is_numpy_style() else self.of(getattr, "dtype")
        return np.dtype(value.dtype.as_numpy_dtype) if is_numpy_style() else value.dtype


class Number(TENSOR):
    """A Python number that a staged program computes: it takes the dtype of the other operand.

    `bound` is set if it is computed from the counter of a loop that is being rolled (`counter_arithmetic`).
    """

    def __init__(self, tensor: Any, bound: float | None = None):
        self.tensor, self.bound = tensor, bound

    tensor_dtype = property(lambda self: self.tensor.dtype)
    shape = property(lambda self: self.tensor.shape)
    graph = property(lambda self: self.tensor.graph)
    op = property(lambda self: self.tensor.op)
    name = property(lambda self: self.tensor.name)
    ndim = 0

    @property
    def dtype(self) -> Any:
        """The dtype. With NumPy behavior it is an `np.dtype`, which NumPy needs to promote the number."""
        return np.dtype(self.tensor_dtype.as_numpy_dtype) if is_numpy_style() else self.tensor_dtype

    def __repr__(self) -> str:
        return f"<staged Python number of {self.tensor_dtype.name}>"

    def to(self, dtype: Any) -> Any:
        """Return the number as a tensor of a dtype that can represent it."""
        if dtype == self.tensor_dtype:
            return self.tensor
        check_cast(self.bound, _kind(self.tensor_dtype), _kind(dtype))
        if rank_of(dtype) < rank_of(self.tensor_dtype):
            raise TypeError(
                f"a staged Python number of {self.tensor_dtype.name} cannot be a tensor of {dtype.name}"
            )
        return tf.cast(self.tensor, dtype)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.tensor, name)

    def __hash__(self) -> int:
        return id(self)

    def _reject(self, *_: Any) -> Any:
        raise ValueNeededError(
            "Python needs the value of a staged Python number",
            why="the value is known only when the graph runs",
            remedy="convert the function that needs it, or use a TensorFlow function that takes a tensor",
        )

    __bool__ = __int__ = __float__ = __index__ = __complex__ = _reject

    def __getitem__(self, key: Any) -> Any:
        return self.tensor[key]

    def __neg__(self) -> Number:
        return Number(-as_number(self), self.bound)

    def __pos__(self) -> Number:
        return Number(as_number(self), self.bound)

    def __abs__(self) -> Number:
        return Number(tf.abs(as_number(self)), self.bound)

    def __invert__(self) -> Number:
        return Number(tf.bitwise.invert(as_number(self)))


def as_number(value: Any) -> Any:
    """Convert a truth value to an integer, as Python's arithmetic does."""
    tensor = value.tensor if isinstance(value, Number) else value
    return tf.cast(tensor, default_dtype(1)) if tensor.dtype.is_bool else tensor


def weak(value: Any) -> Number:
    """Return a Python number, or a tensor, as a staged Python number."""
    if isinstance(value, (bool, int, float, complex)):
        return Number(tf.constant(value, default_dtype(RANKS[type(value)])))
    return value if isinstance(value, Number) else Number(value)


_BITWISE = {"and_": tf.bitwise.bitwise_and, "or_": tf.bitwise.bitwise_or, "xor": tf.bitwise.bitwise_xor}
_TENSOR_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": tf.equal, "ne": tf.not_equal, "pow": tf.pow, "lshift": tf.bitwise.left_shift,
    "rshift": tf.bitwise.right_shift,
}  # fmt: skip


def _both(name: str, left: Any, right: Any) -> Any:
    """Apply a Python operator to two numbers, at least one of which is staged."""
    a, b = weak(left).tensor, weak(right).tensor
    if name in _BITWISE and a.dtype.is_bool and b.dtype.is_bool:
        return Number(getattr(operator, name)(a, b))
    if a.dtype.is_bool and b.dtype.is_bool and name in ("eq", "ne"):
        return _TENSOR_OPERATORS[name](a, b)
    a, b = as_number(a), as_number(b)
    if name == "truediv" and a.dtype.is_integer and b.dtype.is_integer:
        a = tf.cast(a, default_dtype(2))
    rank = max(rank_of(a.dtype), rank_of(b.dtype))
    if a.dtype != b.dtype:
        dtype = next(t.dtype for t in (a, b) if rank_of(t.dtype) == rank)
        a, b = tf.cast(a, dtype), tf.cast(b, dtype)
    result = (_BITWISE.get(name) or _TENSOR_OPERATORS.get(name) or getattr(operator, name))(a, b)
    bounds = [v.bound if isinstance(v, Number) else bound_of_plain(v) for v in (left, right)]
    bound = result_bound(name.strip("_"), bounds, _kind(result.dtype))
    return result if name in COMPARISONS else Number(result, bound)


def _with_tensor(name: str, left: Any, right: Any) -> Any:
    """Apply a Python operator to a staged number and a tensor or array."""
    numbers = [v if isinstance(v, Number) else None for v in (left, right)]
    tensors = [v if isinstance(v, Number) else tf.convert_to_tensor(v) for v in (left, right)]
    dtype = next(t.dtype for t in tensors if not isinstance(t, Number))
    for i, number in enumerate(numbers):
        if number is None:
            continue
        if rank_of(dtype) >= rank_of(number.tensor_dtype):
            tensors[i] = number.to(dtype)
        else:
            tensors[i] = number.tensor
            if is_numpy_style() and rank_of(dtype) < rank_of(number.tensor_dtype):
                tensors[1 - i] = tf.cast(tensors[1 - i], number.tensor_dtype)
    return (_TENSOR_OPERATORS.get(name) or getattr(operator, name))(*tensors)


def _operators(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    def apply(left: Any, right: Any) -> Any:
        other = right if isinstance(left, Number) else left
        if other is None or isinstance(other, (str, list, tuple, dict)):
            return NotImplemented
        if isinstance(other, (bool, int, float, complex, Number)):
            return _both(name, left, right)
        return _with_tensor(name, left, right)

    return apply, lambda right, left: apply(left, right)


for _name in "add sub mul truediv floordiv mod pow and_ or_ xor lshift rshift".split():
    _forward, _backward = _operators(_name)
    setattr(Number, f"__{_name.strip('_')}__", _forward)
    setattr(Number, f"__r{_name.strip('_')}__", _backward)
for _name in sorted(COMPARISONS):  # tensors look up the reflected form under TensorFlow's name
    _forward, _backward = _operators(_name)
    setattr(Number, f"__{_name}__", _forward)
    setattr(Number, f"__r{_name}__", _backward)


def _converted(value: Number, dtype: Any = None, name: str | None = None, as_ref: bool = False) -> Any:
    return value.tensor if dtype is None else value.to(tf.as_dtype(dtype))


tf.register_tensor_conversion_function(Number, _converted)
