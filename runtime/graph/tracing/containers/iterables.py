"""Staged iterables other than arrays and lists: `range`, `enumerate`, `zip`, `reversed` and datasets.

A *structure* describes how staged values form an item: an int is the index of one value, and a tuple
contains structures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

from ....containers.ordering import raise_if, select
from ....core.active_backends import active_backend
from ....errors import StagingError, ValueNeededError
from ...ir.graph import Node
from ...ir.types import ArrayType, ScalarType, StagedType, constant_type
from .. import recording
from ..tensor import ITERATION_NEEDED, Staged, Tensor
from . import lists
from .alternatives import Alternatives
from .lists import of_list
from .staged_keyed import StagedKeyed
from .staged_lists import StagedList
from .stand_ins import stand_in_of


class ConstructedStructure(tuple):  # noqa: SLOT001 - it has an attribute
    """A structure whose items are built by calling `make` on their parts, and need not be tuples."""

    make: Callable[[Sequence[Any]], Any]

    @classmethod
    def of(cls, make: Callable[[Sequence[Any]], Any], parts: Sequence[Any]) -> ConstructedStructure:
        structure = cls(parts)
        structure.make = make
        return structure


class StagedIterable:
    """An iterable in the graph. `parts` are the types of the values in one item."""

    def __init__(
        self, op: str, inputs: Sequence[Any], parts: Sequence[StagedType], structure: Any, **attrs: Any
    ):
        inputs = [as_iterable(i) for i in inputs]
        for groups in (i for i in inputs if isinstance(i, Groups)):
            groups.refuse()
        self.is_consumed = False
        self.attrs = attrs
        self.op, self.inputs, self.parts, self.structure = op, tuple(inputs), list(parts), structure

    def to_node(self) -> Node:
        sources = [
            i.to_node() if isinstance(i, StagedIterable) else recording.to_node(i) for i in self.inputs
        ]
        return recording.add(self.op, sources, None, **self.attrs)

    def __iter__(self) -> Any:
        if self.op != "range" or not recording.contains_staged(self.inputs):
            return self._items()
        raise ValueNeededError(
            f"Python cannot iterate over a staged {self.op}",
            why="its length is known only when the graph runs",
            remedy="use a 'for' loop in converted code",
        )

    def ag__take(self, *_: Any) -> NoReturn:
        """`next(self)`"""
        if self.op == "range":
            raise TypeError("'range' object is not an iterator")
        raise ValueNeededError(
            f"next() takes an item of a staged {self.op}",
            why="the graph iterates over it, in one loop",
            remedy="index the value that it iterates over, such as x[-1] for the first of reversed(x)",
        )

    def _items(self) -> Iterator[Any]:
        """Iterate over arrays of static length during the trace. Other arrays raise an error."""
        self.mark_consumed()
        if self.op == "enumerate":
            items, start = self.inputs
            return ((start + n, item) for n, item in enumerate(items))
        if self.op == "zip":
            return zip(*self.inputs, strict=self.attrs["strict"])
        return iter(range(*self.inputs)) if self.op == "range" else reversed(list(self.inputs[0]))

    def __getitem__(self, index: Any) -> Any:
        """Return an item of a range."""
        if self.op != "range" or isinstance(index, slice):
            raise ValueNeededError(
                f"a staged {self.op} is indexed" + (" by a slice" if self.op == "range" else ""),
                why="the graph has no operation for it",
                remedy="make a list of it first: list(...)",
            )
        backend: Any = active_backend()
        start, _, step = [backend.call_builtin(int, (bound,), {}) for bound in self.inputs]
        index = backend.call_builtin(int, (index,), {})
        length = backend.call_builtin(len, (self,), {})
        place = select(backend, index < 0, index + length, index)
        outside = (place < 0) | (place >= length)
        raise_if(backend, outside, IndexError("range object index out of range"))
        return start + place * step

    def known_items(self) -> list[Any] | None:
        """Return the items if their number is known in the trace."""
        try:
            return list(self)
        except ValueNeededError:
            self.is_consumed = False
            return None

    def mark_consumed(self) -> None:
        """Mark the iterable as consumed. Every iterable except a range can be iterated only once."""
        if self.is_consumed and self.op != "range":
            raise StagingError(
                f"a staged {self.op} is iterated twice",
                why="it is an iterator, which the first loop exhausts",
                remedy=f"create another one for the second loop: for x in {self.op}(...)",
            )
        self.is_consumed = True

    def __repr__(self) -> str:
        return f"<staged {self.op}>"


StagedIterable.__name__ = "staged iterable"  # for Python's own messages


MAX_UNROLLED = 64


def known_items(value: Any) -> Any:
    """Return the items of a staged value if they are few and their number is known, or else the value."""
    if isinstance(value, StagedIterable):
        items = value.known_items()
        return value if items is None else items
    length = value.type.shape[0] if isinstance(value, Tensor) and value.ndim else None
    return value if length is None or length > MAX_UNROLLED else list(value)


class Groups(StagedIterable):
    """What `itertools.groupby` returns. `runs` is a staged list of keys and lists.

    Like Python's, each group can be iterated only once, and only until the next one begins.
    """

    def __init__(self, runs: StagedList):
        super().__init__("groupby", (runs,), [runs.type.element], 0)

    def to_node(self) -> Node:
        return recording.to_node(self.inputs[0])

    def item(self, item: tuple[Any, Any]) -> tuple[Any, Any]:
        """Return a key and a group that a loop takes."""
        key, values = item
        return key, Run(values)

    def refuse(self) -> NoReturn:
        raise StagingError(
            "a staged groupby is used other than in a loop or a comprehension",
            why="its groups end when the next one begins, so their items have to be taken one by one",
            remedy="collect them in a comprehension: [(key, list(group)) for key, group in groupby(xs)]",
        )

    def _items(self) -> NoReturn:
        self.refuse()


class Run(StagedIterable):
    """A group of `itertools.groupby`."""

    def __init__(self, values: Any):
        super().__init__("group", (values,), [values.type.element], 0)

    def to_node(self) -> Node:
        return recording.to_node(self.inputs[0])

    def _items(self) -> Any:
        self.inputs[0].fail(*ITERATION_NEEDED)


Run.__name__ = "group of groupby"


def element_types(iterated: Any) -> tuple[Callable[[Sequence[Any]], Any], list[StagedType]]:
    """Return a function that builds an item from staged values, and the types of these values."""
    iterated = as_iterable(iterated)
    parts, structure = element_parts(iterated)
    sources = _sources_of_parts(iterated)

    def rebuild(values: Sequence[Any]) -> Any:
        for value, source in zip(values, sources, strict=True):
            if isinstance(value, Staged):
                value.shared = "it is an item of an iterable, which would have to change too"
            if source is not None:
                of_list(source, value)
        item = build_item(structure, [*map(stand_in_of, values)])
        return iterated.item(item) if isinstance(iterated, Groups) else item

    return rebuild, parts


def _sources_of_parts(iterated: Any) -> list[StagedList | None]:
    """Return the staged list from which each value in an item of an iterable comes, or None."""
    if isinstance(iterated, StagedIterable) and iterated.op in ("zip", "reversed", "enumerate"):
        inputs = iterated.inputs[: 1 if iterated.op == "enumerate" else None]
        found = [source for part in inputs for source in _sources_of_parts(part)]
        return [None] * (len(iterated.parts) - len(found)) + found
    if isinstance(iterated, StagedList):
        return [iterated]
    return [None] * len(element_parts(iterated)[0])


def iterated_sources(iterated: Any) -> list[Any]:
    """Return the arrays and lists that supply the items of a loop."""
    if isinstance(iterated, StagedIterable):
        return [source for part in iterated.inputs for source in iterated_sources(part)]
    return [iterated]


def holds_objects(value: Any) -> bool:
    """Return whether a value is a plain list or tuple with items of which NumPy makes no array of numbers."""
    return isinstance(value, (list, tuple)) and not all(
        isinstance(item, Staged) or isinstance(constant_type(item), ArrayType) or type(item) in _NUMBERS
        for item in value
    )


_NUMBERS = (bool, int, float, complex, list)


def is_empty(iterated: Any) -> bool:
    """Return whether an iterable has no items because nothing has been put into a list that supplies them."""
    return any(
        s.type.element is None if isinstance(s, StagedList) else isinstance(s, (list, tuple)) and not s
        for s in iterated_sources(iterated)
    )


def build_item(structure: Any, values: Sequence[Any]) -> Any:
    if isinstance(structure, tuple):
        parts = [build_item(part, values) for part in structure]
        return structure.make(parts) if isinstance(structure, ConstructedStructure) else tuple(parts)
    return values[structure]


class IterableSource:
    """Base class of objects that a graph iterates over, such as datasets."""

    def staged(self) -> StagedIterable:
        """Return a staged iterable over the items of the object."""
        raise NotImplementedError


def as_iterable(value: Any) -> Any:
    if type(value) is range:
        return staged_range(value.start, value.stop, value.step)
    if isinstance(value, StagedKeyed):
        return value.as_view()
    if holds_objects(value):
        return lists.staged_list(list(value))
    return value.staged() if isinstance(value, IterableSource) else value


def element_parts(iterated: Any) -> tuple[list[StagedType], Any]:
    """Return the types of the values in an item of an iterable, and the structure of the item."""
    if isinstance(iterated, StagedIterable):
        return iterated.parts, iterated.structure
    if isinstance(iterated, StagedList):
        element = iterated.type.element
        return [element if element is not None else ScalarType(int)], 0
    if isinstance(iterated, Tensor):
        if not iterated.type.shape:
            raise TypeError("iteration over a 0-d array")
        return [ArrayType(iterated.type.dtype, iterated.type.shape[1:])], 0
    if isinstance(iterated, Alternatives):
        iterated.refuse()
    if isinstance(iterated, Staged):
        raise TypeError(f"'{iterated.type}' object is not iterable")
    if isinstance(iterated, str) or not (constant_type(iterated) or isinstance(iterated, (list, tuple))):
        kind = type(iterated).__name__
        raise StagingError(
            f"a value of type {kind} cannot be iterated together with staged values",
            why="a graph can iterate over arrays, ranges and lists of numbers, but not over other objects",
            remedy=_ITERATOR_REMEDIES.get(kind, "convert it to a list first: list(...)"),
        )
    if not isinstance(iterated, (list, tuple, np.ndarray)):
        raise TypeError(f"'{type(iterated).__name__}' object is not iterable")
    node = recording.to_node(iterated)
    return [ArrayType(node.type.dtype, node.type.shape[1:])], 0


_ITERATOR_REMEDIES = {
    "count": "use enumerate(...), or a range",
    "cycle": "index the repeated sequence: items[i % len(items)], with i from enumerate",
    "repeat": "use the repeated value itself",
}


def shift_structure(structure: Any, offset: int) -> Any:
    if not isinstance(structure, tuple):
        return structure + offset
    parts = tuple(shift_structure(part, offset) for part in structure)
    if isinstance(structure, ConstructedStructure):
        return ConstructedStructure.of(structure.make, parts)
    return parts


def staged_range(*args: Any) -> StagedIterable:
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    for bound in (start, stop, step):
        kind = getattr(bound, "type", None)
        if isinstance(kind, ArrayType) and (kind.shape or kind.dtype.kind not in "iub"):
            if kind.shape:
                raise TypeError("only integer scalar arrays can be converted to a scalar index")
            raise TypeError(f"'numpy.{kind.dtype}' object cannot be interpreted as an integer")
        if isinstance(kind, ScalarType) and kind.python not in (int, bool):
            raise TypeError(f"'{kind.python.__name__}' object cannot be interpreted as an integer")
    return StagedIterable("range", (start, stop, step), [ScalarType(int)], 0)


def staged_enumerate(iterable: Any, start: Any = 0) -> StagedIterable:
    iterable = as_iterable(iterable)
    parts, structure = element_parts(iterable)
    return StagedIterable(
        "enumerate", (iterable, start), [ScalarType(int), *parts], (0, shift_structure(structure, 1))
    )


def staged_zip(*iterables: Any, strict: bool = False) -> StagedIterable:
    iterables = tuple(map(as_iterable, iterables))
    parts: list[StagedType] = []
    structures = []
    for iterable in iterables:
        inner, structure = element_parts(iterable)
        structures.append(shift_structure(structure, len(parts)))
        parts.extend(inner)
    return StagedIterable("zip", iterables, parts, tuple(structures), strict=strict)


def staged_reversed(iterable: Any) -> StagedIterable:
    parts, structure = element_parts(iterable)
    return StagedIterable("reversed", (iterable,), parts, structure)
