"""Datasets: sources of elements that a graph iterates over when it runs.

A loop over a dataset is one node. Reading, shuffling and batching are left to data loaders: a dataset needs
only the spec of an element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ...debugging.tracebacks import api_boundary
from ...errors import ArgumentError, OptionError, SpecError, ValueNeededError, describe
from ...values.structures import flatten, unflatten
from ..tracing import recording
from ..tracing.containers.iterables import ConstructedStructure, IterableSource, StagedIterable
from ..tracing.specs import TensorSpec, conform
from ..tracing.trace import is_tracing


class Elements(IterableSource):
    """Base class of datasets and their iterators, with the structure and types of an element."""

    def __init__(self, spec: Any):
        self.spec = spec
        self._specs, self._structure = flatten(spec)
        invalid = [s for s in self._specs if not isinstance(s, TensorSpec)]
        if invalid:
            raise ArgumentError(
                f"a dataset's spec must be a TensorSpec or a structure of them, not {describe(invalid[0])}",
                why="the spec declares the dtype and shape of each array in an element",
                remedy="pass ag.TensorSpec(shape, dtype) for each array, or omit spec=",
            )

    def leaves(self, element: Any) -> tuple[Any, ...]:
        """Return the arrays of an element.

        Raises:
            SpecError: the element does not match the spec.
        """
        values, structure = flatten(element)
        if structure != self._structure and self._structure.kind is tuple and type(element) is list:
            values, structure = flatten(tuple(element))  # data loaders collate tuples into lists
        if structure != self._structure:
            raise SpecError(
                f"an element of the dataset is {structure}, but its spec is {self._structure}",
                why="the graph was built for the structure of the spec",
                remedy="change the spec to this structure, or give all elements the same structure",
                place=None,
            )
        what = "an element of the dataset has the type"
        return tuple([conform(v, s, what) for v, s in zip(values, self._specs, strict=True)])

    def iterate(self) -> Iterator[Any]:
        """Yield the arrays of each element, for a running graph."""
        raise NotImplementedError

    def staged(self) -> StagedIterable:
        structure = ConstructedStructure.of(self.element, range(len(self._specs)))
        return StagedIterable("dataset", (), [s.type for s in self._specs], structure, function=self.iterate)

    def element(self, leaves: Iterable[Any]) -> Any:
        return unflatten(self._structure, list(leaves))


class Dataset(Elements):
    """A source of elements that can be iterated repeatedly. Create one with `from_iterable`."""

    def __init__(self, factory: Callable[[], Iterable[Any]], spec: Any):
        super().__init__(spec)
        self._factory = factory

    def __iter__(self) -> Iterator[Any]:
        if is_tracing():
            raise ValueNeededError(
                "Python cannot iterate over a dataset during a trace",
                why="Python would iterate over it only once, but the graph iterates over it on each run",
                remedy="loop over it with 'for' in converted code, or create its iterator outside "
                "the function and call next() on it",
            )
        return DatasetIterator(self)

    def iterate(self) -> Iterator[Any]:
        return map(self.leaves, iter(self._factory()))

    def __repr__(self) -> str:
        return f"Dataset({self.spec})"


class DatasetIterator(Elements):
    """An iterator over a dataset. In a graph, `next` takes one element on each run."""

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
        node = recording.add(
            "next", (), None, effect=True, function=self._leaves.__next__, args=(), kwargs={}
        )
        return self.element(recording.outputs(node, [s.type for s in self._specs]))


@api_boundary
def from_iterable(source: Callable[[], Iterable[Any]] | Iterable[Any], *, spec: Any = None) -> Dataset:
    """Create a dataset from a source that can be iterated repeatedly, such as a list or a data loader.

    Args:
        source: an iterable, or a function without arguments that returns one for each pass.
        spec: a `TensorSpec`, or a tuple, dict or other structure of them, for one element. By default it is
            the spec of the first element, with its exact shape.

    Raises:
        ArgumentError: `source` can be iterated only once, or `spec` is not a spec.
        SpecError: an element does not match the spec (raised during iteration).
        OptionError: `spec` is omitted, and `source` is empty.

    In a `function`, a loop over the dataset is one node, which runs when the graph runs.

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
            f"{describe(source)} is not iterable, so it cannot be the source of a dataset",
            why="every loop over a dataset iterates its source again",
            remedy="pass a list, an array, a data loader, or a function without arguments that returns one",
        )
    elif iter(source) is source:
        raise ArgumentError(
            f"a {type(source).__name__} can be iterated only once",
            why="every loop over a dataset iterates its source again",
            remedy="pass from_iterable a function that creates it",
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
                "the dataset has no spec, and no element to infer it from",
                why="without spec=, the spec is inferred from the first element",
                remedy="pass spec= to from_iterable",
            )
        leaves, structure = flatten(tuple(first) if type(first) is list else first)
        arrays = list(map(np.asarray, leaves))
        spec = unflatten(structure, [TensorSpec(a.shape, a.dtype) for a in arrays])
    return Dataset(factory, spec)


__all__ = ["Dataset", "DatasetIterator", "from_iterable"]
