"""Lists with as many items as a loop has iterations, where that number is known only when the graph runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytensor.tensor as pt

from ...errors import UnsupportedFunctionError
from .. import BackendNeutral


class Rows:
    """The items, stacked, that a loop has appended to a list."""

    def __init__(self, array: Any):
        self.array = array


class StackedList(BackendNeutral):
    """A list whose items are stacked in `array`. It can be read and returned, but not changed."""

    ag__name = "a list"

    def __init__(self, array: Any):
        self.array = array

    def _reject(self, *_: Any, **__: Any) -> Any:
        raise UnsupportedFunctionError(
            "a list of unknown length can only be read, indexed, iterated, returned and made a tensor",
            why="its length is known only when the graph runs, and its items are stacked in one tensor",
            remedy="make it a tensor, np.array(items), and use functions of pytensor.tensor",
        )

    append = extend = insert = pop = remove = clear = sort = reverse = index = count = copy = _reject
    __add__ = __radd__ = __iadd__ = __mul__ = __rmul__ = __eq__ = __lt__ = __le__ = __gt__ = __ge__ = _reject
    __len__ = __iter__ = __contains__ = __bool__ = __setitem__ = __delitem__ = _reject
    __hash__ = object.__hash__

    def __getitem__(self, key: Any) -> Any:
        return self.array[key]


def array_of(value: Any) -> Any:
    """Return the tensor of a list of unknown length, and any other value unchanged."""
    return value.array if isinstance(value, StackedList) else value


def joined(items: Sequence[Any]) -> StackedList:
    """Return a list with single items and rows of items."""
    return StackedList(
        pt.concatenate([i.array if isinstance(i, Rows) else pt.as_tensor(i)[None] for i in items])
    )
