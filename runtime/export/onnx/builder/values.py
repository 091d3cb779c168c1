"""What stands in ONNX for the staged values that are no tensor: lists, tuples, unbound variables.

A list of numbers, or of arrays of one known shape, is one tensor, whose first axis counts the items: `Items`.
A list of arrays whose shapes are known at run time only is an ONNX sequence. A list of tuples is a list for
each place: `Columns`. A variable that may be unbound is a truth value and a value, which is zeros where there
is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...graph.ir import Missing
from ...graph.types import ArrayType, ListType, MaybeType, ScalarType, StagedType, TupleType
from . import refused
from .builder import BOOL, FLOAT, INT, Builder, Value

DTYPES: dict[type, np.dtype] = {int: INT, float: FLOAT, bool: BOOL, str: np.dtype("U")}


@dataclass(frozen=True, slots=True)
class Items:
    """A list whose items are those of a tensor along its first axis."""

    tensor: Value


@dataclass(frozen=True, slots=True)
class Columns:
    """A list of tuples: for each place in them the list of what stands there."""

    parts: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Empty:
    """A list in which nothing was put yet."""


@dataclass(frozen=True, slots=True)
class Iterable:
    """A length; the values in the item of a number; and all items as a list, made where it is asked for."""

    length: Value
    item: Callable[[Builder, Value], Sequence[Any]]
    listed: Callable[[Builder], Any]


@dataclass(frozen=True, slots=True)
class Maybe:
    """A variable that may be unbound."""

    there: Value
    held: Any


def dtype_of(b: Builder, kind: Any) -> np.dtype:
    if isinstance(kind, ScalarType):
        if kind.python not in DTYPES:
            raise refused.no_dtype(b.at, kind, "numbers")
        return DTYPES[kind.python]
    if kind.dtype.kind not in "biufU" or not kind.dtype.isnative or kind.dtype.char == "g":
        raise refused.no_dtype(b.at, kind.dtype, "arrays")
    return np.dtype("U") if kind.dtype.kind == "U" else kind.dtype


def is_dense(element: Any) -> bool:
    """Whether a list of such items is one tensor."""
    return isinstance(element, ScalarType) or (isinstance(element, ArrayType) and None not in element.shape)


def _is_staged(kind: Any) -> bool:
    return isinstance(kind, (ArrayType, ScalarType))


def item_shape(element: Any) -> tuple[int | None, ...]:
    return () if isinstance(element, ScalarType) else tuple(element.shape)


def _no_list(b: Builder, kind: ListType) -> Exception:
    return refused.unsayable(
        b.at,
        "its sequences hold tensors, and no other sequences",
        "keep the items of all inner lists in one list, and their lengths in another",
        f"a {kind}",
    )


# A value as tensors and sequences, and back


def flatten(value: Any) -> Iterator[Value]:
    """The tensors and sequences that a value is made of."""
    if isinstance(value, Value):
        yield value
    elif isinstance(value, Items):
        yield value.tensor
    elif isinstance(value, Columns):
        for part in value.parts:
            yield from flatten(part)
    elif isinstance(value, Maybe):
        yield value.there
        yield from flatten(value.held)
    elif isinstance(value, tuple):
        for part in value:
            yield from flatten(part)
    else:
        assert isinstance(value, Empty)


def unflatten(like: Any, parts: Iterator[Value]) -> Any:
    """The value that is made as another one is, of other tensors."""
    if isinstance(like, Value):
        return next(parts)
    if isinstance(like, Items):
        return Items(next(parts))
    if isinstance(like, Columns):
        return Columns(tuple([unflatten(p, parts) for p in like.parts]))
    if isinstance(like, Maybe):
        return Maybe(next(parts), unflatten(like.held, parts))
    if isinstance(like, tuple):
        return tuple([unflatten(p, parts) for p in like])
    return like


# Values of a type


def coerced(b: Builder, value: Any, kind: StagedType) -> Any:
    """A value as one of a type that holds it: that of a result of two branches, or of what a loop carries."""
    if isinstance(kind, MaybeType):
        if value is Missing.VALUE:
            return Maybe(b.constant(False, BOOL), zero(b, kind.held))
        if isinstance(value, Maybe):
            return Maybe(value.there, coerced(b, value.held, kind.held))
        return Maybe(b.constant(True, BOOL), coerced(b, value, kind.held))
    if value is Missing.VALUE:  # left by a branch that raises
        return zero(b, kind)
    if isinstance(kind, ListType):
        return _list(b, value, kind)
    if isinstance(kind, TupleType):
        return tuple([coerced(b, v, k) for v, k in zip(value, kind.parts, strict=True)])
    return _cast(b, value, kind)


def refuse_overflow(b: Builder, failed: Value) -> None:
    b.check(failed, "OverflowError: a Python int needs more than 64 bits")


def _cast(b: Builder, x: Value, kind: Any) -> Value:
    if x.dtype == np.uint64 and kind == ScalarType(int):
        refuse_overflow(b, b.any(b.less(b.like(2**63 - 1, x), x)))
    return b.cast(x, dtype_of(b, kind))


def _list(b: Builder, value: Any, kind: ListType) -> Any:
    if kind.element is None:
        return value
    if isinstance(value, Empty):
        return zero(b, kind)
    if isinstance(value, Columns):
        assert isinstance(kind.element, TupleType)
        return Columns(
            tuple([_list(b, p, ListType(k)) for p, k in zip(value.parts, kind.element.parts, strict=True)])
        )
    if is_dense(kind.element):
        return Items(_cast(b, value.tensor, kind.element))
    dtype = dtype_of(b, kind.element)
    if isinstance(value, Items):
        tensor = b.cast(value.tensor, dtype)
        return b.sequence("SplitToSequence", [tensor], dtype, tensor.ndim - 1, axis=0, keepdims=0)
    if value.dtype != dtype:
        raise refused.no_dtype(b.at, dtype, "conversion of sequences")
    return value


def zero(b: Builder, kind: StagedType) -> Any:
    """A value of a type: zeros, no items, nothing bound."""
    if isinstance(kind, MaybeType):
        return Maybe(b.constant(False, BOOL), zero(b, kind.held))
    if isinstance(kind, TupleType):
        return tuple([zero(b, k) for k in kind.parts])
    if isinstance(kind, ListType):
        return _empty(b, kind)
    shape = [0 if d is None else d for d in item_shape(kind)]
    return b.constant(np.zeros(shape, dtype_of(b, kind)), None)


def _empty(b: Builder, kind: ListType) -> Any:
    element = kind.element
    if element is None:
        return Empty()
    if isinstance(element, TupleType):
        return Columns(tuple([_empty(b, ListType(k)) for k in element.parts]))
    if not _is_staged(element):
        raise _no_list(b, kind)
    dtype = dtype_of(b, element)
    if is_dense(element):
        return Items(b.constant(np.zeros((0, *item_shape(element)), dtype)))
    ndim = len(item_shape(element))
    return b.no_items(dtype, ndim)


def listed(b: Builder, values: list[Any], kind: ListType) -> Any:
    """The list of values."""
    element = kind.element
    if not values or element is None:
        return _empty(b, kind)
    values = [coerced(b, v, element) for v in values]
    if isinstance(element, TupleType):
        return Columns(
            tuple(
                [
                    listed(b, list(c), ListType(k))
                    for c, k in zip(zip(*values, strict=True), element.parts, strict=True)
                ]
            )
        )
    if not _is_staged(element):
        raise _no_list(b, kind)
    if is_dense(element):
        return Items(b.concat([b.unsqueeze(v, 0) for v in values], 0))
    return b.sequence("SequenceConstruct", values, dtype_of(b, element), values[0].ndim)
