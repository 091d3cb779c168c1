"""Plain values that a staged condition has selected: a change of one would have to reach the result."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from ...errors import AliasError

SELECTABLE = np.ndarray, deque, set
_NOUNS = dict(zip(SELECTABLE, ("an array", "a deque", "a set"), strict=True))


class SelectedValues:
    """The plain arrays, deques and sets between which a staged condition selects in a trace.

    The result of the condition has their contents, so none of them may change afterwards.
    """

    def __init__(self) -> None:
        self._entries: dict[int, tuple[Any, Any, AliasError]] = {}

    def add(self, value: Any) -> None:
        """Note a value, with the place of the condition for the error."""
        error = AliasError(
            f"{_NOUNS[type(value)]} that a staged condition selects is changed afterwards",
            why="whether its other name refers to the same object is known only when the graph runs",
            remedy="select a copy: y = x.copy()",
        )
        self._entries.setdefault(id(value), (value, value.copy(), error))

    def refuse_change(self, value: Any) -> None:
        """Raise if a staged value is about to take the place of a selected one."""
        if id(value) in self._entries:
            raise self._entries[id(value)][2]

    def check(self) -> None:
        """Raise if the traced code has changed one."""
        for value, before, error in self._entries.values():
            if _contents(value) != _contents(before):
                raise error


def _contents(value: Any) -> Any:
    return value.tobytes() if isinstance(value, np.ndarray) else [*map(id, value)]
