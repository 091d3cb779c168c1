"""Merge the types that a value has on two paths."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .types import (
    SAMPLES,
    AlternativesType,
    ArrayType,
    ListType,
    MaybeType,
    ObjectType,
    OptionalType,
    ScalarType,
    StagedType,
    TupleType,
    bound_type,
)


def merge_types(a: StagedType, b: StagedType) -> StagedType:
    """Return the type of a value of type `a` on one path and `b` on the other.

    Raises:
        TypeError: no type can represent both.
    """
    if a == b:
        return a
    if isinstance(a, MaybeType) or isinstance(b, MaybeType):
        name = a.name if isinstance(a, MaybeType) else b.name  # type: ignore[union-attr]
        return MaybeType(merge_types(*(k.held if isinstance(k, MaybeType) else k for k in (a, b))), name)
    if isinstance(a, OptionalType) or isinstance(b, OptionalType):
        return _merge_optional(a, b)
    if isinstance(a, TupleType) and isinstance(b, TupleType) and len(a.parts) == len(b.parts):
        return TupleType(tuple(map(merge_types, a.parts, b.parts)))
    if isinstance(a, ObjectType) and isinstance(b, ObjectType) and (a.kind, a.names) == (b.kind, b.names):
        return replace(a, parts=tuple(map(merge_types, a.parts, b.parts)))
    if isinstance(a, ListType) and isinstance(b, ListType):
        if replace(a, element=None) != replace(b, element=None):
            raise TypeError(f"{a} and {b} have no common type")
        if a.element is None or b.element is None:
            return replace(a, element=a.element or b.element)
        return replace(a, element=merge_types(a.element, b.element))
    if isinstance(a, _STRUCTURES) or isinstance(b, _STRUCTURES):
        raise TypeError(f"{a} and {b} have no common type")
    if isinstance(a, ScalarType) and isinstance(b, ScalarType):
        if str in (a.python, b.python):
            raise TypeError("strings have no common type with other values")
        if a.is_enumeration or b.is_enumeration:
            raise TypeError(f"{a} and {b} have no common type")
        order = (bool, int, float, complex)
        return ScalarType(order[max(order.index(a.python), order.index(b.python))])
    if isinstance(a, ScalarType):
        a, b = b, a
    assert isinstance(a, ArrayType)
    if isinstance(b, ScalarType):
        if b.is_enumeration:
            raise TypeError(f"{a} and {b} have no common type")
        if b.python is str and a.dtype.kind != "U":
            raise TypeError("strings have no common type with other values")
        return ArrayType(np.result_type(a.dtype, SAMPLES[b.python]), a.shape)
    assert isinstance(b, ArrayType)
    if len(a.shape) != len(b.shape):
        raise TypeError(f"their numbers of dimensions differ: {len(a.shape)} and {len(b.shape)}")
    shape = tuple(x if x == y else None for x, y in zip(a.shape, b.shape, strict=True))
    return ArrayType(np.result_type(a.dtype, b.dtype), shape)


_STRUCTURES = (ListType, TupleType, ObjectType, AlternativesType)


def _merge_optional(a: StagedType, b: StagedType) -> OptionalType:
    """Merge types of which one allows None. Values are not converted, since one of them may be None."""
    held, other = bound_type(a), bound_type(b)
    for kind in (held, other):
        if isinstance(kind, (ListType, ObjectType, AlternativesType)):
            raise TypeError(f"a value of type {kind} on one path cannot be None on the other")
    if held is None or other is None:
        return OptionalType(held or other)
    merged = merge_types(held, other)
    for kind in (held, other):
        dtypes = [getattr(k, "dtype", getattr(k, "python", None)) for k in (kind, merged)]
        if dtypes[0] != dtypes[1]:
            raise TypeError(f"beside None, both paths need one type: {held} and {other} differ")
    return OptionalType(merged)
