"""Staged lists and deques, whose length is known only when the graph runs."""

from __future__ import annotations

import sys
import weakref
from collections import deque
from collections.abc import Iterator
from typing import Any, NoReturn

from ....backends.builtins import DISPATCHING
from ....core.active_backends import active_backend
from ....core.in_flight import running
from ....debugging.tracebacks import opcode_of, user_frame
from ....errors import AliasError, UnsupportedFunctionError
from ...ir.graph import Node
from ...ir.types import DequeType, ListType, ScalarType, is_reference
from .. import recording
from ..tensor import LENGTH_NEEDED, Scalar, Staged, Tensor, register_class
from ..trace import current_builder, is_tracing
from . import lists, object_updates, references

_NO_METHOD = "the length of the list depends on staged values, and the graph has no operation for this"


class StagedList(Staged):
    """A Python list in the graph, whose elements have one type."""

    __slots__ = ("home", "lost", "made_in", "optional", "taken_from", "viewed")

    noun, copy_remedy = "a list", "assign a copy to the other name, or return a copy: items.copy()"
    python_class: type = list

    def __init__(self, node: Node, owner: Any, base: Any = None):
        super().__init__(node, owner, base)
        self.made_in = owner
        self.home: Any = None
        """The list that it is an item of, or a function that returns it as an object, if one is known."""
        self.optional: Any = None
        """The value that may be None of which it is the list, whose changes are changes of that."""
        self.lost = ""
        """Why it cannot be used any more."""
        self.viewed: Any = None
        """The set or dict of which it is a view, with the method that returns the view."""
        self.taken_from: list[Any] = []
        """What Python would take its items from one by one, as `map` and `filter` do."""
        if is_tracing():
            current_builder().root.registry.handles.append(weakref.ref(self))

    @property
    def is_reference(self) -> bool:
        """Return whether the list is an object, which all its names share, rather than a value."""
        return is_reference(self._node.type)

    @property
    def type(self) -> Any:
        kind = self._node.type
        return kind.held if is_reference(kind) else kind

    @property
    def shared(self) -> str:
        return "" if self.is_reference else self._shared

    @shared.setter
    def shared(self, reason: str) -> None:
        Staged.shared.fset(self, reason)  # type: ignore[attr-defined]
        if self.optional is not None:
            self.optional.shared = reason

    def write(self, value: Any) -> None:
        super().write(value)
        if self.optional is not None:
            self.optional.write(self)

    def link_to(self, value: Any) -> None:
        """Have changes of the list be changes of a value that may be None or unbound, too."""
        self.optional, self.has_other_name = value, lambda: True

    def node(self) -> Node:
        if self.lost:
            self.fail("is used", self.lost, self.copy_remedy, AliasError)
        if self.viewed is not None:
            owner, method = self.viewed
            if owner.is_reference or self._node.inputs[0] is not owner._node:  # noqa: SLF001 - of the family
                self.replace_node(getattr(owner, method)()._node)  # noqa: SLF001
        return super().node()

    def lose(self) -> None:
        """Refuse later uses, because a change of the list would not be seen."""
        if not self.is_reference:
            self.lost = "the list has become an object of the graph since it was read"

    def replace_node(self, node: Node) -> None:
        """Refer to another form of the same list."""
        builder = current_builder()
        if builder.journal is not None:
            builder.journal.append((self, self._owner, self._node))
        self._node, self._owner = node, builder
        self.version += 1

    def begin_change(self) -> bool:
        """Return whether the list is an object that is changed in place. An item of a list becomes one."""
        is_shared = type(self) is StagedList and self.shared and not self.is_argument
        is_shared = is_shared and running.flight is None  # a `try` cannot be captured from outside of it
        if self.home is not None or is_shared:
            references.as_object(self)
        return self.is_reference

    @property
    def ag__name(self) -> str:
        return self.noun

    def append(self, value: Any) -> None:
        if self.begin_change() or lists.holds_objects(self):
            self.update("append", value)
        else:
            self.write(lists.list_append(self, value))

    def extend(self, values: Any) -> None:
        if not isinstance(values, (list, tuple, StagedList)):
            values = DISPATCHING[id(list)](values)
        if self.begin_change():
            self.update("extend", values if isinstance(values, StagedList) else lists.staged_list(values))
        elif isinstance(values, StagedList):
            self.write(lists.list_concatenate(self, values))
        else:
            for value in values:
                self.append(value)

    def update(self, method: str, *args: Any) -> Any:
        """Call a method of lists, or a function of `heapq` or `bisect`, that changes the list."""
        if self.begin_change():
            return object_updates.object_update(self, method, args)
        changed, item = lists.list_update(self, method, args)
        self.write(changed)
        return item

    def insert(self, index: Any, value: Any) -> None:
        self.update("insert", index, value)

    def remove(self, value: Any) -> None:
        self.update("remove", value)

    def reverse(self) -> None:
        self.update("reverse")

    def sort(self, *, key: Any = None, reverse: bool = False) -> None:
        if key is None:
            self.update("sort", reverse)
        else:
            self.assign(active_backend().call_builtin(sorted, (self,), {"key": key, "reverse": reverse}))

    def assign(self, values: StagedList) -> None:
        """Replace all items."""
        if self.begin_change():
            self.update("assign", values)
        else:
            self.write(values)

    def index(self, value: Any) -> Any:
        return recording.record("list_index", (self, lists.compared_node(value)), ScalarType(int))

    def count(self, value: Any) -> Any:
        return recording.record("list_count", (self, lists.compared_node(value)), ScalarType(int))

    def pop(self, index: Any = -1) -> Any:
        if self.begin_change():
            return object_updates.object_update(self, "take", (index,))
        rest, value = lists.list_pop(self, index)
        self.write(rest)
        return value

    def copy(self) -> Any:
        return lists.list_copy(self)

    def clear(self) -> None:
        self.assign(lists.staged_list([]))

    def __delitem__(self, key: Any) -> None:
        if isinstance(key, slice):
            self.replace_slice(key, [])
        else:
            self.pop(key)

    def replace_slice(self, key: slice, values: Any) -> None:
        """`self[start:stop] = values`. Its bounds may be negative, out of range or crossed."""
        call: Any = active_backend().call_builtin
        if key.step is not None and (recording.is_staged(key.step) or key.step != 1):
            remedy = "assign to one item after the other, or build another list"
            what, why = "has a slice with a step that is replaced", "the graph has no operation for it"
            self.fail(what, why, remedy, UnsupportedFunctionError)
        if isinstance(values, Scalar) or (isinstance(values, Tensor) and not values.ndim):
            [][:] = 0  # type: ignore[call-overload] # raises
        if not isinstance(values, StagedList) and not recording.is_staged(values):
            made: list[Any] = []
            made[:] = values
            values = made
        values = values if isinstance(values, (list, StagedList)) else call(list, (values,), {})
        before = lists.staged_list([]) if key.start is None else self[: key.start]
        after = lists.staged_list([]) if key.stop is None else self[key.stop :]
        length = call(len, (self,), {})
        start, rest = call(len, (before,), {}), call(len, (after,), {})
        stop = call(max, (start, length - rest), {})
        self.assign(before + values + self[stop:])

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__") or not hasattr(list, name):
            raise AttributeError(f"'list' object has no attribute '{name}'")
        remedy = "use append, extend, pop, del or indexing, or use an array"
        self.fail(f"has no {name}()", _NO_METHOD, remedy, UnsupportedFunctionError)

    def __iadd__(self, values: Any) -> Any:
        self.extend(values)
        return self

    def __add__(self, values: Any) -> Any:
        result = self.copy()
        result.extend(values)
        return result

    def __radd__(self, values: list[Any]) -> Any:
        return lists.staged_list(values) + self

    def __mul__(self, count: Any) -> Any:
        return recording.record("mul", (self, count), self.type)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> Any:
        return lists.list_equal(self, other)

    def __ne__(self, other: object) -> Any:
        return lists.list_equal(self, other, "ne")

    __hash__ = Staged.__hash__

    def __getitem__(self, key: Any) -> Any:
        return lists.list_get(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, slice):
            self.replace_slice(key, value)
        elif self.begin_change():
            object_updates.object_update(self, "put", (key, value))
        else:
            self.write(lists.list_set(self, key, value))

    def __len__(self) -> NoReturn:  # noqa: PLE0303 - fail() raises
        self.fail(*LENGTH_NEEDED)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.unpacked())

    def unpacked(self) -> list[Any]:
        frame = user_frame(sys._getframe(1))
        if frame is not None and opcode_of(frame) in ("CALL_FUNCTION_EX", "LIST_EXTEND"):  # `f(*self)`
            length = lists.known_length(self.node())
            if length is not None:
                return [self[i] for i in range(length)]
        return super().unpacked()


