"""Infer the types of nodes from their inputs, for the ops with a cheap rule."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from ...errors import StagingError
from ..ir.graph import Node
from ..ir.types import (
    NULLABLE_TYPES,
    ArrayType,
    GeneratorType,
    ListType,
    MaybeType,
    ScalarType,
    StagedType,
    TupleType,
    bound_type,
)
from ..rules.ufuncs import UFUNCS, operator_type


def are_compatible(first: StagedType | None, other: StagedType | None) -> bool:
    """Return whether a value can have both types. None is the type of an unbound variable."""
    if first is None or other is None:
        return True
    if isinstance(first, MaybeType) and isinstance(other, MaybeType):
        return True  # the type is checked where the variable is read
    if isinstance(first, NULLABLE_TYPES) or isinstance(other, NULLABLE_TYPES):
        return are_compatible(bound_type(first), bound_type(other))
    if isinstance(first, ArrayType) and isinstance(other, ArrayType):
        return (
            first.dtype == other.dtype
            and first.ndim == other.ndim
            and all(a is None or b is None or a == b for a, b in zip(first.shape, other.shape, strict=True))
        )
    if isinstance(first, (ListType, TupleType)) and isinstance(other, (ListType, TupleType)):
        return True  # their elements may be converted to a common type
    return first == other


_operator_type = lru_cache(4096)(operator_type)


def _operator_result(node: Node) -> StagedType | None:
    kinds = [i.type for i in node.inputs]
    if any(isinstance(k, (ListType, TupleType)) for k in kinds):
        return ScalarType(bool) if node.op in ("eq", "ne") else ListType(None)
    if len(kinds) == 2:
        kinds = [_text_beside_array(n, k, o) for n, k, o in zip(node.inputs, kinds, kinds[::-1], strict=True)]
    if ScalarType(str) in kinds and any(isinstance(k, ArrayType) for k in kinds):
        return None
    try:
        return _operator_type(node.op, tuple(kinds))
    except StagingError:
        return None


def _text_beside_array(node: Node, kind: Any, other: Any) -> Any:
    """Return `kind`, or the string itself for a constant beside an array: its length determines the dtype."""
    is_text = kind == ScalarType(str) and node.op == "constant" and isinstance(other, ArrayType)
    return node.attrs["value"] if is_text else kind


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


def _with_shape(node: Node) -> StagedType:
    shape = node.attrs["args"][1]
    if not isinstance(node.inputs[0].type, ArrayType) or node.inputs[0].type.ndim != len(shape):
        raise TypeError(f"{node.inputs[0].type} has no shape {shape}")
    return ArrayType(node.inputs[0].type.dtype, shape)


def _list_type(node: Node) -> StagedType:
    if not isinstance(node.inputs[0].type, ListType):
        raise TypeError(f"{node.inputs[0].type} is not a list")
    return ListType(None)


def _list_item(node: Node) -> StagedType | None:
    if node.op == "list_get" and node.inputs[0].type == ScalarType(str):
        return ScalarType(str)
    _list_type(node)
    return None


def _constant_type(kind: StagedType) -> Callable[[Node], StagedType]:
    return lambda _: kind


TYPE_INFERENCE: dict[str, Callable[[Node], StagedType | None]] = {
    **dict.fromkeys(UFUNCS, _operator_result),
    **{kind.__name__: _constant_type(ScalarType(kind)) for kind in (int, float, bool, complex, str)},
    **dict.fromkeys(
        ("not_", "contains", "any", "all", "is_none", "is_same"), _constant_type(ScalarType(bool))
    ),
    **dict.fromkeys(
        (
            "bit_count",
            "bit_length",
            "len",
            "find",
            "list_index",
            "list_count",
            "bisect_left",
            "bisect_right",
            "min_position",
            "max_position",
        ),
        _constant_type(ScalarType(int)),
    ),
    **dict.fromkeys(("text", "join"), _constant_type(ScalarType(str))),
    "dimension": _dimension,
    "convert": _convert,
    "item": lambda node: ScalarType(type(np.ones((), node.inputs[0].type.dtype).item())),
    **dict.fromkeys(
        ("setitem", "add_at", "same", "check_bound", "some", "zeros_of"), lambda node: node.inputs[0].type
    ),
    "with_shape": _with_shape,
    "default_rng": _constant_type(GeneratorType()),
    **dict.fromkeys(("list", "iterate", "sorted"), _constant_type(ListType(None))),
    **dict.fromkeys(
        (
            "list_copy",
            "list_some",
            "list_append",
            "list_set",
            "list_add_at",
            "list_zeros",
            "list_sum",
            "list_insert",
        ),
        _list_type,
    ),
    **dict.fromkeys(("list_get", "list_pop", "list_update"), _list_item),
}
"""Functions that return the type of a node, or None for any type. They raise for invalid inputs."""
