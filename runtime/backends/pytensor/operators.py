"""Operators of tensors in converted code: those of arrays, where PyTensor has none or others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytensor.tensor as pt
from pytensor.tensor.shape import Shape

from ...errors import StagingError


def is_tensor(value: Any) -> bool:
    return isinstance(value, pt.TensorVariable)


def is_number(value: Any) -> bool:
    """Return whether a value is a tensor, an array, or a number."""
    return isinstance(value, (bool, int, float, complex, np.ndarray, np.generic)) or is_tensor(value)


def typed(value: Any) -> Any:
    """Return a bool as NumPy's: PyTensor takes a plain one for the result of a comparison by identity."""
    return np.bool_(value) if isinstance(value, bool) else value


def negated(flag: Any) -> Any:
    """Return the opposite of a truth value. Where PyTensor runs Python, `pt.invert` of True may give -2."""
    return pt.eq(typed(flag), np.False_)


def equal(first: Any, second: Any) -> Any:
    """Return `first == second`, which is False for values that are no numbers."""
    if isinstance(second, (tuple, list)) and all(map(is_number, second)):
        return _equal_shape(first, second) if _is_shape(first) else equal(first, pt.stack(second))
    if not (is_number(first) and is_number(second)):
        return pt.constant(np.False_)
    if _is_shape(first) and _is_shape(second):
        return _equal_shape(first, second)
    if first is second and np.dtype(first.dtype).kind in "fc":
        return negated(pt.isnan(first))  # PyTensor simplifies x == x to True
    return pt.eq(typed(first), typed(second))


def _is_shape(value: Any) -> bool:
    return is_tensor(value) and value.owner is not None and isinstance(value.owner.op, Shape)


def _equal_shape(shape: Any, other: Any) -> Any:
    """Return whether a shape, which is a tuple in NumPy and a vector here, equals another one."""
    length = other.type.shape[0] if is_tensor(other) else len(other)
    if shape.type.shape[0] != length:
        return pt.constant(np.False_)
    return pt.all(pt.eq(shape, other)) if length else pt.constant(np.True_)


def _compared(by_value: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return a comparison that leaves it to other classes to define one with tensors."""
    known = (tuple, list)
    return lambda a, b: by_value(a, b) if is_number(b) or isinstance(b, known) else NotImplemented


def _shifted_left(value: Any, count: Any) -> Any:
    """Return `value << count`: a product, as PyTensor has no shifts."""
    value, count = map(_whole, (value, count))
    factor = pt.switch(count > 62, pt.switch(count > 63, 0, 2), 1)
    return value * 2 ** pt.minimum(count, 62) * factor


def _shifted_right(value: Any, count: Any) -> Any:
    """Return `value >> count`: a quotient, as PyTensor has no shifts."""
    value, count = map(_whole, (value, count))
    return pt.switch(count > 62, pt.switch(value < 0, -1, 0), value // 2 ** pt.minimum(count, 62))


def _whole(operand: Any) -> Any:
    """Return an operand of a shift as a tensor of int64."""
    is_wide = isinstance(operand, int) or getattr(operand, "dtype", None) in ("int64", "bool")
    if not is_wide:
        raise StagingError(
            "a shift of a PyTensor variable or by one that is not of int64",
            why="PyTensor has no shifts, and products of shorter integers have other types",
            remedy="use x * 2**n or x // 2**n, or convert the operands: pt.cast(x, 'int64')",
        )
    return pt.cast(operand, "int64")


def _items(tensor: Any) -> Iterator[Any]:
    length = tensor.type.shape[0] if tensor.ndim else None
    if length is None:
        raise StagingError(
            "a tensor without a known length is iterated",
            why="only a loop of converted code becomes a scan",
            remedy="use a `for` statement, or a comprehension with one `for`",
        )
    return (tensor[i] for i in range(length))


OPERATORS: dict[str, Callable[..., Any]] = {
    "__eq__": _compared(equal),
    "__ne__": _compared(lambda a, b: negated(equal(a, b))),
    "__iter__": _items,
    "__pos__": lambda a: a.copy(),
    "__lshift__": _shifted_left,
    "__rlshift__": lambda a, b: _shifted_left(b, a),
    "__rshift__": _shifted_right,
    "__rrshift__": lambda a, b: _shifted_right(b, a),
    "__and__": lambda a, b: pt.and_(a, typed(b)),
    "__rand__": lambda a, b: pt.and_(typed(b), a),
    "__or__": lambda a, b: pt.or_(a, typed(b)),
    "__ror__": lambda a, b: pt.or_(typed(b), a),
    "__xor__": lambda a, b: pt.xor(a, typed(b)),
    "__rxor__": lambda a, b: pt.xor(typed(b), a),
}
"""The operators of tensors while a converted function is traced."""
