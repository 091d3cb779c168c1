"""What a staged `for` loops over where a system's loops count: ranges, enumerations, zips, arrays.

A *sequence* knows how many items it has and makes the n-th, out of staged values by Python's own
operators, so that one description does for every system.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import ValueNeededError
from . import Shared


class StagedSequence(Shared):
    """Items by index: `item` makes one, `count` tells how many, staged or plain.

    A count may be negative, which is none to a loop; `length` is what `len` gives.
    """

    def __init__(
        self,
        name: str,
        count: Any,
        item: Callable[[Any], Any],
        sources: Sequence[Any] = (),
        clip: Callable[[Any], Any] | None = None,
    ):
        self.name, self.count, self.item, self.sources = name, count, item, tuple(sources)
        self._clip = clip

    @property
    def length(self) -> Any:
        return self.count if self._clip is None else self._clip(self.count)

    def __len__(self) -> int:
        if isinstance(self.length, int):
            return self.length
        raise ValueNeededError(
            f"a staged {self.name} is iterated, or asked for its length, by Python",
            why="its length is known only when the program runs",
            remedy="loop over it in converted code, or make its bounds plain integers",
        )

    def __iter__(self) -> Any:
        return (self.item(i) for i in range(len(self)))

    def __getitem__(self, key: Any) -> Any:
        return self.item(key)


def staged_range(start: Any, stop: Any, step: Any, clip: Callable[[Any], Any]) -> StagedSequence:
    """`range`; `clip` makes a negative number 0."""
    if isinstance(step, int) and step == 1:
        count = stop - start if not (isinstance(start, int) and start == 0) else stop
    elif isinstance(step, int) and step > 0:
        count = (stop - start + (step - 1)) // step
    elif isinstance(step, int) and step < 0:
        count = (start - stop + (-step - 1)) // -step
    elif isinstance(step, int):
        raise ValueError("range() arg 3 must not be zero")
    else:
        count = -((start - stop) // step)

    def item(i: Any) -> Any:
        scaled = i if isinstance(step, int) and step == 1 else i * step
        return scaled if isinstance(start, int) and start == 0 else start + scaled

    return StagedSequence("range", count, item, clip=clip)


def staged_enumerate(items: StagedSequence, start: Any = 0) -> StagedSequence:
    return StagedSequence("enumerate", items.length, lambda i: (start + i, items.item(i)), items.sources)


def staged_zip(parts: Sequence[StagedSequence], least: Callable[[Any, Any], Any]) -> StagedSequence:
    """`zip`; `least` is the smaller of two lengths."""
    length = parts[0].length
    for part in parts[1:]:
        length = least(length, part.length)
    sources = [source for part in parts for source in part.sources]
    return StagedSequence("zip", length, lambda i: tuple([p.item(i) for p in parts]), sources)


def staged_reversed(items: StagedSequence) -> StagedSequence:
    return StagedSequence("reversed", items.length, lambda i: items.item(items.length - 1 - i), items.sources)
