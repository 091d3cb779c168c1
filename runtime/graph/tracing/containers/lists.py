"""Record operations on staged lists."""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ....core.active_backends import active_backend
from ....errors import AliasError, MismatchError, StagingError, UnsupportedFunctionError
from ....staging import identity, is_optional
from ....staging.state.missing_values import whole
from ....values.selected_container import SelectedList
from ...ir.graph import Node, Slot
from ...ir.list_operations import RETURNING
from ...ir.subgraphs import Loop
from ...ir.type_merging import merge_types
from ...ir.types import (
    ArrayType,
    DequeType,
    ListType,
    MaybeType,
    ObjectType,
    OptionalType,
    ScalarType,
    SetType,
    TupleType,
    bound_type,
    constant_type,
    holds_references,
)
from ..recording import Arguments, add, is_staged, outputs, record, record_call, to_node
from ..tensor import Optional, Scalar, some
from ..trace import current_builder
from . import objects, references, stand_ins
from .references import IS_ITEM

NOTHING = OptionalType(None)  # type: ignore[arg-type]
"""The type of None as an item of a list."""


def staged_list(values: Sequence[Any]) -> Any:
    nodes = [element_node(v) for v in values]
    if any(holds_references(node.type) for node in nodes):
        nodes = [stored_node(v) for v in values]
    return list_of(nodes)


def list_of(nodes: Sequence[Node], noun: str = "a list") -> Any:
    """Return a staged list of nodes, whose types are merged. `noun` is what errors say it becomes."""
    element = None
    for node in nodes:
        element = merge_element_types(element, node.type, noun)
    return record("list", nodes, ListType(element))


def list_type(values: Iterable[Any]) -> ListType | None:
    """Return the type of a list, deque or set of plain or staged values, or None if it cannot be staged."""
    element = None
    try:
        for value in values:
            kind = _element_type(value)
            if kind is None:
                return None
            element = kind if element is None else merge_types(element, kind)
    except TypeError:
        return None
    if isinstance(values, deque):
        return DequeType(element, values.maxlen)
    return SetType(element) if isinstance(values, set) else ListType(element)


def _element_type(value: Any) -> Any:
    if value is None:
        return NOTHING
    if is_optional(value):
        held = _element_type(value.ag__parts)
        return None if held is None else OptionalType(held)
    if type(value) is tuple:
        parts = tuple(map(_element_type, value))
        return None if None in parts else TupleType(parts)
    value = stand_ins.leaf_of(value)
    if is_staged(value):
        kind = value.origin.type if isinstance(value.type, ListType) else value.type
        return kind.held if isinstance(kind, MaybeType) else kind
    return constant_type(value)


def _mark_as_item(value: Any) -> None:
    """Forbid writes to a value that is added to a staged list, since they would not change the list."""
    if hasattr(value, "assign_add"):
        raise StagingError(
            "a Variable is appended to a staged list",
            why="a staged list contains values, not references to Variables",
            remedy="append its value: v.read_value()",
        )
    if hasattr(value, "shared"):
        value.shared = IS_ITEM


def item_node(target: Any, value: Any) -> Node:
    """Return the node of a value that becomes an item of a list."""
    if isinstance(value, Node):
        return value
    if holds_objects(target):
        return stored_node(value)
    node = element_node(value)
    if holds_references(node.type) and target.type.element is not None:
        references.begin(target)
    return node


def stored_node(value: Any) -> Node:
    """Return the node of a value that becomes an item of a container of objects."""
    if type(value) is tuple:
        parts = [*map(stored_node, value)]
        return add("tuple", parts, TupleType(tuple([p.type for p in parts])))
    if isinstance(value, SelectedList):
        value = value.as_object()
    value = references.staged_before(value)
    if type(value) in references.MAKERS and type(value) is not dict:
        value = references.staged_in_place(value)
    value = stand_ins.leaf_of(value)
    if is_staged(value) and isinstance(value.type, ListType):
        return references.as_object(value).node()
    node = None if is_staged(value) else objects.object_node(value, stored_node)
    return element_node(value) if node is None else node


def holds_objects(target: Any) -> bool:
    """Return whether lists in a list are objects."""
    return target.is_reference or holds_references(target.type.element)


def list_append(target: Any, value: Any) -> Any:
    node = item_node(target, value)
    return record(
        "list_append", (target, node), ListType(merge_element_types(target.type.element, node.type))
    )


