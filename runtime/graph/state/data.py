"""Datasets: anything that can be iterated again and again, looped over when a graph runs.

The loop over a dataset is one node. What a pipeline library does before (shuffling, batching, reading)
is its business: a dataset only needs to know what an element is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ..boundary import public
from ..errors import ArgumentError, OptionError, SpecError, ValueNeededError, told
from ..structures import flatten, unflatten
from . import record
from .iterables import Made, Source, StagedIterable
from .specs import TensorSpec, fitted
from .trace import is_tracing


class Elements(Source):
    """What `Dataset` and its iterators have in common: the structure and types of an element."""

    def __init__(self, spec: Any):
        self.spec = spec
        self._specs, self._structure = flatten(spec)
        wrong = [s for s in self._specs if not isinstance(s, TensorSpec)]
        if wrong:
            raise ArgumentError(
                f"the spec of a dataset is a TensorSpec or a structure of them, not {told(wrong[0])}",
                why="it says dtype and shape of each array of an element",
                remedy="give ag.TensorSpec(shape, dtype) for each array, or leave spec= out",
            )

    def leaves(self, element: Any) -> tuple[Any, ...]:
        """The arrays of an element.

        Raises:
            TypeError: it does not fit the spec.
        """
        values, structure = flatten(element)
        if structure != self._structure and self._structure.kind is tuple and type(element) is list:
            values, structure = flatten(tuple(element))  # as data loaders collate
        if structure != self._structure:
            raise SpecError(
                f"an element of the dataset is {structure}, but its spec is {self._structure}",
                why="the graph was made for what the spec says",
                remedy="give the spec of what comes, or elements of one structure",
                place=None,
            )
        what = "an element of the dataset has"
        return tuple([fitted(v, s, what) for v, s in zip(values, self._specs, strict=True)])

    def iterate(self) -> Iterator[Any]:
        """The leaves of each element, as a running graph takes them."""
        raise NotImplementedError

    def staged(self) -> StagedIterable:
        places = Made.by(self.element, range(len(self._specs)))
        return StagedIterable("dataset", (), [s.type for s in self._specs], places, function=self.iterate)

    def element(self, leaves: Iterable[Any]) -> Any:
        return unflatten(self._structure, list(leaves))


class Dataset(Elements):
    """A source of elements that can be iterated again; `from_iterable` makes it."""

    def __init__(self, factory: Callable[[], Iterable[Any]], spec: Any):
        super().__init__(spec)
        self._factory = factory

    def __iter__(self) -> Iterator[Any]:
        if is_tracing():
            raise ValueNeededError(
                "a dataset is iterated by Python while a graph is made",
                why="Python would take its elements once, and the program takes them each time that it runs",
                remedy="loop over it with 'for' in converted code, or make its iterator outside "
                "of the function and call next() on it",
            )
        return DatasetIterator(self)

    def iterate(self) -> Iterator[Any]:
        return map(self.leaves, iter(self._factory()))

    def __repr__(self) -> str:
        return f"Dataset({self.spec})"


class DatasetIterator(Elements):
    """Yields the elements of a dataset once, in a graph too: each `next` is one at each call."""

    def __init__(self, dataset: Dataset):
        super().__init__(dataset.spec)
        self._leaves = dataset.iterate()

    def __iter__(self) -> DatasetIterator:
        return self

    def iterate(self) -> Iterator[Any]:
        return self._leaves

    def __next__(self) -> Any:
        if not is_tracing():
            return self.element(next(self._leaves))
        outputs = [s.type for s in self._specs]
        node = record.add("next", (), None, effect=True, function=self._take, args=(), kwargs={})
        return self.element([record.wrap(record.output(node, i, kind)) for i, kind in enumerate(outputs)])

    def _take(self) -> tuple[Any, ...]:
        return next(self._leaves)


@public
def from_iterable(source: Callable[[], Iterable[Any]] | Iterable[Any], *, spec: Any = None) -> Dataset:
    """A dataset over what can be iterated again: a list, a data loader, a function that makes an iterator.

    Args:
        source: an iterable, or a function without arguments that gives one for each pass.
        spec: a `TensorSpec`, or a tuple, dict or other structure of them, for one element. If it is not
            given, it is that of the first element, with its very lengths.

    Raises:
        ArgumentError: `source` can be iterated only once, or `spec` is no spec.
        SpecError: an element does not fit (when it comes).
        OptionError: there is no spec, and no element to take it from.

    In a `function` a loop over the dataset is one node, and runs when the graph runs.

    >>> import autograph_rs as ag, numpy as np
    >>> batches = [(np.ones((2, 3)), np.zeros(2)), (np.full((2, 3), 2.0), np.ones(2))]
    >>> dataset = ag.data.from_iterable(batches)
    >>> @ag.function
    ... def total(dataset):
    ...     result = 0.0
    ...     for x, y in dataset:
    ...         result += x.sum() + y.sum()
    ...     return result
    >>> float(total(dataset))
    20.0
    """
    if callable(source):
        factory = source
    elif not isinstance(source, Iterable) and not hasattr(source, "__getitem__"):
        raise ArgumentError(
            f"a dataset is made of what can be iterated, not of {told(source)}",
            why="its elements are taken one after the other, at every call",
            remedy="give a list, an array, a data loader, or a function without arguments that gives one",
        )
    elif iter(source) is source:
        raise ArgumentError(
            f"a {type(source).__name__} can be iterated only once",
            why="a dataset is iterated at every call, and once before for its spec",
            remedy="give from_iterable a function that makes it",
        )
    else:
        iterable = source

        def factory() -> Iterable[Any]:
            return iterable

    if spec is None:
        missing = object()
        first = next(iter(factory()), missing)
        if first is missing:
            raise OptionError(
                "the dataset has no element to take its spec from",
                why="the spec is that of the first element, where none is given",
                remedy="give from_iterable a spec",
            )
        leaves, structure = flatten(tuple(first) if type(first) is list else first)
        arrays = list(map(np.asarray, leaves))
        spec = unflatten(structure, [TensorSpec(a.shape, a.dtype) for a in arrays])
    return Dataset(factory, spec)


__all__ = ["Dataset", "DatasetIterator", "from_iterable"]
