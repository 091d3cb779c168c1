"""Merge the types that a value has on two paths."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .types import (
    SAMPLES,
    AlternativesType,
    ArrayType,
    InstanceType,
    ListType,
    MaybeType,
    ObjectType,
    OptionalType,
    ReferenceType,
    Referent,
    ScalarType,
    StagedType,
    TupleType,
    bound_type,
    holds,
    holds_references,
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
    if isinstance(a, ReferenceType) or isinstance(b, ReferenceType):
        return _merge_references(a, b)
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


_STRUCTURES = (ListType, TupleType, ObjectType, InstanceType, AlternativesType)


def _merge_optional(a: StagedType, b: StagedType) -> OptionalType:
    """Merge types of which one allows None. Values are not converted, since one of them may be None."""
    held, other = bound_type(a), bound_type(b)
    for kind in (held, other):
        is_object = isinstance(kind, (ObjectType, AlternativesType))
        if is_object or (isinstance(kind, ListType) and holds_references(kind)):
            raise TypeError(f"a value of type {kind} on one path cannot be None on the other")
    if held is None or other is None:
        return OptionalType(held or other)
    merged = merge_types(held, other)
    for kind in (held, other) if not isinstance(merged, ListType) else ():
        dtypes = [getattr(k, "dtype", getattr(k, "python", None)) for k in (kind, merged)]
        if dtypes[0] != dtypes[1]:
            raise TypeError(f"beside None, both paths need one type: {held} and {other} differ")
    return OptionalType(merged)


def _merge_references(a: Any, b: Any) -> ReferenceType:
    """Merge a reference with another one, or with a list that becomes an object."""
    first, second = (a, b) if isinstance(a, ReferenceType) else (b, a)
    if not isinstance(second, ListType):
        raise TypeError(f"{a} and {b} have no common type")
    referent = first.referent.root
    if not isinstance(second, ReferenceType):
        widen(referent, merge_types(referent.kind, with_references(second, referent.made_in)))
        return first
    other = second.referent.root
    if other.made_in.level < referent.made_in.level:
        referent, other = other, referent
    kind: Any = merge_types(referent.kind, other.kind)
    _check_finite(kind, referent, other)
    other.merge_into(referent, kind)
    referent.widen(kind)
    return first


def widen(referent: Referent, kind: Any) -> None:
    """Let references refer to objects of a type, too.

    Raises:
        TypeError: the type of the objects would contain itself.
    """
    _check_finite(kind, referent.root)
    referent.widen(kind)


def _check_finite(kind: Any, *referents: Referent) -> None:
    """Raise a TypeError if the type of the objects of some references contains such a reference."""

    def is_same(part: Any) -> bool:
        return isinstance(part, ReferenceType) and part.referent.root in referents

    if kind.element is not None and holds(kind.element, is_same):
        raise TypeError("it would contain itself")


def referenced(kind: Any, made_in: Any) -> Any:
    """Return the type of which the lists, sets and dicts in a value are objects."""
    if isinstance(kind, TupleType):
        return TupleType(tuple([referenced(part, made_in) for part in kind.parts]))
    if isinstance(kind, ObjectType):
        return replace(kind, parts=tuple([referenced(part, made_in) for part in kind.parts]))
    if not isinstance(kind, ListType) or isinstance(kind, ReferenceType):
        return kind
    return ReferenceType(Referent(with_references(kind, made_in), made_in))


def with_references(kind: ListType, made_in: Any) -> ListType:
    """Return the type of a list whose items are objects, if they are lists, sets or dicts."""
    return replace(kind, element=referenced(kind.element, made_in))


def conversion(kind: Any, other: Any) -> tuple[Any, ...] | dict[str, Any] | None:
    """Return what turns a value of a type into one of another type, which has references where it has lists.

    It is None for nothing, the conversions of the parts of a tuple, those of the attributes of an object by
    name, or a conversion of the items of a list in a tuple of its own.
    """
    if isinstance(kind, ObjectType):
        found = {n: conversion(a, b) for n, a, b in zip(kind.names, kind.parts, other.parts, strict=True)}
        return {n: part for n, part in found.items() if part is not None} or None
    if isinstance(kind, TupleType):
        parts = tuple(map(conversion, kind.parts, other.parts))
        return None if parts.count(None) == len(parts) else parts
    if not isinstance(kind, ListType) or isinstance(kind, ReferenceType):
        return None
    inner = None if None in (kind.element, other.element) else conversion(kind.element, other.element)
    return (inner,) if isinstance(other, ReferenceType) or inner is not None else None
