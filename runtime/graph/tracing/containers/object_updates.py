"""Changes of lists, deques, sets and dicts that are objects of the graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....core.active_backends import active_backend
from ....errors import AliasError
from ....staging.branches.exceptions import raise_in_program
from ...ir.graph import Node
from ...ir.list_operations import RETURNING
from ...ir.type_merging import conversion, widen
from ...ir.types import DequeType, ReferenceType, bound_type, holds_references
from ..recording import add, is_staged
from ..tensor import wrap
from ..trace import current_builder
from . import lists, references


def object_update(target: Any, method: str, args: Sequence[Any]) -> Any:
    """Record a change of a list that is an object, and return the item that the method returns, or None."""
    kind = target.type
    is_taken = method in RETURNING | {"take"} and method != "heappushpop"
    if kind.element is None and is_taken:
        if method.startswith("heap"):
            raise_in_program(IndexError("index out of range"))
        name = "an empty deque" if isinstance(kind, DequeType) else "empty list"
        raise_in_program(IndexError(f"pop from {name}"))
    if method in ("extend", "extendleft", "assign"):
        nodes = [references.items_node(args[0])]
        element = nodes[0].type.element
    else:
        nodes = [lists.stored_node(v) for v in args]
        is_adding = method not in ("remove", "sort", "rotate", "take") and nodes
        element = nodes[-1].type if is_adding else None
    return update(target, method, nodes, element, kind.element if is_taken else None)


def update(target: Any, method: str, nodes: Sequence[Node], element: Any = None, result: Any = None) -> Any:
    """Record a change of an object, and return what the method returns, of type `result`.

    `element` is the type of what the method adds.
    """
    reference: ReferenceType = target.origin.type
    if element is not None:
        _widen(reference, element)
    made = add("reference_update", (target, *nodes), result, effect=True, method=method)
    return None if result is None else wrap(made)


def _widen(reference: ReferenceType, element: Any) -> None:
    kind = reference.held
    merged = lists.merge_element_types(kind.element, element, f"a {type(kind).__name__[:-4].lower()}")
    try:
        widen(reference.referent, type(kind)(merged, *_options(kind)))
    except TypeError:
        raise AliasError(
            "a list becomes an item of itself",
            why="its type would contain itself",
            remedy="store a copy, or an index",
        ) from None


def _options(kind: Any) -> tuple[Any, ...]:
    return tuple([getattr(kind, name) for name in ("maxlen", "factory") if hasattr(kind, name)])


def converted(value: Any, kind: Any) -> Any:
    """Return a value that a branch or body leaves in the form of a type that may have references to lists.

    Raises:
        AliasError: the value is an item of a staged list, too.
        MakeObjects: it is older than the branch or body.
    """
    if not holds_references(kind):
        return value
    if is_staged(value):
        if references.has_other_form(value, kind):
            references.as_object(value)
        return value
    if current_builder().root.selected.knows(value):
        raise AliasError(
            "a list is stored in a staged list, and changes by another name",
            why="the change would have to reach the item",
            remedy="store a copy: items.append(list(x))",
        )
    is_deep = type(value) is list and holds_references(bound_type(kind).element)
    items = [lists.stored_node(item) for item in value] if is_deep else value
    backend: Any = active_backend()
    make = getattr(backend, references.MAKERS[type(value)])
    node = (lists.list_of(items) if is_deep else make(value)).node()
    return add("reference", (node,), kind, conversion=conversion(node.type, bound_type(kind)))
