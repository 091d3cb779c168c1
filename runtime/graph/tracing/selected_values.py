"""Plain values that may not change until the end of a trace.

A plain array, deque or set that a staged condition has selected: a change would have to reach the result. A
list or object that is an item of a staged list: a change would have to reach the item.
"""

from __future__ import annotations

import operator
import weakref
from collections import deque
from typing import Any

import numpy as np

from ...errors import AliasError
from ...staging.state.object_merging import own_attributes
from ..ir.graph import Node

SELECTABLE = np.ndarray, deque, set
_NOUNS = dict(zip(SELECTABLE, ("an array", "a deque", "a set"), strict=True))


class ListRegistry:
    """What a trace knows about its lists."""

    def __init__(self) -> None:
        self.handles: list[weakref.ref[Any]] = []
        """The staged lists."""
        self.replaced: dict[int, tuple[Any, Any]] = {}
        """The plain lists in whose places there are staged ones, by id, with these."""
        self.found: list[tuple[weakref.ref[Any], Any]] = []
        """Items that were read from plain containers by staged keys, with the containers."""
        self.changed_types: list[Any] = []
        """For each change of an object's type, the builder of the graph that created the object."""


class Printed:
    """What the traces of a function have printed."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._count = 0

    def begin(self) -> None:
        """Begin another trace, which prints again what the one before has printed."""
        self._count = 0

    def is_new(self, text: str) -> bool:
        """Return whether no trace before has printed the next text."""
        known = self._texts[self._count : self._count + 1]
        if known != [text]:
            self._texts[self._count :] = [text]
        self._count += 1
        return known != [text]


class InstanceKinds:
    """The classes whose instances are objects of the graph, and what else former traces have found out.

    A function may define a class itself. Then each trace has its own, so classes are known by their names.
    """

    def __init__(self) -> None:
        self._errors: dict[tuple[str, str], Exception] = {}
        self.stored: dict[type, None] = {}
        """The classes of other objects that have become items of staged lists."""
        self.created: dict[type, None] = {}
        """The classes of other objects that the traced code has created."""
        self.needs: set[str] = set()
        """For want of what traces have failed, as in `AutographError.needs`."""
        self.printed = Printed()

    def add(self, kind: type, error: Exception) -> None:
        """Add a class, with the error to raise where its instances cannot be objects of the graph."""
        self._errors[kind.__module__, kind.__qualname__] = error

    def error_of(self, kind: type) -> Exception | None:
        """Return the error that was given with a class, or None if it is none of these classes."""
        return self._errors.get((kind.__module__, kind.__qualname__))


class SelectedValues:
    """The values that a staged condition has selected, and those that are items of staged lists."""

    def __init__(self) -> None:
        self._entries: dict[int, tuple[Any, Any, AliasError]] = {}
        self._nodes: dict[int, tuple[Node, Any]] = {}

    def add(self, value: Any, error: AliasError | None = None) -> None:
        """Note a selected value. By default the error has the place of the condition."""
        error = error or AliasError(
            f"{_NOUNS[type(value)]} that a staged condition selects is changed afterwards",
            why="whether its other name refers to the same object is known only when the graph runs",
            remedy="select a copy: y = x.copy()",
        )
        self._entries.setdefault(id(value), (value, _contents(value), error))

    def add_item(self, value: Any, node: Node, owner: Any) -> None:
        """Note a list or object that is an item, and its node in the graph of a builder."""
        error = AliasError(
            f"a {type(value).__name__} that is an item of a staged list is changed afterwards",
            why="the item has the contents that it had when it was stored or read, and the change does not "
            "reach it",
            remedy="store a changed copy in its place: items[i] = changed",
        ).about(value)
        self._nodes[id(value)] = node, owner
        self._entries.setdefault(id(value), (value, _contents(value), error))

    def node_of(self, value: Any) -> tuple[Node, Any] | None:
        """Return the node and builder of an unchanged item, or None for another value."""
        if id(value) in self._nodes:
            self._check(*self._entries[id(value)])
        return self._nodes.get(id(value))

    def items(self) -> list[tuple[Any, Node]]:
        """Return the lists and objects that are items, with their nodes in graphs under construction."""
        return [(self._entries[key][0], n) for key, (n, owner) in self._nodes.items() if owner.open]

    def forget(self, value: Any) -> None:
        del self._entries[id(value)], self._nodes[id(value)]

    def forget_since(self, count: int) -> None:
        """Forget all but the first so many values."""
        for key in [*self._entries][count:]:
            del self._entries[key]
            self._nodes.pop(key, None)

    def __len__(self) -> int:
        return len(self._entries)

    def knows(self, value: Any) -> bool:
        return id(value) in self._entries

    def refuse_change(self, value: Any) -> None:
        """Raise if a staged value is about to take the place of a selected one."""
        if id(value) in self._entries:
            raise self._entries[id(value)][2]

    def check(self) -> None:
        """Raise if the traced code has changed one."""
        for entry in self._entries.values():
            self._check(*entry)

    def _check(self, value: Any, before: Any, error: AliasError) -> None:
        now = _contents(value)
        if isinstance(now, bytes):
            is_same = now == before
        else:
            is_same = len(now) == len(before) and all(map(operator.is_, now, before))
        if not is_same:
            raise error


def _contents(value: Any) -> bytes | list[Any]:
    """Return the bytes of an array, or the parts of another value, which are other objects after a change."""
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if isinstance(value, (deque, set, list, tuple)):
        return [*value]
    if type(value) is dict:
        return [*value, *value.values()]
    return [*own_attributes(value).values()]