def merge_element_types(element: Any, kind: Any, noun: str = "a list") -> Any:
    """Return the element type of a list after adding a value. `element` is None for an empty list."""
    if element is None or kind is None:
        return kind or element
    try:
        return merge_types(element, kind)
    except TypeError as error:
        raise MismatchError(
            f"{noun} whose length depends on staged values has items of two types, {element} and {kind}",
            why=f"its items are known only when the graph runs, so they must have one type: {error}",
            remedy="append values of one type",
        ) from None


def element_node(value: Any) -> Node:
    value = stand_ins.leaf_of(value)
    if is_optional(value) and value.ag__is_known():
        value = whole(value)
    if is_optional(value) and isinstance(value.ag__parts, (tuple, stand_ins.StandIn)):
        held = _part_node(value.ag__parts)
        return add("none_or", (value.ag__marker, held), OptionalType(bound_type(held.type)))
    if isinstance(value, (*references.OBJECTS, SelectedList)):
        return stored_node(value)
    if type(value) is tuple:
        parts = [element_node(v) for v in value]
        return current_builder().add("tuple", parts, {}, TupleType(tuple([p.type for p in parts])))
    if value is None:
        return current_builder().constant(None, NOTHING)
    if isinstance(value, Optional) and active_backend().is_known(value):
        value = some(value)
    if type(value) is list:
        return objects.item_node(value, lambda: staged_list(value).node())
    if not is_staged(value) and constant_type(value) is None:
        node = objects.object_node(value, element_node)
        if node is not None:
            return node
    if isinstance(value, Optional) and isinstance(value.type.held, ListType):
        _mark_as_item(value)
    if isinstance(value, np.ndarray):
        objects.keep_unchanged(value, _change_of_array())
    is_single = not is_staged(value) or isinstance(value, (Optional, Scalar, stand_ins.InstanceReference))
    if not is_single and (
        value.is_mutable or isinstance(value.type, ListType) or getattr(bound_type(value.type), "shape", ())
    ):
        _mark_as_item(value)
    return to_node(value)


def _change_of_array() -> AliasError:
    return AliasError(
        "an array that is an item of a staged list is changed afterwards",
        why="the item has the contents that it had when it was stored, and the change does not reach it",
        remedy="store a copy: items.append(x.copy())",
    )


def _tuple_node(value: Any) -> Node:
    """Return the node of a tuple that may be None, whose parts are missing then."""
    parts = [*map(_part_node, value)]
    kinds = tuple([p.type.held if isinstance(p.type, MaybeType) else p.type for p in parts])
    return add("tuple", parts, TupleType(kinds))


def _part_node(value: Any) -> Node:
    value = stand_ins.leaf_of(value)
    if type(value) is tuple:
        return _tuple_node(value)
    held = value.type.held if is_staged(value) and isinstance(value.type, MaybeType) else None
    if held is None:
        return element_node(value)
    if getattr(held, "shape", isinstance(held, ListType)):
        _mark_as_item(value)
    return to_node(value)


def compared_node(value: Any) -> Node:
    """Return the node of a value that is compared with the items of a list."""
    node = element_node(value)
    method: Any = node.type.kind.__eq__ if isinstance(node.type, ObjectType) else None
    if method in (object.__eq__, identity.is_same):
        identity.refuse_identity(value, value)
    return node


def list_pop(target: Any, index: Any) -> tuple[Any, Any]:
    if target.type.element is None:
        raise IndexError("pop from empty list")
    rest, item = outputs(add("list_pop", (target, index), None), (target.type, target.type.element))
    return rest, of_list(target, item)


def list_update(target: Any, method: str, args: Sequence[Any]) -> tuple[Any, Any]:
    """Record a change of a list: return the changed list, and the item that the method returns or None."""
    kind = target.type
    if kind.element is None and method in RETURNING - {"heappushpop"}:
        raise IndexError("index out of range" if method.startswith("heap") else "pop from an empty deque")
    nodes = [item_node(target, v) for v in args]
    if method.startswith("extend"):
        kind = replace(kind, element=merge_element_types(kind.element, nodes[0].type.element))
    elif method not in ("remove", "sort", "rotate") and nodes:
        kind = replace(kind, element=merge_element_types(kind.element, nodes[-1].type))
    node = add("list_update", (target, *nodes), None, method=method)
    kinds = (kind, kind.element) if method in RETURNING else (kind,)
    changed, *item = outputs(node, kinds)
    return changed, of_list(target, item[0]) if item else None


