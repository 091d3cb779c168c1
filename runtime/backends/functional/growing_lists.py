"""Lists that staged loops and branches append to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from ...errors import UnsupportedFunctionError
from .abstract_values import AppendedItems


class GrowingList:
    """A Python list that a later staged loop or branch appends to.

    `items` holds the items outside all captures, `appended` those that the current capture appended.
    """

    ag__name = "a list"
    shared = ""
    is_staged_list = True

    def __init__(self, backend: Any, items: Sequence[Any]):
        self.backend, self.items = backend, list(items)
        self.appended: list[Any] = []

    def read(self) -> AppendedItems:
        return AppendedItems(tuple(self.appended))

    def write(self, value: AppendedItems) -> None:
        if self.backend.captures:
            self._save_state()
            self.appended = list(value.items)
        else:
            self.items += value.items

    def restore(self, appended: list[Any]) -> None:
        self.appended = appended

    def _save_state(self) -> None:
        """Save the list's state, which the current capture restores when it ends."""
        self.backend.captures[-1].lists.setdefault(id(self), (self, self.appended))
        self.appended = list(self.appended)

    def append(self, value: Any) -> None:
        if self.backend.captures:
            self._save_state()
            self.appended.append(value)
        else:
            self.items.append(value)

    def extend(self, values: Any) -> None:
        for value in values:
            self.append(value)

    def __iadd__(self, values: Any) -> Self:  # type: ignore[misc]
        self.extend(values)
        return self

    def _reject(self, *_: Any) -> Any:
        raise UnsupportedFunctionError(
            "a staged loop cannot read or shorten a list that it appends to",
            why="the length of the list is known only when the graph runs",
            remedy="carry the last item in a variable, or write into an array created before the loop",
        )

    pop = insert = remove = clear = sort = reverse = index = count = copy = _reject
    __add__ = __radd__ = __mul__ = __delitem__ = __eq__ = __len__ = __iter__ = __getitem__ = __setitem__ = (
        __contains__
    ) = _reject
