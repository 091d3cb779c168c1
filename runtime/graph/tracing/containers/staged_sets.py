"""Staged sets."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from ....core.active_backends import active_backend
from ....debugging.tracebacks import is_augmented_assignment, user_frame
from ....staging.branches.exceptions import raise_in_program
from ...ir.types import SetType
from ..recording import record
from ..tensor import Staged, register_class
from . import lists, references
from .staged_keyed import BOOL, StagedKeyed, key_node
from .staged_lists import StagedList


def _compared(method: str) -> Callable[[Any, Any], Any]:
    return lambda self, other: record(method, (self, staged_set(other)), BOOL)


def _computed(name: str) -> Callable[..., Any]:
    """Return a method of which Python makes another set. A changed copy would have another order."""

    def compute(self: Any, *others: Any) -> Any:
        if not others:
            return self.copy()
        other, more = others[0], others[1:]
        is_list = isinstance(other, (list, tuple, StagedList)) and not isinstance(other, StagedKeyed)
        if is_list and name == "difference":
            result = self.copy()
            more = others
        else:
            members = lists.list_of([*map(key_node, other)]) if isinstance(other, (list, tuple)) else other
            members = members if is_list else staged_set(members)
            kinds = self.type.element, members.type.element if name == "symmetric_difference" else None
            kind = SetType(lists.merge_element_types(*kinds, self.noun))
            result = record(f"set_{name}", (self, members), kind)
        for another in more:
            if name == "intersection":
                result = result.intersection(another)
            else:
                result.difference_update(another)
        return result

    return compute


def _changed(method: str) -> Callable[..., Any]:
    def change(self: Any, other: Any) -> Any:
        getattr(self, method)(other)
        return self

    return change


def _compared_with_sets(method: str, *, other: bool) -> Callable[[Any, Any], Any]:
    """Return a comparison with other sets. With what is no set, its result is `other`."""
    compare = _compared(method)
    kinds = set, frozenset
    return lambda self, value: compare(self, value) if isinstance(value, (StagedSet, *kinds)) else other


def _after_plain(operation: str, change: str) -> Callable[[Any, Any], Any]:
    """Return the operator of a plain set and a staged one. `plain |= staged` changes the plain set."""

    def combine(self: Any, plain: Any) -> Any:
        if not isinstance(plain, (set, frozenset)):
            return NotImplemented
        frame = user_frame(sys._getframe(1))
        if type(plain) is set and frame is not None and is_augmented_assignment(frame):
            staged = references.staged_in_place(plain)
            getattr(staged, change)(self)
            return staged
        return getattr(staged_set(plain), operation)(self)

    return combine


class StagedSet(StagedKeyed):
    """A `set` in the graph."""

    __slots__ = ()

    noun, copy_remedy = "a set", "assign a copy to the other name, or return a copy: members.copy()"
    python_class = set

    def add(self, value: Any) -> None:
        node = key_node(value)
        self.change("add", [node], node.type)

    def discard(self, value: Any) -> None:
        self.change("discard", [key_node(value)])

    def remove(self, value: Any) -> None:
        self.require(value)
        self.change("remove", [key_node(value)])

    def pop(self) -> Any:  # type: ignore[override]
        if self.type.element is None:
            raise_in_program(KeyError("pop from an empty set"))
        return self.change("pop", result=self.type.element)

    def copy(self) -> Any:
        return record("set_of", (self,), self.type)

    def update(self, *others: Any) -> None:
        self._update("update", others)

    def intersection_update(self, *others: Any) -> None:
        self._update("intersection_update", others)

    def difference_update(self, *others: Any) -> None:
        self._update("difference_update", others)

    def symmetric_difference_update(self, other: Any) -> None:
        self._update("symmetric_difference_update", (other,))

    def _update(self, method: str, others: Sequence[Any]) -> None:
        for other in others:
            members = staged_set(other)
            self.change(method, [members], members.type.element)

    issubset = __le__ = _compared("issubset")
    issuperset = __ge__ = _compared("issuperset")
    isdisjoint = _compared("isdisjoint")
    __eq__, __ne__ = _compared_with_sets("eq", other=False), _compared_with_sets("ne", other=True)
    __hash__ = Staged.__hash__

    def __lt__(self, other: Any) -> Any:
        return active_backend().and_(self <= other, lambda: self != other)

    def __gt__(self, other: Any) -> Any:
        return active_backend().and_(self >= other, lambda: self != other)

    def union(self, *others: Any) -> Any:
        result = self.copy()
        result.update(*others)
        return result

    __or__ = union
    intersection = __and__ = _computed("intersection")
    difference = __sub__ = _computed("difference")
    symmetric_difference = __xor__ = _computed("symmetric_difference")

    __ror__ = _after_plain("union", "update")
    __rand__ = _after_plain("intersection", "intersection_update")
    __rsub__ = _after_plain("difference", "difference_update")
    __rxor__ = _after_plain("symmetric_difference", "symmetric_difference_update")

    __ior__, __iand__ = _changed("update"), _changed("intersection_update")
    __isub__, __ixor__ = _changed("difference_update"), _changed("symmetric_difference_update")


def staged_set(values: Any) -> Any:
    """Return a staged set of the members of a plain or staged set or list."""
    if isinstance(values, StagedSet):
        return values
    if isinstance(values, (set, frozenset, list, tuple)):
        values = lists.list_of([key_node(value) for value in values], "a set")
    elif not isinstance(values, StagedList):
        values = active_backend().call_builtin(list, (values,), {})
        if isinstance(values, list):
            return staged_set(values)
    return record("set_of", (values,), SetType(values.type.element))


def new_set(values: Any) -> Any:
    """Return a new staged set: `set(values)`."""
    return values.copy() if isinstance(values, StagedSet) else staged_set(values)


register_class(SetType, StagedSet, "staged set", "builtins.set")
