"""Staged lists and deques, whose length is known only when the graph runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

from ....core.active_backends import active_backend
from ....errors import UnsupportedFunctionError
from ...ir.types import DequeType, ListType, ScalarType
from .. import recording
from ..tensor import LENGTH_NEEDED, Staged, register_class
from . import lists

_NO_METHOD = "the length of the list depends on staged values, and the graph has no operation for this"


class StagedList(Staged):
    """A Python list in the graph, whose elements have one type."""

    __slots__ = ()

    noun, copy_remedy = "a list", "assign a copy to the other name, or return a copy: items.copy()"

    @property
    def name(self) -> str:
        return self.noun

    def append(self, value: Any) -> None:
        self.write(lists.list_append(self, value))

    def extend(self, values: Any) -> None:
        if not isinstance(values, (list, tuple, StagedList)):
            values = active_backend().call_builtin(list, (values,), {})
        if isinstance(values, StagedList):
            self.write(lists.list_concatenate(self, values))
            return
        for value in values:
            self.append(value)

    def update(self, method: str, *args: Any) -> Any:
        """Call a method of lists, or a function of `heapq` or `bisect`, that changes the list."""
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
            self.write(active_backend().call_builtin(sorted, (self,), {"key": key, "reverse": reverse}))

    def index(self, value: Any) -> Any:
        return recording.record("list_index", (self, lists.compared_node(value)), ScalarType(int))

    def count(self, value: Any) -> Any:
        return recording.record("list_count", (self, lists.compared_node(value)), ScalarType(int))

    def pop(self, index: Any = -1) -> Any:
        rest, value = lists.list_pop(self, index)
        self.write(rest)
        return value

    def copy(self) -> Any:
        return lists.list_copy(self)

    def clear(self) -> None:
        self.write(lists.staged_list([]))

    def __delitem__(self, key: Any) -> None:
        if isinstance(key, slice):
            remedy = "build a list of the items to keep: [x for x in items if ...]"
            self.fail("does not support deleting a slice", _NO_METHOD, remedy, UnsupportedFunctionError)
        self.pop(key)

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
        self.write(lists.list_set(self, key, value))

    def __len__(self) -> NoReturn:  # noqa: PLE0303 - fail() raises
        self.fail(*LENGTH_NEEDED)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.unpacked())


class StagedDeque(StagedList):
    """A `collections.deque` in the graph."""

    __slots__ = ()

    noun, copy_remedy = "a deque", "assign a copy to the other name, or return a copy: items.copy()"

    @property
    def maxlen(self) -> int | None:
        return self.type.maxlen

    def append(self, value: Any) -> None:
        self.update("append", value)

    def appendleft(self, value: Any) -> None:
        self.update("appendleft", value)

    def extend(self, values: Any, method: str = "extend") -> None:
        items = active_backend().call_builtin(list, (values,), {})
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

    __delitem__ = __mul__ = __rmul__ = __eq__ = __ne__ = __radd__ = sort = _refuse
    __hash__ = Staged.__hash__


register_class(ListType, StagedList, "staged list", "builtins.list")
register_class(DequeType, StagedDeque, "staged deque", "collections.deque")
