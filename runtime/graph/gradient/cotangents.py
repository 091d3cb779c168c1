"""Cotangents: supported types, zeros, sums, and conversion to the type of a value."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import mul
from typing import Any

import numpy as np

from ..ir.types import (
    ArrayType,
    ListType,
    MaybeType,
    ObjectType,
    OptionalType,
    ScalarType,
    StagedType,
    TupleType,
    constant_type,
)
from ..rules.methods import sum_to
from ..tracing import recording
from ..tracing.containers import lists
from ..tracing.tensor import Staged, Tensor, wrap
from .residuals import ForwardGraph


def is_differentiable(kind: StagedType | None) -> bool:
    """Return whether a type has cotangents: float, complex, and lists and tuples of them."""
    match kind:
        case ArrayType(dtype, _):
            return dtype.kind in "fc"
        case ScalarType(python):
            return python in (float, complex)
        case ListType(element):
            return is_differentiable(element)
        case TupleType(parts) | ObjectType(_, _, parts):
            return any(map(is_differentiable, parts))
        case MaybeType(held, _) | OptionalType(held):
            return is_differentiable(held)
    return False


def type_of(value: Any) -> StagedType | None:
    """Return the type of a staged value, Variable, plain number or array, or None for another value."""
    if isinstance(value, Staged):
        kind = value.type
        return getattr(kind, "held", kind)
    return constant_type(value)


def is_complex(value: Any) -> bool:
    kind = type_of(value)
    return isinstance(kind, (ArrayType, ScalarType)) and _dtype(kind).kind == "c"


def index_range(length: Any) -> Any:
    """Return `np.arange(length)`; the length may be staged."""
    return recording.call(np.arange, (length,), {}) if recording.is_staged(length) else np.arange(length)


def shape_of(value: Any) -> tuple[Any, ...]:
    """Return the shape of an array or number. For a forward value, only the lengths become residuals."""
    if not isinstance(value, Tensor):
        return np.shape(value) if not isinstance(value, Staged) else ()
    return tuple([
        _dimension(value, axis) if length is None else length
        for axis, length in enumerate(_known_shape(value))
    ])  # fmt: skip


def _dimension(value: Tensor, axis: int) -> Any:
    owner: Any = value._owner  # noqa: SLF001 - reading the node would make the array a residual
    is_forward_value = isinstance(owner, ForwardGraph)
    if is_forward_value:
        return wrap(owner.dimension(value._node, axis), owner)  # noqa: SLF001
    return recording.dimension(value, axis)


def element_count(lengths: Iterable[Any]) -> Any:
    """Return the product of lengths, which may be staged."""
    return reduce(mul, lengths, 1)


def ndim_of(value: Any) -> int:
    return len(shape_of(value))


def zeros(shape: tuple[Any, ...], dtype: Any) -> Any:
    """Return zeros: an array that each run creates anew, or a NumPy scalar if there are no dimensions."""
    return recording.call(np.zeros, (shape, dtype), {}) if shape else np.dtype(dtype).type(0)


def zeros_like(value: Any) -> Any:
    """Return a zero cotangent for a value."""
    if isinstance(value, tuple):
        return tuple(map(zeros_like, value))
    kind = getattr(value.type, "held", value.type)
    if isinstance(value.type, OptionalType):
        return recording.record("zeros_of", (value,), kind)
    if isinstance(kind, ScalarType):
        return kind.python(0)
    if isinstance(kind, ArrayType):
        return zeros(shape_of(value), kind.dtype)
    return recording.record("list_zeros", (value,), kind)


def ones_like(value: Any) -> Any:
    """Return a cotangent of ones for a value: the derivative of the sum of the elements."""
    kind = getattr(value.type, "held", value.type) if isinstance(value, Staged) else None
    if isinstance(kind, ArrayType):
        if not kind.shape:
            return kind.dtype.type(1)
        return recording.call(np.ones, (shape_of(value), kind.dtype), {})
    return 1.0


def add_cotangents(first: Any, second: Any) -> Any:
    """Return the sum of two cotangents of one value. None means zero."""
    if first is None or second is None:
        return second if first is None else first
    if isinstance(first, tuple):
        return tuple(map(add_cotangents, first, second))
    if isinstance(getattr(first, "type", None), ListType):
        return recording.record("list_sum", (first, second), first.type)
    return first + second


def unbroadcast(cotangent: Any, value: Any) -> Any:
    """Return the cotangent of a broadcast value: the sum over the broadcast axes."""
    shape, expected = _known_shape(cotangent), _known_shape(value)
    if shape == expected and None not in shape:
        return cotangent
    if not shape:  # a number, for an array of at most one element
        return np.broadcast_to(cotangent, shape_of(value)) if expected else cotangent
    return recording.call(sum_to, (cotangent, shape_of(value)), {})


def _known_shape(value: Any) -> tuple[int | None, ...]:
    kind = getattr(value, "type", None)
    kind = getattr(kind, "held", kind)
    if kind is None:
        return np.shape(value)
    return kind.shape if isinstance(kind, ArrayType) else ()


def cast_cotangent(cotangent: Any, kind: StagedType) -> Any:
    """Convert a cotangent to the dtype of its value. If the value is real, take the real part."""
    held = getattr(kind, "held", kind)
    if not isinstance(held, (ArrayType, ScalarType)) or isinstance(cotangent, tuple):
        return cotangent
    own = recording.to_node(cotangent).type
    if _dtype(own).kind == "c" and _dtype(held).kind != "c":
        cotangent = np.real(cotangent) if isinstance(own, ArrayType) else cotangent.real
    if isinstance(held, ArrayType):
        like = ArrayType(held.dtype, own.shape if isinstance(own, ArrayType) else ())
        return recording.cast(cotangent, like)
    return recording.cast(cotangent, held)


def _dtype(kind: Any) -> np.dtype:
    return kind.dtype if isinstance(kind, ArrayType) else np.dtype(kind.python)


def as_array(array: Any) -> Any:
    """Return a cotangent as an array, since a 0-d cotangent may be a NumPy scalar when the graph runs."""
    return array if shape_of(array) else recording.call(np.array, (array,), {})


def add_at_index(total: Any, index: Any, cotangent: Any) -> Any:
    """Add `cotangent` to one row or item of `total`, the cotangent of an array or list."""
    if isinstance(total.type, ListType):
        node = lists.element_node(cotangent)
        return recording.record("list_add_at", (total, index, node), total.type)
    return CotangentAt(index, cotangent).add_to(total)


class CotangentAt:
    """A cotangent that is `cotangent` at `key` and zero elsewhere."""

    def __init__(self, key: Any, cotangent: Any):
        self.key, self.cotangent = key, cotangent

    def add_to(self, total: Any) -> Any:
        target = recording.to_node(as_array(total))
        arguments = recording.Arguments([target])
        [key] = arguments.templates(self.key)
        return recording.record("add_at", (*arguments.inputs, self.cotangent), target.type, key=key)
