"""ONNX representations of staged values that are not tensors: lists, tuples, unbound variables.

A list of numbers, or of arrays of one known shape, is one tensor whose first axis counts the items: `Items`.
A list of arrays whose shapes are known only at run time is an ONNX sequence. A list of tuples is one list for
each position of the tuples: `Columns`. A variable that may be unbound is a bool and a value, which is zero
if the variable is unbound: `Maybe`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....graph.ir.graph import Missing
from ....graph.ir.types import NULLABLE_TYPES, ArrayType, ListType, ScalarType, StagedType, TupleType
from . import unsupported
from .builder import BOOL, FLOAT, INT, Builder, Value

DTYPES: dict[type, np.dtype] = {int: INT, float: FLOAT, bool: BOOL, str: np.dtype("U")}


@dataclass(frozen=True, slots=True)
class Items:
    """A list whose items are the rows of a tensor."""

    tensor: Value


@dataclass(frozen=True, slots=True)
class Columns:
    """A list of tuples, as one list for each position."""

    parts: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Empty:
    """A list to which nothing has been added yet."""


@dataclass(frozen=True, slots=True)
class Iterable:
    """A length, a function that returns an item by index, and one that returns all items as a list."""

    length: Value
    item: Callable[[Builder, Value], Sequence[Any]]
    to_list: Callable[[Builder], Any]


@dataclass(frozen=True, slots=True)
class Maybe:
    """A variable that may be unbound."""

    is_bound: Value
    held: Any


def dtype_of(b: Builder, kind: Any) -> np.dtype:
    if isinstance(kind, ScalarType):
        if kind.python not in DTYPES:
            raise unsupported.unsupported_dtype(b.current_node, kind, "numbers")
        return DTYPES[kind.python]
    if kind.dtype.kind not in "biufU" or not kind.dtype.isnative or kind.dtype.char == "g":
        raise unsupported.unsupported_dtype(b.current_node, kind.dtype, "arrays")
    return np.dtype("U") if kind.dtype.kind == "U" else kind.dtype


def is_dense(element: Any) -> bool:
    """Return whether a list of such elements is represented as a single tensor."""
    return isinstance(element, ScalarType) or (isinstance(element, ArrayType) and None not in element.shape)


def item_shape(element: Any) -> tuple[int | None, ...]:
    return () if isinstance(element, ScalarType) else tuple(element.shape)


def check_elements(b: Builder, kind: ListType) -> None:
    if not isinstance(kind.element, (ArrayType, ScalarType)):
        raise unsupported.unsupported_node(
            b.current_node,
            "ONNX sequences contain tensors, not other sequences",
            "store the items of all inner lists in one list, and their lengths in another",
            f"a {kind}",
        )


def flatten(value: Any) -> Iterator[Value]:
    """Yield the tensors and sequences of a value."""
    if isinstance(value, Value):
        yield value
    elif isinstance(value, Items):
        yield value.tensor
    elif isinstance(value, Maybe):
        yield value.is_bound
        yield from flatten(value.held)
    elif isinstance(value, (Columns, tuple)):
        for part in value.parts if isinstance(value, Columns) else value:
            yield from flatten(part)
    else:
        assert isinstance(value, Empty)


def unflatten(like: Any, parts: Iterator[Value]) -> Any:
    """Return a value of the same structure as `like`, built from other tensors."""
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


def coerce(b: Builder, value: Any, kind: StagedType) -> Any:
    """Convert a value to a wider type, such as that of a loop variable or of a conditional's result."""
    if isinstance(kind, NULLABLE_TYPES):
        if value is Missing.VALUE or value is None:
            return Maybe(b.constant(False, BOOL), zero(b, kind.held))
        if isinstance(value, Maybe):
            return Maybe(value.is_bound, coerce(b, value.held, kind.held))
        return Maybe(b.constant(True, BOOL), coerce(b, value, kind.held))
    if value is Missing.VALUE:  # the branch raises
        return zero(b, kind)
    if isinstance(kind, ListType):
        return to_list_type(b, value, kind)
    if isinstance(kind, TupleType):
        return tuple([coerce(b, v, k) for v, k in zip(value, kind.parts, strict=True)])
    return cast_to(b, value, kind)


def check_overflow(b: Builder, failed: Value) -> None:
    b.check(failed, "OverflowError: a Python int needs more than 64 bits")