class StagedDeque(StagedList):
    """A `collections.deque` in the graph."""

    __slots__ = ()

    noun, copy_remedy = "a deque", "assign a copy to the other name, or return a copy: items.copy()"
    python_class = deque

    @property
    def maxlen(self) -> int | None:
        return self.type.maxlen

    def append(self, value: Any) -> None:
        self.update("append", value)

    def appendleft(self, value: Any) -> None:
        self.update("appendleft", value)

    def extend(self, values: Any, method: str = "extend") -> None:
        items = DISPATCHING[id(list)](values)
        self.update(method, lists.staged_list(items) if isinstance(items, list) else items)

    def extendleft(self, values: Any) -> None:
        self.extend(values, "extendleft")

    def pop(self) -> Any:  # type: ignore[override]
        return self.update("pop")

    def popleft(self) -> Any:
        return self.update("popleft")

    def rotate(self, count: Any = 1) -> None:
        self.update("rotate", count)

    def clear(self) -> None:
        self.update("clear")

    def copy(self) -> Any:
        return lists.staged_deque(self, self.maxlen)

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        remedy = "use append, appendleft, extend, pop, popleft, rotate, clear and indexing"
        why = "the graph has no operation for it"
        self.fail("does not support this operation", why, remedy, UnsupportedFunctionError)

    __delitem__ = replace_slice = __mul__ = __rmul__ = __eq__ = __ne__ = __radd__ = sort = _refuse
    __hash__ = Staged.__hash__


register_class(ListType, StagedList, "staged list", "builtins.list")
register_class(DequeType, StagedDeque, "staged deque", "collections.deque")
