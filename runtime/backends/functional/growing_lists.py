"""Lists that staged loops and branches append to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

from ..errors import UnsupportedFunctionError
from .avals import Added

if TYPE_CHECKING:
    from .functional import FunctionalBackend


class GrowingList:
    """A Python list from before a staged loop or branch, which appends to it.

    `items` are those that it has when no capture is running, `added` those of the current one.
    """

    name = "a list"
    shared = ""

    def __init__(self, backend: FunctionalBackend, items: Sequence[Any]):
        self.backend, self.items = backend, list(items)
        self.added: list[Any] | None = None

    def read(self) -> Added:
        return Added(tuple(self.added or ()))

    def write(self, value: Added) -> None:
        if self.backend.captures:
            self._note()
            self.added = list(value.items)
        else:
            self.items += value.items

    def _note(self) -> None:
        self.backend.captures[-1].lists.setdefault(id(self), (self, self.added))
        self.added = list(self.added or ())

    def append(self, value: Any) -> None:
        if self.backend.captures:
            self._note()
            assert self.added is not None
            self.added.append(value)
        else:
            self.items.append(value)

    def extend(self, values: Any) -> None:
        for value in values:
            self.append(value)

    def __iadd__(self, values: Any) -> Self:  # type: ignore[misc]
        self.extend(values)
        return self

    def _refuse(self, *_: Any) -> Any:
        raise UnsupportedFunctionError(
            "a list that a staged loop appends to is read or shortened in the loop",
            why="how many items it has there is known only when the program runs",
            remedy="carry the last item in a variable, or write into an array that was made before the loop",
        )

    pop = insert = remove = clear = sort = reverse = index = count = copy = _refuse
    __add__ = __radd__ = __mul__ = __delitem__ = __eq__ = __len__ = __iter__ = __getitem__ = __setitem__ = (
        __contains__
    ) = _refuse