def staged_deque(values: Any, maxlen: int | None) -> Any:
    """Return a staged deque with the items of a plain or staged list."""
    items = staged_list(list(values)) if isinstance(values, (list, deque)) else values
    return record("deque", (items,), DequeType(items.type.element, maxlen), maxlen=maxlen)


def of_list(target: Any, item: Any) -> Any:
    """Note that a value is an item of a list, so that a change of it has to reach the list."""
    if type(item) is tuple:
        for part in item:
            of_list(target, part)
    elif is_staged(item) and isinstance(item.type, ListType):
        item.home = target
    return item


def list_copy(target: Any) -> Any:
    return record("list_copy", (target,), target.type)


def list_concatenate(first: Any, second: Any) -> Any:
    empty = second.type.element is None
    kind = first.type if empty else ListType(merge_element_types(first.type.element, second.type.element))
    return record("add", (first, second), kind)


def list_equal(first: Any, second: Any, name: str = "eq") -> Any:
    """Compare two lists of numbers for equality, or for inequality if `name` is "ne"."""
    if isinstance(second, list):
        second = staged_list(second)
    if not isinstance(getattr(second, "type", None), ListType):
        return NotImplemented
    for element in (first.type.element, second.type.element):
        if _compares_as_array(element):
            raise UnsupportedFunctionError(
                f"two staged lists of {element} are compared",
                why="comparing two array items yields an array, which has no single truth value",
                remedy="compare the items in a loop, or compare np.stack(a) with np.stack(b)",
            )
    return record(name, (first, second), ScalarType(bool))


def _compares_as_array(kind: Any) -> bool:
    """Return whether a comparison of values of a type may give an array."""
    if isinstance(kind, (TupleType, ObjectType)):
        return any(map(_compares_as_array, kind.parts))
    if isinstance(kind, ListType):
        return _compares_as_array(kind.element)
    return isinstance(kind, ArrayType) and bool(kind.shape)


def list_get(target: Any, key: Any) -> Any:
    if isinstance(key, slice):
        arguments = Arguments([to_node(target)])
        args = (Slot(0), *arguments.templates(key))
        return record_call("getitem", operator.getitem, arguments.inputs, args, {}, target.type)
    if target.type.element is None:
        raise IndexError("list index out of range")
    item = record("list_get", (target, key), target.type.element)
    if is_staged(item):
        item.shared = IS_ITEM
    return of_list(target, item)


def list_set(target: Any, key: Any, value: Any) -> Any:
    node = item_node(target, value)
    kind = replace(target.type, element=merge_element_types(target.type.element, node.type))
    return record("list_set", (target, key, node), kind)


def known_length(node: Node) -> int | None:
    """Return the length of a list that loops over values of known length create, or None.

    >>> known_length(Node("list", (), {}, ListType(None)))
    0
    """
    if node.op == "list":
        return len(node.inputs)
    if node.op == "list_copy":
        return known_length(node.inputs[0])
    if node.op != "output" or node.inputs[0].op != "for":
        return None
    loop, index = Loop(node.inputs[0]), node.attrs["index"]
    first, added = known_length(loop.initial[index]), loop.results[index]
    count = _iterations(loop.node.inputs[1])
    is_one = added.op == "list_append" and added.inputs[0] is loop.carried[index]
    tests = loop.node.inputs[0], loop.body.results[0]
    if first is None or count is None or not is_one or not all(t.attrs.get("value") is True for t in tests):
        return None
    return first + count


def _iterations(iterated: Node) -> int | None:
    """Return how many items a loop goes over, or None if only the running graph knows."""
    if isinstance(iterated.type, ArrayType):
        return iterated.type.shape[0]
    if iterated.op in ("enumerate", "reversed"):
        return _iterations(iterated.inputs[0])
    if iterated.op == "zip":
        counts = [*map(_iterations, iterated.inputs)]
        return None if None in counts else min(counts, default=0)  # type: ignore[type-var]
    if iterated.op == "range":
        bounds = [i.attrs.get("value") for i in iterated.inputs if i.op == "constant"]
        return len(range(*bounds)) if len(bounds) == len(iterated.inputs) else None  # type: ignore[arg-type]
    return known_length(iterated)
