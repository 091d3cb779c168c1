"""Staged sets and dicts, whose members and keys are known only when the graph runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NoReturn

from ....containers.ordering import raise_if
from ....core.active_backends import active_backend
from ....core.in_flight import running
from ....errors import StagingError, UnsupportedFunctionError
from ....staging.branches.exceptions import raise_in_program
from ...ir.graph import Node
from ...ir.types import (
    InstanceType,
    ListType,
    ObjectType,
    ScalarType,
    StagedType,
    bound_type,
    is_plain,
)
from ..recording import add, is_staged, outputs, record
from ..tensor import Staged
from . import lists, object_updates, references
from .staged_lists import StagedList
from .stand_ins import StandIn

BOOL = ScalarType(bool)
REMOVING = frozenset(("clear", "delete", "discard", "pop", "popitem", "remove", "take", "take_or"))
_REFUSED = "the graph has no operation for it"


class StagedKeyed(StagedList):
    """A set or a dict. Iterating over it yields its members or its keys."""

    __slots__ = ("changes",)

    python_class: type

    def __init__(self, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        self.changes: frozenset[str] = frozenset()
        """The methods that have changed it."""

    @property
    def key_type(self) -> StagedType | None:
        return self.type.element

    def as_list(self) -> Any:
        return record("iterate", (self,), ListType(self.key_type), function=list)

    def as_view(self) -> Any:
        """Return a view of the members or keys."""
        return self.viewed_by(self.as_list(), "as_view")

    def viewed_by(self, items: Any, method: str) -> Any:
        """Return a list as the view of the object that a method returns."""
        items.viewed = self, method
        return items

    def clear(self) -> None:
        self.change("clear")

    def change(
        self,
        method: str,
        nodes: Sequence[Any] = (),
        element: StagedType | None = None,
        result: StagedType | None = None,
    ) -> Any:
        """Record a method that changes the object; return what the method returns, if its type is given.

        `element` is the type of what the method adds.
        """
        self.changes |= {method}
        if self.begin_change():
            return object_updates.update(self, method, nodes, element, result)
        kind = replace(self.type, element=lists.merge_element_types(self.type.element, element, self.noun))
        node = add("list_update", (self, *nodes), None, method=method)
        changed, *results = outputs(node, (kind,) if result is None else (kind, result))
        self.write(changed)
        return results[0] if results else None

    def require(self, key: Any) -> None:
        """Where a `try` of the traced code may catch it, raise the KeyError before the operation."""
        if self.type.element is None:
            raise_in_program(KeyError(key))
        if running.flight is not None:
            backend = active_backend()
            missing = backend.not_(record("contains", (self, key_node(key)), BOOL))
            raise_if(backend, missing, KeyError(key))

    def __getattr__(self, name: str) -> NoReturn:
        kind = self.python_class
        if name.startswith("__") or not hasattr(kind, name):
            raise AttributeError(f"'{kind.__name__}' object has no attribute '{name}'")
        remedy = "use its other methods, or a list"
        self.fail(f"has no {name}()", _REFUSED, remedy, UnsupportedFunctionError)

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        self.fail("does not support this operation", _REFUSED, "use its methods", UnsupportedFunctionError)

    append = extend = insert = reverse = sort = index = count = _refuse
    __add__ = __radd__ = __iadd__ = __mul__ = __rmul__ = __delitem__ = __setitem__ = _refuse
    __getitem__ = _refuse
    __hash__ = Staged.__hash__


def key_node(value: Any) -> Node:
    """Return the node of a member of a set or a key of a dict.

    Raises:
        TypeError: the value cannot be hashed.
    """
    if isinstance(value, (list, dict, set)):
        raise TypeError(f"unhashable type: '{type(value).__name__}'")
    node = lists.element_node(value)
    if isinstance(bound_type(node.type), (ObjectType, InstanceType)):
        hash(value)  # raises for an object that has no hash
        raise _refused()
    if not is_plain(node.type):
        raise TypeError(
            f"unhashable type: '{'list' if isinstance(node.type, ListType) else 'numpy.ndarray'}'"
        )
    return node


def value_node(value: Any) -> Node:
    if is_object(value):
        return lists.stored_node(value)
    if not isinstance(value, dict):
        node = lists.element_node(value)
        if is_plain(node.type):
            return node
    raise _refused()


def _refused() -> StagingError:
    return StagingError(
        "an array or an object is stored in a set, or in a dict whose keys depend on staged values",
        why="they can contain only numbers, text and tuples of these, and dicts also lists, deques and sets",
        remedy="keep the values in a list, and their positions in the set or dict",
    )


def is_object(value: Any) -> bool:
    """Return whether a value is a list, deque, set or defaultdict, or an object of the graph."""
    kind = type(value)
    if kind is list or kind in references.OBJECTS or isinstance(value, StandIn):
        return True
    return is_staged(value) and isinstance(value.type, ListType)
