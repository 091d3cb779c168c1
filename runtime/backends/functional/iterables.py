"""Iterables with a length for staged `for` loops: ranges, `enumerate`, `zip`, `reversed` and arrays.

A *staged sequence* has a count and computes its n-th item with Python's operators, so it serves every system.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from ...errors import StagingError, ValueNeededError
from .. import BackendNeutral
from .growing_lists import GrowingList


class StagedSequence(BackendNeutral):
    """A sequence of `count` items, of which `item(i)` computes the i-th; `count` may be staged.

    `arrays` are the arrays that the items come from. If the i-th item needs only their i-th rows,
    `from_rows(i, rows)` computes it from these, else `from_rows` is None. A negative `count` means no items;
    `clip` turns it into the `length` that `len` returns. `most` is the largest possible count, if that is
    known.
    """

    def __init__(
        self,
        name: str,
        count: Any,
        item: Callable[[Any], Any],
        arrays: Sequence[Any] = (),
        clip: Callable[[Any], Any] | None = None,
        most: int | None = None,
        from_rows: Callable[[Any, Sequence[Any]], Any] | None = None,
    ):
        self.name, self.count, self.item, self.arrays = name, count, item, tuple(arrays)
        self.from_rows = from_rows if arrays else lambda i, _: item(i)
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
    row_item = items.from_rows

    def number(i: Any) -> Any:
        return i if isinstance(start, int) and start == 0 else start + i

    return StagedSequence(
        "enumerate",
        items.length,
        lambda i: (number(i), items.item(i)),
        items.arrays,
        most=items.most,
        from_rows=row_item and (lambda i, rows: (number(i), row_item(i, rows))),
    )


def staged_zip(parts: Sequence[StagedSequence], minimum: Callable[[Any, Any], Any]) -> StagedSequence:
    """Return a staged `zip`; `minimum` returns the smaller of two lengths."""
    length = parts[0].length
    for part in parts[1:]:
        length = minimum(length, part.length)
    arrays = [array for part in parts for array in part.arrays]
    most = min((part.most for part in parts if part.most is not None), default=None)
    row_items = [part.from_rows for part in parts if part.from_rows is not None]

    def from_rows(i: Any, rows: Sequence[Any]) -> tuple[Any, ...]:
        rest = iter(rows)
        pairs = zip(row_items, parts, strict=True)
        return tuple([item(i, list(itertools.islice(rest, len(part.arrays)))) for item, part in pairs])

    return StagedSequence(
        "zip",
        length,
        lambda i: tuple([p.item(i) for p in parts]),
        arrays,
        most=most,
        from_rows=from_rows if len(row_items) == len(parts) else None,
    )


def staged_reversed(items: StagedSequence) -> StagedSequence:
    last = items.length - 1
    return StagedSequence(
        "reversed", items.length, lambda i: items.item(last - i), items.arrays, most=items.most
    )


class Iterables:
    """The part of a backend that accesses what a loop iterates over by index."""

    is_array: Callable[[Any], bool]
    length: Callable[[Any], Any]
    get_item: Callable[[Any, Any], Any]
    fail: Callable[[Any, BaseException], Any]
    minimum: Callable[[Any, Any], Any]
    maximum: Callable[[Any, Any], Any]

    def is_empty(self, iterated: Any) -> bool:
        count = self.sequence(iterated).count
        return isinstance(count, int) and count <= 0

    def sequence(self, iterated: Any) -> StagedSequence:
        """Return an iterable as a sequence whose items are accessed by index."""
        if isinstance(iterated, StagedSequence):
            return iterated
        if self.is_array(iterated):
            return StagedSequence(
                "array",
                self.length(iterated),
                lambda i: self.item(iterated, i),
                [iterated],
                from_rows=lambda _, rows: rows[0],
            )
        if isinstance(iterated, range):
            start, step = iterated.start, iterated.step
            plain = staged_range(start, start + len(iterated) * step, step, self.clip)
            return StagedSequence(
                plain.name, plain.count, lambda i: self.as_number(plain.item(i)), clip=self.clip
            )
        if isinstance(iterated, (list, tuple, GrowingList)):
            items = list(iterated)
            return StagedSequence(
                "list", len(items), lambda i: items[i] if isinstance(i, int) else self.get_item(items, i)
            )
        raise StagingError(
            f"a {type(iterated).__name__} cannot be iterated together with staged values",
            why="a staged zip or enumerate reads items by a staged index, which this type does not support",
            remedy="convert it to a list (list(items)) or an array",
        )

    def first_and_rest(self, iterated: Any) -> tuple[Any, Any, Any]:
        """Return whether an iterable has items, a function that returns the first one, and the rest."""
        items = self.sequence(iterated)
        rest: Any
        if self.is_array(iterated):
            rest = iterated[1:]
        else:
            rest = StagedSequence(
                items.name, items.count - 1, lambda i: items.item(i + 1), items.arrays, most=items.most
            )
        return items.length > 0, lambda: items.item(0), rest

    def scanned(
        self, items: StagedSequence, length: int, indices: Callable[[], Any]
    ) -> tuple[list[Any], Callable[[Sequence[Any]], Any]]:
        """Return the arrays that a scan reads row by row, and a function from their rows to the item.

        `indices` returns the array of the numbers below `length`. A scan reads rows where all arrays have
        `length` of them: its reverse mode then stacks their gradients. It would add up arrays of full size.
        """
        row_item, arrays = items.from_rows, list(items.arrays)
        if row_item is None or not all(self._is_length(array, length) for array in arrays):
            return [indices()], lambda rows: items.item(rows[0])
        if items.name == "array":
            return arrays, lambda rows: rows[0]
        return [indices(), *arrays], lambda rows: row_item(rows[0], rows[1:])

    def _is_length(self, array: Any, length: int) -> bool:
        found = self.length(array)
        return isinstance(found, int) and found == length

    def as_number(self, value: Any) -> Any:
        """Return a staged integer that takes part in type promotion as a Python number."""
        return value

    def item(self, array: Any, index: Any) -> Any:
        return array[index]

    def iterable(self, function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> StagedSequence:
        """Stage a call to `range`, `enumerate`, `zip` or `reversed`."""
        if function is range:
            start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
            if self.is_array(step):
                self.fail(step == 0, ValueError("range() arg 3 must not be zero"))
            return staged_range(start, stop, step, self.clip)
        if function is enumerate:
            return staged_enumerate(self.sequence(args[0]), *args[1:], **kwargs)
        if function is zip:
            return staged_zip([self.sequence(a) for a in args], self.min_length)
        return staged_reversed(self.sequence(args[0]))

    def clip(self, count: Any) -> Any:
        return max(count, 0) if isinstance(count, int) else self.maximum(count, 0)

    def min_length(self, a: Any, b: Any) -> Any:
        return min(a, b) if isinstance(a, int) and isinstance(b, int) else self.minimum(a, b)
