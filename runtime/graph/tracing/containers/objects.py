"""Objects and lists as items of staged lists.

The graph creates an object with the attributes that it has when it is stored. A later change would have to
reach the item, so it is an error, for an object that is stored as for one that is read.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

from ....core.active_backends import CAPTURES
from ....core.in_flight import running
from ....errors import AliasError, LeakError
from ....staging.state.object_merging import is_mergeable, own_attributes
from ....values.structures import CONTAINERS
from ...ir.graph import Node, Slot
from ...ir.types import AlternativesType, ListType, ObjectType, StagedType
from ..recording import add, is_staged, wrap
from ..selected_values import SELECTABLE
from ..tensor import STRUCTURES
from ..trace import Builder, current_builder, using_builder
from . import stand_ins


def attributes_of(value: Any) -> dict[str, Any] | None:
    """Return the attributes of an object that can be an item of a list, or None for another value."""
    if isinstance(value, tuple):
        fields = getattr(value, "_fields", None)
        return None if fields is None else dict(zip(fields, value, strict=True))
    if type(value) is dict:
        return value if all(type(key) in (str, int) for key in value) else None
    return own_attributes(value) if is_mergeable(value) else None


def object_node(value: Any, node_of_part: Callable[[Any], Node]) -> Node | None:
    """Return the node of an object that becomes an item, or None if it cannot be one."""
    attributes = attributes_of(value)
    if attributes is None:
        return None
    stand_ins.refuse_plain(value)

    def make() -> Node:
        parts = [node_of_part(v) for v in attributes.values()]
        kind = ObjectType(type(value), tuple(attributes), tuple([p.type for p in parts]))
        slots = tuple([Slot(i) for i in range(len(parts))])
        function = maker(kind.kind, kind.names)
        return add("new_object", parts, kind, function=function, args=slots, kwargs={})

    return item_node(value, make)


def item_node(value: Any, make: Callable[[], Node]) -> Node:
    """Return the node of a list or object that becomes an item: the one that it has, or a new one.

    The graph creates it where the traced code did, so that all iterations of a loop store one object.
    """
    node = known_node(value)
    if node is not None:
        return node
    builder = current_builder()
    home = _home_of(value)
    try:
        with using_builder(home):
            home.root.selected.add_item(value, make(), home)
    except LeakError:  # a part is newer than the value: the check at the end of the trace will fail
        if home is builder:
            raise
        builder.root.selected.add_item(value, make(), builder)
    return known_node(value)  # type: ignore[return-value]


def _home_of(value: Any) -> Builder:
    """Return the builder of the graph in which the traced code created a list or object."""
    builder = current_builder()
    older = (i for i, heap in enumerate(CAPTURES.heaps) if id(value) in heap.reached)
    first = next(older, builder.depth) if running.flight is None else builder.depth
    while builder.depth > first and builder.parent is not None:
        builder = builder.parent
    return builder


def known_node(value: Any) -> Node | None:
    """Return the current graph's node of a list or object that is an item already, or None."""
    builder = current_builder()
    found = builder.root.selected.node_of(value)
    return builder.capture(*found) if found is not None and found[1].open else None


def object_of(node: Node) -> Any:
    """Return an object whose attributes are staged values, for an item of a list."""
    kind: ObjectType = node.type
    parts = [_attribute(node, name, part) for name, part in zip(kind.names, kind.parts, strict=True)]
    value = new_object(kind.kind, kind.names, *parts)
    builder = current_builder()
    builder.root.selected.add_item(value, node, builder)
    return value


STRUCTURES[ObjectType] = object_of


def _attribute(node: Node, name: str, kind: StagedType) -> Any:
    get = getter(name, is_item=node.type.kind is dict)
    value = wrap(add("attribute", [node], kind, function=get, args=(Slot(0),), kwargs={}))
    if is_staged(value):
        value.shared = "it is an attribute of an item of a list, which would have to change too"
    return value


@functools.cache
def getter(name: str, *, is_item: bool) -> Callable[[Any], Any]:
    """Return one function for each name, so that equal graphs have equal attributes."""
    return operator.itemgetter(name) if is_item else operator.attrgetter(name)


@functools.lru_cache(maxsize=4096)
def maker(kind: type, names: tuple[str, ...]) -> Callable[..., Any]:
    """Return one function for each class and its attributes."""
    return functools.partial(new_object, kind, names)


def new_object(kind: Any, names: Sequence[str], *parts: Any) -> Any:
    """Return an instance of a class with given attributes, without calling its constructor."""
    if kind is dict:
        return dict(zip(names, parts, strict=True))
    if issubclass(kind, tuple):
        return tuple.__new__(kind, parts)
    value = object.__new__(kind)
    for name, part in zip(names, parts, strict=True):
        object.__setattr__(value, name, part)
    return value


# Values that may not change until the trace ends


def is_stand_in(value: Any) -> bool:
    """Return whether several values of the trace may stand for the object that this one stands for."""
    if is_staged(value):
        return bool(value.shared) or isinstance(value.type, AlternativesType)
    if stand_ins.leaf_of(value) is not value:
        return True
    return current_builder().root.selected.knows(value)


def is_selected_object(value: Any) -> bool:
    """Return whether a value is an object that staged conditions select, rather than an item of a list."""
    if is_staged(value) or isinstance(value, (*SELECTABLE, *CONTAINERS, stand_ins.StandIn)):
        return False
    if not is_stand_in(value):
        return False
    return known_node(value) is None


def holds_instances(value: Any, kind: type) -> bool:
    """Return whether a value is a staged list whose items have instances of a class in them."""

    def holds(of: Any) -> bool:
        if isinstance(of, ObjectType) and of.kind is kind:
            return True
        inner = [of.element] if isinstance(of, ListType) else getattr(of, "parts", ())
        return any(map(holds, inner))

    return is_staged(value) and holds(value.type)


def keep_unchanged(value: Any, error: AliasError | None = None) -> None:
    """Refuse later changes of a value that a staged condition selects."""
    current_builder().root.selected.add(value, error)


def refuse_selected(value: Any) -> None:
    current_builder().root.selected.refuse_change(value)


def count_selected() -> int:
    return len(current_builder().root.selected)


def is_needed(what: str) -> bool:
    """Return whether an earlier trace has failed for want of something: see `AutographError.needs`."""
    return what in current_builder().root.instance_kinds.needs


def forget_selected(count: int) -> None:
    """Forget the values that a capture that is repeated has noted, beyond the first so many."""
    current_builder().root.selected.forget_since(count)
