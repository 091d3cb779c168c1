"""Iterables with a length for staged `for` loops: ranges, `enumerate`, `zip`, `reversed` and arrays.

A *staged sequence* has a count and computes its n-th item with Python's operators, so it serves every system.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...errors import ValueNeededError
from .. import BackendNeutral


class StagedSequence(BackendNeutral):
    """A sequence of `count` items, of which `item(i)` computes the i-th; `count` may be staged.

    `arrays` are the arrays that the items come from. A negative `count` means no items; `clip` turns it into
    the `length` that `len` returns. `most` is the largest possible count, if that is known.
    """

    def __init__(
        self,
        name: str,
        count: Any,
        item: Callable[[Any], Any],
        arrays: Sequence[Any] = (),
        clip: Callable[[Any], Any] | None = None,
        most: int | None = None,
    ):
        self.name, self.count, self.item, self.arrays = name, count, item, tuple(arrays)
        self.most = count if isinstance(count, int) else most
        self._clip = clip

    @property
    def length(self) -> Any:
        return self.count if self._clip is None else self._clip(self.count)

    def __len__(self) -> int:
        if isinstance(self.length, int):
            return self.length
        raise ValueNeededError(
            f"Python cannot iterate a staged {self.name} or take its length",
            why="its length is known only when the graph runs",
            remedy="loop over it in converted code, or make its bounds plain integers",
        )

    def __iter__(self) -> Any:
        return (self.item(i) for i in range(len(self)))

    def __getitem__(self, key: Any) -> Any:
        return self.item(key)


def staged_range(start: Any, stop: Any, step: Any, clip: Callable[[Any], Any]) -> StagedSequence:
    """Return a staged `range`; `clip` replaces a negative length with 0."""
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
    return StagedSequence(
        "enumerate", items.length, lambda i: (start + i, items.item(i)), items.arrays, most=items.most
    )


def staged_zip(parts: Sequence[StagedSequence], minimum: Callable[[Any, Any], Any]) -> StagedSequence:
    """Return a staged `zip`; `minimum` returns the smaller of two lengths."""
    length = parts[0].length
    for part in parts[1:]:
        length = minimum(length, part.length)
    arrays = [array for part in parts for array in part.arrays]
    most = min((part.most for part in parts if part.most is not None), default=None)
    return StagedSequence("zip", length, lambda i: tuple([p.item(i) for p in parts]), arrays, most=most)


def staged_reversed(items: StagedSequence) -> StagedSequence:
    last = items.length - 1
    return StagedSequence(
        "reversed", items.length, lambda i: items.item(last - i), items.arrays, most=items.most
    )