def cast_to(b: Builder, x: Value, kind: Any) -> Value:
    if x.dtype == np.uint64 and kind == ScalarType(int):
        check_overflow(b, b.any(b.less(b.constant_like(2**63 - 1, x), x)))
    return b.cast(x, dtype_of(b, kind))


def to_list_type(b: Builder, value: Any, kind: ListType) -> Any:
    if kind.element is None:
        return value
    if isinstance(value, Empty):
        return zero(b, kind)
    if isinstance(value, Columns):
        assert isinstance(kind.element, TupleType)
        parts = zip(value.parts, kind.element.parts, strict=True)
        return Columns(tuple([to_list_type(b, p, ListType(k)) for p, k in parts]))
    if is_dense(kind.element):
        return Items(cast_to(b, value.tensor, kind.element))
    dtype = dtype_of(b, kind.element)
    if isinstance(value, Items):
        tensor = b.cast(value.tensor, dtype)
        return b.sequence("SplitToSequence", [tensor], dtype, tensor.ndim - 1, axis=0, keepdims=0)
    if value.dtype != dtype:
        raise unsupported.unsupported_dtype(b.current_node, dtype, "conversion of sequences")
    return value


def zero(b: Builder, kind: StagedType) -> Any:
    """Return the default value of a type: zeros, an empty list, or an unbound variable."""
    if kind is None:
        raise unsupported.unsupported_dtype(b.current_node, "None", "numbers")
    if isinstance(kind, NULLABLE_TYPES):
        return Maybe(b.constant(False, BOOL), zero(b, kind.held))
    if isinstance(kind, TupleType):
        return tuple([zero(b, k) for k in kind.parts])
    if isinstance(kind, ListType):
        return empty_list(b, kind)
    if not isinstance(kind, (ScalarType, ArrayType)):
        raise unsupported.unsupported_dtype(b.current_node, kind, "numbers")
    shape = [0 if d is None else d for d in item_shape(kind)]
    return b.constant(np.zeros(shape, dtype_of(b, kind)), None)


def empty_list(b: Builder, kind: ListType) -> Any:
    element = kind.element
    if element is None:
        return Empty()
    if isinstance(element, TupleType):
        return Columns(tuple([empty_list(b, ListType(k)) for k in element.parts]))
    check_elements(b, kind)
    dtype = dtype_of(b, element)
    if is_dense(element):
        return Items(b.constant(np.zeros((0, *item_shape(element)), dtype)))
    return b.empty_sequence(dtype, len(item_shape(element)))


def to_list(b: Builder, values: list[Any], kind: ListType) -> Any:
    """Build a list from its items."""
    element = kind.element
    if not values or element is None:
        return empty_list(b, kind)
    values = [coerce(b, v, element) for v in values]
    if isinstance(element, TupleType):
        columns = zip(zip(*values, strict=True), element.parts, strict=True)
        return Columns(tuple([to_list(b, list(c), ListType(k)) for c, k in columns]))
    check_elements(b, kind)
    if is_dense(element):
        return Items(b.concat([b.unsqueeze(v, 0) for v in values], 0))
    return b.sequence("SequenceConstruct", values, dtype_of(b, element), values[0].ndim)


def length(b: Builder, value: Any) -> Value:
    """Return the length of an array, list or iterable."""
    if isinstance(value, Iterable):
        return value.length
    if isinstance(value, Empty):
        return b.constant(0, INT)
    if isinstance(value, Columns):
        return length(b, value.parts[0])
    if isinstance(value, Items):
        return b.dim(value.tensor, 0)
    if value.is_sequence:
        return b.node("SequenceLength", [value], INT, 0)
    return b.dim(value, 0)


def nonzero(b: Builder, value: Value) -> Value:
    """Return the truth value of each element."""
    if value.dtype.kind == "U":
        return b.logical_not(b.equal(value, b.constant(np.array("", "U"))))
    return b.cast(value, BOOL)


def truth(b: Builder, value: Any) -> Value:
    """Return the truth value of a value. The run fails for an array of several elements."""
    if isinstance(value, Maybe):  # None is false
        return b.logical_and(value.is_bound, truth(b, value.held))
    if not isinstance(value, Value) or value.is_sequence:
        return b.op("Greater", length(b, value), b.constant(0, INT), dtype=BOOL)
    return b.scalar(nonzero(b, value))
