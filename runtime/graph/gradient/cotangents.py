"""Cotangents as values: which types have them, zeros, sums, and the form that a value's type asks for."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import lists, record
from ..rules.summing import sum_to
from ..staged import Staged, Tensor, wrap
from ..trace import scalar_type
from ..types import ArrayType, ListType, MaybeType, ScalarType, StagedType, TupleType
from .regions import Region


def is_differentiable(kind: StagedType | None) -> bool:
    """Whether values of a type have cotangents: floats, complex numbers, and lists and tuples of them."""
    match kind:
        case ArrayType(dtype, _):
            return dtype.kind in "fc"
        case ScalarType(python):
            return python in (float, complex)
        case ListType(element):
            return is_differentiable(element)
        case TupleType(parts):
            return any(map(is_differentiable, parts))
        case MaybeType(held, _):
            return is_differentiable(held)
    return False


def type_of(value: Any) -> StagedType | None:
    """The type of a staged value, Variable or plain number or array; None for anything else."""
    if isinstance(value, Staged):
        kind = value.type
        return getattr(kind, "held", kind)
    return scalar_type(value)


def is_complex(value: Any) -> bool:
    kind = type_of(value)
    return isinstance(kind, (ArrayType, ScalarType)) and _dtype(kind).kind == "c"


def places(length: Any) -> Any:
    """0, 1, 2 ... as an array."""
    return record.call(np.arange, (length,), {}) if record.is_staged(length) else np.arange(length)


def shape_of(value: Any) -> tuple[Any, ...]:
    """The shape of an array or number; of a value in a region without keeping the value itself."""
    if not isinstance(value, Tensor):
        return np.shape(value) if not isinstance(value, Staged) else ()
    return tuple([
        _dimension(value, axis) if length is None else length
        for axis, length in enumerate(_known_shape(value))
    ])  # fmt: skip


def _dimension(value: Tensor, axis: int) -> Any:
    owner: Any = value._owner  # noqa: SLF001 - reading the node would keep the array
    is_region = isinstance(owner, Region)
    if is_region:
        return wrap(owner.dimension(value._node, axis), owner)  # noqa: SLF001
    return record.dimension(value, axis)


def ndim_of(value: Any) -> int:
    return len(shape_of(value))


def zeros(shape: tuple[Any, ...], dtype: Any) -> Any:
    """An array of zeros, a new one at each run; for no dimensions a NumPy scalar."""
    return record.call(np.zeros, (shape, dtype), {}) if shape else np.dtype(dtype).type(0)


def zeros_like(value: Any) -> Any:
    """The cotangent of a value that nothing depends on."""
    if isinstance(value, tuple):
        return tuple(map(zeros_like, value))
    kind = getattr(value.type, "held", value.type)
    if isinstance(kind, ScalarType):
        return kind.python(0)
    if isinstance(kind, ArrayType):
        return zeros(shape_of(value), kind.dtype)
    return wrap(record.add("list_zeros", (value,), kind))


def ones_like(value: Any) -> Any:
    """The cotangent of a value in the sum of its elements."""
    kind = getattr(value.type, "held", value.type) if isinstance(value, Staged) else None
    if isinstance(kind, ArrayType):
        if not kind.shape:
            return kind.dtype.type(1)
        return record.call(np.ones, (shape_of(value), kind.dtype), {})
    return 1.0


def added(first: Any, second: Any) -> Any:
    """The sum of two cotangents of one value; None is zero."""
    if first is None or second is None:
        return second if first is None else first
    if isinstance(first, tuple):
        return tuple(map(added, first, second))
    if isinstance(getattr(first, "type", None), ListType):
        return wrap(record.add("list_sum", (first, second), first.type))
    return first + second


def unbroadcast(cotangent: Any, value: Any) -> Any:
    """The cotangent of a value that was broadcast: summed over the axes along which that was repeated."""
    given, wanted = _known_shape(cotangent), _known_shape(value)
    if given == wanted and None not in given:
        return cotangent
    if not given:  # a number for an array of one element, or of none
        return np.broadcast_to(cotangent, shape_of(value)) if wanted else cotangent
    return record.call(sum_to, (cotangent, shape_of(value)), {})


def _known_shape(value: Any) -> tuple[int | None, ...]:
    kind = getattr(value, "type", None)
    kind = getattr(kind, "held", kind)
    if kind is None:
        return np.shape(value)
    return kind.shape if isinstance(kind, ArrayType) else ()


def fitted(cotangent: Any, kind: StagedType) -> Any:
    """A cotangent with the dtype of the value that it is of; of a real one it is the real part."""
    held = getattr(kind, "held", kind)
    if not isinstance(held, (ArrayType, ScalarType)) or isinstance(cotangent, tuple):
        return cotangent
    given = record.to_node(cotangent).type
    is_complex = _dtype(given).kind == "c"
    if is_complex and _dtype(held).kind != "c":
        cotangent = np.real(cotangent) if isinstance(given, ArrayType) else cotangent.real
    if isinstance(held, ArrayType):
        like = ArrayType(held.dtype, given.shape if isinstance(given, ArrayType) else ())
        return record.converted(cotangent, like)
    return record.converted(cotangent, held)


def _dtype(kind: Any) -> np.dtype:
    return kind.dtype if isinstance(kind, ArrayType) else np.dtype(kind.python)


def writable(array: Any) -> Any:
    """An array, also where a cotangent without dimensions may be a NumPy scalar when the graph runs."""
    return array if shape_of(array) else record.call(np.array, (array,), {})


def put(total: Any, index: Any, cotangent: Any) -> Any:
    """The cotangent of an array or list, of which one row or item gets more."""
    if isinstance(total.type, ListType):
        node = lists.element_node(cotangent)
        return wrap(record.add("list_add_at", (total, index, node), total.type))
    return At(index, cotangent).added_to(total)


class At:
    """A contribution to a part of an array: `cotangent` at `key`, and nothing elsewhere."""

    def __init__(self, key: Any, cotangent: Any):
        self.key, self.cotangent = key, cotangent

    def added_to(self, total: Any) -> Any:
        taken = record.Arguments()
        taken.inputs.append(record.to_node(writable(total)))
        template, _ = taken.take(self.key)
        taken.inputs.append(record.to_node(self.cotangent))
        return wrap(record.add("add_at", taken.inputs, taken.inputs[0].type, key=template))
