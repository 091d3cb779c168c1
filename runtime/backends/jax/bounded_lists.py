"""Lists that grow in loops which state the largest number of their items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import jax.numpy as jnp

from ...errors import StagingError
from .. import BackendNeutral
from .bounded_arrays import BoundedArray, joined, require, unsupported


class _NoItems:
    """The contents of a list before the type of its items is known."""

    def __repr__(self) -> str:
        return "[]"


NO_ITEMS = _NoItems()


def not_an_item(kind: type) -> StagingError:
    return StagingError(
        f"a value of type {kind.__name__} is appended to a list in a staged branch or loop",
        why="JAX holds the items of such a list in one array",
        remedy="append numbers or arrays of one shape, to one list for each part of the value",
    )


class BoundedList(BackendNeutral):
    """A list whose items are the rows of an array, of which a loop or branch changes the number.

    `home` is the capture in which the list was made: what happens to it there ends with the capture.
    """

    ag__name = "a list"
    shared = ""
    is_staged_list = True

    def __init__(self, backend: Any, value: Any):
        self.backend, self.value = backend, value
        self.home = backend.captures[-1] if backend.captures else None

    @classmethod
    def of(cls, backend: Any, items: Sequence[Any]) -> BoundedList:
        made = cls(backend, NO_ITEMS)
        made.extend(items)
        return made

    def array(self) -> Any:
        """Return the items as an array."""
        return jnp.zeros(0) if self.value is NO_ITEMS else self.value

    def length(self) -> Any:
        """Return the number of items."""
        return self.value.count() if isinstance(self.value, BoundedArray) else len(self.array())

    # What staging does with a value that is written to in place

    def read(self) -> Any:
        return self.value

    def write(self, value: Any) -> None:
        capture = self.backend.captures[-1] if self.backend.captures else None
        if capture is not None and capture is not self.home:
            capture.lists.setdefault(id(self), (self, self.value))
        self.value = value

    def restore(self, value: Any) -> None:
        self.value = value

    # Methods of lists

    def append(self, item: Any) -> None:
        self.extend([item])

    def extend(self, items: Any) -> None:
        for item in items if not isinstance(items, (BoundedArray, BoundedList)) else ():
            if self.backend.aval(item) is None or isinstance(item, BoundedArray):
                raise not_an_item(type(item))
            self._join(jnp.asarray(item)[None])
        if isinstance(items, (BoundedArray, BoundedList)):
            self._join(items.array() if isinstance(items, BoundedList) else items)

    def _join(self, items: Any) -> None:
        if self.value is not NO_ITEMS and self.value.shape[1:] != items.shape[1:]:
            raise StagingError(
                f"an item of the shape {items.shape[1:]} is appended to a list of items of the shape "
                f"{tuple(self.value.shape[1:])}",
                why="JAX holds the items of a list of staged length in one array",
                remedy="append arrays of one shape",
            )
        self.write(items if self.value is NO_ITEMS else joined(self.value, items))

    def __iadd__(self, items: Any) -> Self:  # type: ignore[misc]
        self.extend(items)
        return self

    def pop(self, index: Any = -1) -> Any:
        value = self.array()
        if not isinstance(index, int) or index not in (0, -1):
            raise unsupported("pop() of an item in the middle of a list")
        require(self.length() > 0, lambda: IndexError("pop from empty list"))
        self.write(value[:-1] if index else value[1:])
        return value[index]

    def clear(self) -> None:
        if self.value is not NO_ITEMS:
            self.write(self.value[:0])

    def copy(self) -> BoundedList:
        return BoundedList(self.backend, self.value)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return BoundedList(self.backend, self.array()[key])
        return self.array()[key]

    def __len__(self) -> int:
        return len(self.array())

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise unsupported("this method of a list")

    insert = remove = sort = reverse = index = count = _refuse
    __add__ = __radd__ = __mul__ = __delitem__ = __eq__ = __iter__ = __contains__ = _refuse
    __hash__ = None  # type: ignore[assignment]
