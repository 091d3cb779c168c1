"""What a staged `for` can loop over, besides arrays and lists: `range`, `enumerate`, `zip`, `reversed`.

A *structure* says how an item is made of staged values: a number is the place of one among them, a
tuple is a tuple of structures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..errors import StagingError, ValueNeededError
from . import record, refused
from .ir import Node
from .staged import Staged, StagedList, Tensor
from .trace import scalar_type
from .types import ArrayType, ScalarType, StagedType


class Made(tuple):  # noqa: SLOT001 - it has an attribute
    """A structure whose item is not the tuple of its parts, but what `make` makes of them."""

    make: Callable[[Sequence[Any]], Any]

    @classmethod
    def by(cls, make: Callable[[Sequence[Any]], Any], places: Sequence[Any]) -> Made:
        made = cls(places)
        made.make = make
        return made


class StagedIterable:
    """An iterable of the running graph; `parts` are the types of the values in one item."""

    def __init__(
        self, op: str, inputs: Sequence[Any], parts: Sequence[StagedType], structure: Any, **attrs: Any
    ):
        inputs = [as_iterable(i) for i in inputs]
        self.used = False
        self.attrs = attrs
        self.op, self.inputs, self.parts, self.structure = op, tuple(inputs), list(parts), structure

    def to_node(self) -> Node:
        sources = [i.to_node() if isinstance(i, StagedIterable) else record.to_node(i) for i in self.inputs]
        return record.add(self.op, sources, None, **self.attrs)

    def __iter__(self) -> Any:
        if self.op != "range" or not record.contains_staged(self.inputs):
            return self._items()
        raise ValueNeededError(
            f"a staged {self.op} is iterated by Python",
            why="its length is known only when the graph runs",
            remedy="use a 'for' loop in converted code",
        )

    def _items(self) -> Iterator[Any]:
        """The items of arrays whose lengths are known; others refuse."""
        self.use_up()
        if self.op == "enumerate":
            items, start = self.inputs
            return ((start + n, item) for n, item in enumerate(items))
        if self.op == "zip":
            return zip(*self.inputs, strict=self.attrs["strict"])
        return iter(range(*self.inputs)) if self.op == "range" else reversed(list(self.inputs[0]))

    def use_up(self) -> None:
        """Count as iterated, which what Python makes can be only once."""
        if self.used and self.op != "range":
            raise StagingError(
                f"a staged {self.op} is looped over twice",
                why="Python's would be used up by the first loop",
                remedy=f"make it again for the second loop, as in 'for x in {self.op}(...)'",
            )
        self.used = True

    def __repr__(self) -> str:
        return f"<staged {self.op}>"


StagedIterable.__name__ = "staged iterable"  # in messages of Python's own


def element_types(iterated: Any) -> tuple[Callable[[Sequence[Any]], Any], list[StagedType]]:
    """How an item of `iterated` is made of staged values, and the types of these."""
    parts, structure = parts_of(as_iterable(iterated))

    def rebuild(values: Sequence[Any]) -> Any:
        for value in values:
            if isinstance(value, Staged):
                value.shared = "is an item of what a loop iterates, which would have to change too"
        return built(structure, values)

    return rebuild, parts


def sources_of(iterated: Any) -> list[Any]:
    """The arrays and lists whose items a loop takes."""
    if isinstance(iterated, StagedIterable):
        return [source for part in iterated.inputs for source in sources_of(part)]
    return [iterated]


def built(structure: Any, values: Sequence[Any]) -> Any:
    if isinstance(structure, tuple):
        parts = [built(part, values) for part in structure]
        return structure.make(parts) if isinstance(structure, Made) else tuple(parts)
    return values[structure]


class Source:
    """What stands for an iterable of the running graph, and says which."""

    def staged(self) -> StagedIterable:
        raise NotImplementedError


def as_iterable(value: Any) -> Any:
    if type(value) is range:
        return staged_range(value.start, value.stop, value.step)
    return value.staged() if isinstance(value, Source) else value


def parts_of(iterated: Any) -> tuple[list[StagedType], Any]:
    if isinstance(iterated, StagedIterable):
        return iterated.parts, iterated.structure
    if isinstance(iterated, StagedList):
        element = iterated.type.element
        return [element if element is not None else ScalarType(int)], 0
    if isinstance(iterated, Tensor):
        if not iterated.type.shape:
            raise TypeError("iteration over a 0-d array")
        return [ArrayType(iterated.type.dtype, iterated.type.shape[1:])], 0
    if isinstance(iterated, Staged):
        raise TypeError(f"'{iterated.type}' object is not iterable")
    if isinstance(iterated, str) or not (scalar_type(iterated) or isinstance(iterated, (list, tuple))):
        raise refused.iterated_with(iterated)
    if not isinstance(iterated, (list, tuple, np.ndarray)):
        raise TypeError(f"'{type(iterated).__name__}' object is not iterable")
    node = record.to_node(iterated)
    return [ArrayType(node.type.dtype, node.type.shape[1:])], 0


def moved(structure: Any, by: int) -> Any:
    if isinstance(structure, tuple):
        parts = tuple(moved(part, by) for part in structure)
        return Made.by(structure.make, parts) if isinstance(structure, Made) else parts
    return structure + by


def staged_range(*args: Any) -> StagedIterable:
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    for bound in (start, stop, step):
        kind = getattr(bound, "type", None)
        if isinstance(kind, ArrayType) and (kind.shape or kind.dtype.kind not in "iub"):
            what = "only integer scalar arrays can be converted to a scalar index"
            message = (
                what if kind.shape else f"'numpy.{kind.dtype}' object cannot be interpreted as an integer"
            )
            raise TypeError(message)
        if isinstance(kind, ScalarType) and kind.python not in (int, bool):
            raise TypeError(f"'{kind.python.__name__}' object cannot be interpreted as an integer")
    return StagedIterable("range", (start, stop, step), [ScalarType(int)], 0)


def staged_enumerate(iterable: Any, start: Any = 0) -> StagedIterable:
    iterable = as_iterable(iterable)
    parts, structure = parts_of(iterable)
    return StagedIterable("enumerate", (iterable, start), [ScalarType(int), *parts], (0, moved(structure, 1)))


def staged_zip(*iterables: Any, strict: bool = False) -> StagedIterable:
    iterables = tuple(map(as_iterable, iterables))
    parts: list[StagedType] = []
    structures = []
    for iterable in iterables:
        inner, structure = parts_of(iterable)
        structures.append(moved(structure, len(parts)))
        parts.extend(inner)
    return StagedIterable("zip", iterables, parts, tuple(structures), strict=strict)


def staged_reversed(iterable: Any) -> StagedIterable:
    parts, structure = parts_of(iterable)
    return StagedIterable("reversed", (iterable,), parts, structure)
