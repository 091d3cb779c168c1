"""Recording what is done to staged lists."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from ..errors import MismatchError, StagingError, UnsupportedFunctionError
from . import refused
from .ir import Node, Slot
from .merging import merge_types
from .record import Arguments, add, output, recorded, to_node, wrap
from .trace import current, scalar_type
from .types import ListType, ScalarType, TupleType


def staged_list(values: Sequence[Any]) -> Any:
    """A staged list that holds plain or staged values."""
    nodes = [element_node(v) for v in values]
    element = None
    for node in nodes:
        element = _merged(element, node.type)
    return wrap(add("list", nodes, ListType(element)))


def list_type(values: Sequence[Any]) -> ListType | None:
    """The type of a list of plain or staged values; None where it cannot be staged."""
    element = None
    try:
        for value in values:
            kind = _element_type(value)
            if kind is None:
                return None
            element = kind if element is None else merge_types(element, kind)
    except TypeError:
        return None
    return ListType(element)


def _element_type(value: Any) -> Any:
    if type(value) is tuple:
        parts = tuple(map(_element_type, value))
        return None if None in parts else TupleType(parts)
    return getattr(value, "type", None) or scalar_type(value)


def _share(value: Any) -> None:
    """What a list holds is not written by another name: the list's item would have to change too."""
    if hasattr(value, "assign_add"):
        raise StagingError(
            "a Variable is appended to a staged list",
            why="such a list holds values, and a Variable is where a value is kept",
            remedy="append its value: v.read_value()",
        )
    if hasattr(value, "shared"):
        value.shared = "is an item of a list, which would have to change too"


def list_append(target: Any, value: Any) -> Any:
    node = value if isinstance(value, Node) else element_node(value)
    return wrap(add("list_append", (target, node), ListType(_merged(target.type.element, node.type))))


def _merged(element: Any, kind: Any) -> Any:
    """The element type of a list that gets a value; None while it is empty."""
    if element is None:
        return kind
    try:
        return merge_types(element, kind)
    except TypeError as error:
        raise MismatchError(
            f"a list whose length depends on staged values gets values of two types, {element} and {kind}",
            why=f"which item is which is known only when the graph runs, and they have one type: {error}",
            remedy="append values of one type",
        ) from None


def element_node(value: Any) -> Node:
    if type(value) is tuple:
        parts = [element_node(v) for v in value]
        return current().add("tuple", parts, {}, TupleType(tuple([p.type for p in parts])))
    if getattr(value, "in_place", False) or getattr(value, "ndim", 0):
        _share(value)
    if isinstance(value, (tuple, list)):
        raise StagingError(
            "a list is appended to a list whose length depends on staged values",
            why="such a list holds numbers, arrays, and tuples of these",
            remedy="append an array (np.array(items)) or a tuple",
        )
    return to_node(value)


def list_pop(target: Any, index: Any) -> tuple[Any, Any]:
    if target.type.element is None:
        raise IndexError("pop from empty list")
    node = add("list_pop", (target, index), None)
    return wrap(output(node, 0, target.type)), wrap(output(node, 1, target.type.element))


def list_copy(target: Any) -> Any:
    return wrap(add("list_copy", (target,), target.type))


def list_concatenate(first: Any, second: Any) -> Any:
    empty = second.type.element is None
    kind = first.type if empty else ListType(_merged(first.type.element, second.type.element))
    return wrap(add("add", (first, second), kind))


def list_repeat(target: Any, count: Any) -> Any:
    return wrap(add("mul", (target, count), target.type))


def list_equal(first: Any, second: Any, name: str = "eq") -> Any:
    """Whether two lists of numbers are equal, or with `name` "ne" whether they are not."""
    if isinstance(second, list):
        second = staged_list(second)
    if not isinstance(getattr(second, "type", None), ListType):
        return NotImplemented
    for element in (first.type.element, second.type.element):
        if not (element is None or isinstance(element, ScalarType) or getattr(element, "shape", None) == ()):
            raise UnsupportedFunctionError(
                f"staged lists of {element} are compared",
                why="Python would compare arrays item by item, which has no single truth value",
                remedy="compare their items in a loop, or np.stack them and compare the arrays",
            )
    return wrap(add(name, (first, second), ScalarType(bool)))


def list_get(target: Any, key: Any) -> Any:
    if isinstance(key, slice):
        taken = Arguments()
        taken.inputs.append(to_node(target))
        template, _ = taken.take(key)
        return recorded("getitem", operator.getitem, taken.inputs, (Slot(0), template), {}, target.type)
    if target.type.element is None:
        raise IndexError("list index out of range")
    made = wrap(add("list_get", (target, key), target.type.element))
    if hasattr(made, "shared"):
        made.shared = "is an item of a list, which would have to change too"
    return made


def list_set(target: Any, key: Any, value: Any) -> Any:
    if isinstance(key, slice):
        raise refused.slice_of_list()
    kind = ListType(_merged(target.type.element, to_node(value).type))
    return wrap(add("list_set", (target, key, value), kind))
