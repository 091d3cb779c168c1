"""The types that nodes must have, told from their inputs, for ops that have a cheap rule."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from ..errors import StagingError
from .ir import Node
from .record import UFUNCS, operator_type
from .types import ArrayType, GeneratorType, ListType, MaybeType, ScalarType, StagedType, TupleType


def agree(one: StagedType | None, other: StagedType | None) -> bool:
    """Whether a value can be of both types; None is a variable that is unbound."""
    if one is None or other is None:
        return True
    if isinstance(one, MaybeType) and isinstance(other, MaybeType):
        return True  # a variable that may be unbound is brought to its type where it is checked
    if isinstance(one, MaybeType):
        return agree(one.held, other)
    if isinstance(other, MaybeType):
        return agree(one, other.held)
    if isinstance(one, ArrayType) and isinstance(other, ArrayType):
        return (
            one.dtype == other.dtype
            and one.ndim == other.ndim
            and all(a is None or b is None or a == b for a, b in zip(one.shape, other.shape, strict=True))
        )
    if isinstance(one, (ListType, TupleType)) and isinstance(other, (ListType, TupleType)):
        return True  # their elements may be brought to a type that holds them all
    return one == other


def _operator(node: Node) -> StagedType | None:
    kinds = [i.type for i in node.inputs]
    if any(isinstance(k, (ListType, TupleType)) for k in kinds):
        return ScalarType(bool) if node.op in ("eq", "ne") else ListType(None)
    if len(kinds) == 2:
        kinds = [_text_beside_array(n, k, o) for n, k, o in zip(node.inputs, kinds, kinds[::-1], strict=True)]
    if ScalarType(str) in kinds and any(isinstance(k, ArrayType) for k in kinds):
        return None
    try:
        return _ruled(node.op, tuple(kinds))
    except StagingError:
        return None


def _text_beside_array(node: Node, kind: Any, other: Any) -> Any:
    """Text that stands for itself, since its length tells the type of the result."""
    is_text = kind == ScalarType(str) and node.op == "constant" and isinstance(other, ArrayType)
    return node.attrs["value"] if is_text else kind


@lru_cache(4096)
def _ruled(op: str, kinds: tuple[Any, ...]) -> StagedType:
    return operator_type(op, kinds)


def _dimension(node: Node) -> StagedType:
    [array] = node.inputs
    if not isinstance(array.type, ArrayType) or node.attrs["axis"] >= array.type.ndim:
        raise TypeError(f"{array.type} has no axis {node.attrs['axis']}")
    return ScalarType(int)


def _convert(node: Node) -> StagedType:
    [value] = node.inputs
    if not isinstance(value.type, (ArrayType, ScalarType)):
        raise TypeError(f"{value.type} has no dtype")
    return ArrayType(node.attrs["dtype"], value.type.shape if isinstance(value.type, ArrayType) else ())


def _item(node: Node) -> StagedType:
    return ScalarType(type(np.ones((), node.inputs[0].type.dtype).item()))


def _with_shape(node: Node) -> StagedType:
    shape = node.attrs["args"][1]
    if not isinstance(node.inputs[0].type, ArrayType) or node.inputs[0].type.ndim != len(shape):
        raise TypeError(f"{node.inputs[0].type} has no shape {shape}")
    return ArrayType(node.inputs[0].type.dtype, shape)


def _same_as_first(node: Node) -> StagedType | None:
    return node.inputs[0].type


def _list(node: Node) -> StagedType:
    if not isinstance(node.inputs[0].type, ListType):
        raise TypeError(f"{node.inputs[0].type} is no list")
    return ListType(None)


def _list_item(node: Node) -> None:
    _list(node)


def _always(kind: StagedType) -> Callable[[Node], StagedType]:
    return lambda _: kind


TYPERS: dict[str, Callable[[Node], StagedType | None]] = {
    **dict.fromkeys(UFUNCS, _operator),
    **{kind.__name__: _always(ScalarType(kind)) for kind in (int, float, bool, complex, str)},
    **dict.fromkeys(("not_", "contains", "any", "all"), _always(ScalarType(bool))),
    "len": _always(ScalarType(int)),
    "text": _always(ScalarType(str)),
    "dimension": _dimension,
    "convert": _convert,
    "item": _item,
    **dict.fromkeys(("setitem", "add_at", "same"), _same_as_first),
    "check_bound": _same_as_first,
    "with_shape": _with_shape,
    "default_rng": _always(GeneratorType()),
    **dict.fromkeys(("list", "iterate", "sorted"), _always(ListType(None))),
    **dict.fromkeys(
        ("list_copy", "list_append", "list_set", "list_add_at", "list_zeros", "list_sum", "list_insert"),
        _list,
    ),
    **dict.fromkeys(("list_get", "list_pop"), _list_item),
}
"""The type of a node, or an error that its inputs make; None is any type."""
