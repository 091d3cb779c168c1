"""Lists, deques, sets and dicts of the graph that are objects.

A staged list is a value at first: a change gives its handle another value. That serves a list with one name.
An item of another container has several, so once such a list changes it becomes an object, together with all
lists that may be the same one or contain it. Their handles then hold references, and the graph changes the
lists in place, as Python does.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import weakref
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Sequence
from typing import Any

from .... import staging
from ....core.active_backends import active_backend
from ....errors import AliasError
from ....staging.state.aliases import found_among, move
from ....staging.state.escapes import is_made_in_trace
from ....staging.state.growing_lists import GrowLists
from ....staging.state.heap import is_older
from ....staging.state.statement import Restage, Statement
from ....values.selected_container import STAGE_SOURCES, SelectedContainer, SelectedList, raw_items
from ...ir.graph import Node
from ...ir.type_merging import conversion, merge_types, referenced
from ...ir.types import (
    ListType,
    TupleType,
    bound_type,
    holds,
    holds_lists,
    holds_references,
    is_reference,
)
from ..recording import add, is_staged, output
from ..tensor import Optional, Staged, wrap
from ..trace import Builder, current_builder
from .list_aliases import ListAliases
from .objects import known_node

IS_ITEM = "it is an item of a list, which would have to change too"
"""Why an item of a staged list cannot be written to in place."""


class MakeObjects(Restage):
    """End a capture that changes a list that has to be an object, where the graph began with the list."""

    def __init__(self, handle: Any):
        super().__init__([])
        self.handle = handle

    def refusal(self) -> AliasError:
        """Return the error for a list that cannot become an object where the graph began with it."""
        kind = self.handle.python_class.__name__
        return AliasError(
            f"a {kind} changes that got another name, or became an item, in a staged part of the function",
            why="it would have to be an object of the graph before that part",
            remedy=f"create the {kind} before the branch, loop or 'try', or give a copy to the other name",
        )

    def stage(self, statement: Statement) -> None:
        builder: Builder | None = current_builder()
        if builder is not self.handle.made_in:
            while builder is not None and builder is not self.handle.made_in:
                builder = builder.parent
            raise self if builder is not None else self.refusal()
        statement.forget()
        for value, handle in make_objects(self.handle):
            statement.move(value, handle)
        statement.keep_selected()
        statement.restore()


def as_object(handle: Any) -> Any:
    """Make an object of a staged list, and of those that it is an item of; return the list."""
    if not handle.is_reference:
        first = _outermost(handle)
        if callable(first.home):
            found, first.lost = first.home(), ""
            first.replace_node(found.node())
        if not handle.is_reference:
            begin(first)
    return handle


def _outermost(handle: Any) -> Any:
    """Return the outermost list that contains a list as a value."""
    while isinstance(handle.home, Staged) and not handle.home.is_reference:  # type: ignore[attr-defined]
        handle = handle.home
    return handle


def stage_item(statement: Statement, value: list[Any]) -> bool:
    """Make an object of a plain list that is an item of a staged one; return whether it is one."""
    node = known_node(value)
    if node is None:
        return False
    handle: Any = wrap(node)
    handle.shared = IS_ITEM
    for plain, staged in begin(handle):
        statement.move(plain, staged)
    statement.restore()
    return True


def item_as_object(container: Any, key: Any) -> Any:
    """Return an item of a plain or selected container as an object of the graph, in which it is staged."""
    if isinstance(container, SelectedContainer):
        container = container.find_object()  # type: ignore[misc]
    elif not is_staged(container):
        container = staged_container(container)
    item = container[key]
    return as_object(item) if isinstance(getattr(item, "type", None), ListType) else item


def _stage_sources(selected: Any) -> None:
    """Have the lists that a condition selects staged before it, if they are older than a branch or body."""
    is_graph = selected.find_object is None and hasattr(active_backend(), "staged_container")
    lists = [source for source in selected.sources if type(source) is list and is_graph]
    if any(map(is_older, lists)) and not is_older(selected):
        selected.lose()
        raise GrowLists(lists)


STAGE_SOURCES.append(_stage_sources)


def staged_container(container: Any) -> Any:
    """Put a staged list or dict in the place of a plain one, and make objects of its items."""
    staged = staged_in_place(container)
    if not staged.is_reference and holds_lists(staged.type.element) and not holds_references(staged.type):
        begin(staged)
    return staged


def _part_of(find: Callable[[], Any], index: int) -> Any:
    return find()[index]


def note_item(item: Any, container: Any, find_object: Callable[[], Any]) -> None:
    """Note how an item of a plain container is found as an object, and the lists in it."""
    if isinstance(item, SelectedList) or isinstance(getattr(item, "type", None), ListType):
        current_builder().root.registry.found.append((weakref.ref(item), container))
    if isinstance(getattr(item, "type", None), ListType):
        if item.is_reference:
            return
        item.home = find_object
    elif isinstance(item, SelectedList):
        item.find_object = functools.partial(_in_place_of, item, find_object)
    if isinstance(item, (SelectedList, tuple)):
        for i, part in enumerate(raw_items(item)):
            note_item(part, container, functools.partial(_part_of, find_object, i))


def lose_items(container: Any) -> None:
    """Refuse later uses of lists that may be items of a plain container, which a staged one replaces."""
    root = current_builder().root
    items = [found() for found, source in root.registry.found if source is container]
    lists = [found() for found in root.registry.handles if items]
    for item in (*items, *(v for v in lists if v is not None and v.shared and v.home is None)):
        if item is not None:
            item.lose()


def _in_place_of(selected: Any, find_object: Callable[[], Any]) -> Any:
    """Put an object in the place of a selected list, wherever the traced code refers to that."""
    found = find_object()
    _take_place(
        selected, found, "that a staged index selects", "use the list at its index: rows[i].append(x)"
    )
    return found


def _take_place(value: Any, staged: Any, which: str, remedy: str) -> None:
    """Put a staged list in the place of another list.

    `which` and `remedy` are for the error if the other list has further names.
    """
    is_free = functools.partial(is_made_in_trace, active_backend(), ())
    move(value, staged, str, is_free, is_pending_allowed=True)
    if found_among([value]):
        raise AliasError(
            f"a list {which} is changed, and other code refers to the list too",
            why="a staged list takes its place, to which the other name would not refer",
            remedy=remedy,
        )


def begin(handle: Any) -> list[tuple[list[Any], Any]]:
    """Make an object of a list in the graph that began with the list.

    Return the plain lists that became objects, too, with the staged lists that take their places.

    Raises:
        AliasError: it belongs to another function of the program, which calls itself.
        MakeObjects: it is older than the branch or body that is being captured.
    """
    builder = current_builder()
    others = [*ListAliases(handle).handles()]
    if any(isinstance(other, Optional) for other in others):
        handle.fail(
            "is changed, and may have another name, or be in a list that has one, and that name may be None",
            "the change would have to reach that name",
            "change a copy: list(items)",
            AliasError,
        )
    outermost = min([handle, *others], key=lambda h: h.made_in.level)
    if outermost.made_in.level < handle.made_in.level:
        handle = outermost
    if builder is handle.made_in:
        return make_objects(handle)
    if builder.recursion is not handle.made_in.recursion:
        handle.fail(
            "is changed in a function that calls itself",
            "a list that is an item of another one would have to be an object before the first call",
            "change an item of the list in the function that creates it",
            AliasError,
        )
    raise MakeObjects(handle)


def make_objects(handle: Any) -> list[tuple[list[Any], Any]]:
    """Make objects of all lists that may be items of the same containers as a list, or of the list.

    Return the plain lists among them, with the staged lists that take their places.
    """
    builder = current_builder()
    aliases = ListAliases(handle)
    if aliases.are_tied():
        handle.fail(
            "is changed, and a loop before has given it another name, or stored it in another list",
            "the loop may have left a copy of it",
            "store a copy in the loop: items.append(list(x))",
            AliasError,
        )
    handles = [handle, *(h for h in aliases.handles() if h is not handle)]
    for older in [h for h in handles if h.made_in is not builder]:
        older.lost = "it may be a list that has become an object after it got another name"
    handles = [h for h in handles if h.made_in is builder]
    plain = [(value, _staged_plain(value, node)) for value, node in aliases.plain_lists()]
    handles += [handle for _, handle in plain]
    kinds = [referenced(h.type, builder) for h in handles]
    _merge_all(kinds)
    nodes = [h.node() for h in handles]
    if len(nodes) == 1:
        made = [_reference(nodes[0], kinds[0])]
    else:
        both = add("tuple", nodes, TupleType(tuple([n.type for n in nodes])))
        whole = _reference(both, TupleType(tuple(kinds)))
        made = [output(whole, i, kind) for i, kind in enumerate(kinds)]
    for one, node in zip(handles, made, strict=True):
        one.replace_node(node)
    return plain


def _note_reference(found: list[Any], part: Any) -> bool:
    if is_reference(part):
        found.append(part)
    return False


def _merge_all(kinds: Sequence[Any]) -> None:
    """Let references in several types that may be equal have one referent."""
    found: list[list[Any]] = [[] for _ in kinds]
    for kind, own in zip(kinds, found, strict=True):
        holds(kind, functools.partial(_note_reference, own))
    for i, own in enumerate(found):
        for one, other in itertools.product(own, (part for parts in found[:i] for part in parts)):
            if _depth(one) == _depth(other):
                with contextlib.suppress(TypeError):
                    merge_types(other, one)


def _depth(kind: Any) -> int:
    return 1 + _depth(kind.element) if isinstance(kind, ListType) else 0


def _reference(node: Node, kind: Any) -> Node:
    return add("reference", (node,), kind, conversion=conversion(node.type, kind))


def _staged_plain(value: list[Any], node: Node) -> Any:
    """Put a staged list in the place of a plain one that is an item, wherever traced code refers to it."""
    if is_older(value):
        raise GrowLists([value])
    known_node(value)  # raises if it has changed
    handle: Any = wrap(node)
    handle.shared = IS_ITEM
    current_builder().root.selected.forget(value)
    _note_staged(value, handle)
    remedy = "store a copy in the staged list: items.append(list(x))"
    _take_place(value, handle, "that is an item of a staged list", remedy)
    return handle


def note_merged(kind: Any, *values: Any) -> None:
    """Have lists become objects before a branch or loop, if they are objects where another path ends.

    `kind` is the common type of values of two paths, or before and after an iteration.
    """
    for value in values:
        if type(value) is list and holds_references(kind):
            note_merged(bound_type(kind).element, *value)
        elif has_other_form(value, kind):
            first = _outermost(value)
            if first.is_in_scope:
                raise MakeObjects(first)


def has_other_form(value: Any, kind: Any) -> bool:
    """Return whether a staged list, or its items, are objects where another path ends."""
    if not (holds_references(kind) and is_staged(value) and isinstance(value.type, ListType)):
        return False
    return conversion(value.origin.type, bound_type(kind)) is not None


def _note_staged(value: Any, staged: Any) -> None:
    current_builder().root.registry.replaced[id(value)] = value, staged


def staged_before(value: Any) -> Any:
    """Return the staged list that has taken the place of a plain one, or the value if there is none."""
    _, staged = current_builder().root.registry.replaced.get(id(value), (None, None))
    return value if staged is None or not staged.is_in_scope else staged


def items_node(values: Any) -> Node:
    """Return the node of a list whose items become items of a container of objects."""
    if holds_lists(values.type.element) and not holds(values.type.element, is_reference):
        begin(values)
    return values.node()


OBJECTS = (set, deque, defaultdict, Counter)
"""Containers that a staged index selects as objects."""
MAKERS: dict[Any, str] = {
    list: "staged_list",
    deque: "staged_deque",
    set: "staged_set",
    **dict.fromkeys((dict, Counter, defaultdict), "staged_dict"),
}
"""The methods of the backend that make staged containers."""


def staged_in_place(value: Any) -> Any:
    """Return a staged list in the place of a plain one, wherever the traced code refers to that."""
    backend: Any = active_backend()
    make = MAKERS.get(type(value))
    if make is None:
        raise AliasError(
            f"an item of a {type(value).__name__} that a staged value selects is changed",
            why="which one changes is known only when the graph runs",
            remedy="use a list or a dict in its place",
        )
    if type(value) is list and is_older(value):
        raise GrowLists([value])
    staged, other = staging.staged_in_place(backend, value, getattr(backend, make))
    _note_staged(value, staged)
    if other:
        raise AliasError(
            f"a {type(value).__name__} is stored in a staged container, and {other} also refers to it",
            why="a staged one takes its place, to which the other name would not refer",
            remedy="store a copy",
        )
    return staged
