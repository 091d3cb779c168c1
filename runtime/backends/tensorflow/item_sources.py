"""What a staged `for` takes its items from: something that is counted, or a dataset's iterator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from ...structures import flatten, unflatten
from ..iterables import StagedSequence
from .graphs import new_graph, placeholder
from .values import Number, default_dtype


@dataclass(frozen=True)
class Element:
    """The type of the n-th leaf of a loop's items; its source makes it."""

    source: Any
    place: int

    def __str__(self) -> str:
        return "an item"


def is_dataset(kind: type) -> bool:
    return issubclass(kind, (tf.data.Dataset, tf.distribute.DistributedDataset))


def is_iterator(kind: type) -> bool:
    return issubclass(kind, (tf.data.Iterator, tf.distribute.DistributedIterator))


class _Source:
    """`inputs` are the arguments of a loop's body out of which `item` makes an item."""

    inputs: Sequence[tuple[Any, Any]] = ()

    def item(self, *arguments: Any) -> Any:
        raise NotImplementedError

    def probe(self) -> None:
        """Find out how the items are made of leaves."""
        graph = new_graph("item", body=True)
        with graph.as_default():
            leaves, self.spec = flatten(self.item(*[placeholder(graph, *i) for i in self.inputs]))
        self.count = len(leaves)

    def rebuild(self, leaves: Sequence[Any]) -> Any:
        return unflatten(self.spec, list(leaves))


class Counted(_Source):
    """Items by number, which is the loop's counter."""

    inputs = ((tf.int32, ()),)

    def __init__(self, items: StagedSequence):
        self.items, self.count_of_items = items, items.count
        self.probe()

    def item(self, *arguments: Any) -> Any:
        [counter] = arguments
        kind = default_dtype(1)
        return self.items.item(Number(counter if kind == counter.dtype else tf.cast(counter, kind)))


class Fetched(_Source):
    """Items that an iterator gives: the loop carries the next one, which may be none."""

    inputs = ((tf.variant, ()),)

    def __init__(self, iterator: Any):
        self.iterator = iterator
        with new_graph("none", body=True).as_default():
            self.model = iterator.get_next_as_optional()
        self.probe()

    def item(self, *arguments: Any) -> Any:
        return tf.nest.pack_sequence_as(self.model, list(arguments), expand_composites=True).get_value()

    def _fetched(self) -> Any:
        return self.iterator.get_next_as_optional()

    def first(self, going: Any) -> tuple[list[Any], Any]:
        """The first item, and whether there is one."""
        return self.following(going)

    def following(self, going: Any) -> tuple[list[Any], Any]:
        """The next item if the loop goes on, and whether there is one."""
        none: Callable[[], Any] = lambda: tf.experimental.Optional.empty(self.model.element_spec)  # noqa: E731
        if isinstance(going, bool):
            item = self._fetched() if going else none()
        else:
            item = tf.cond(going, self._fetched, none)
        return list(tf.nest.flatten(item, expand_composites=True)), item.has_value()


def source_of(backend: Any, iterated: Any) -> _Source:
    kind = type(iterated)
    if is_dataset(kind):
        return Fetched(iter(iterated))
    if is_iterator(kind):
        return Fetched(iterated)
    return Counted(backend.sequence(iterated))


def listed(backend: Any, items: StagedSequence) -> StagedSequence:
    """A sequence whose arrays are read without computing on them as a whole, also in a gradient."""
    if items.name != "array":
        return items
    [array] = items.sources
    tensor = backend.tensor(array)
    if tensor.shape.rank is None:
        return items
    if tf.is_symbolic_tensor(tensor) and tensor.op.type == "Range":
        return _counted(backend, items, *tensor.op.inputs)
    rows = tf.raw_ops.TensorListFromTensor(tensor=tensor, element_shape=_row_shape(tensor))

    def item(i: Any) -> Any:
        made = tf.raw_ops.TensorListGetItem(
            input_handle=rows,
            index=tf.cast(backend.tensor(i), tf.int32),
            element_shape=_row_shape(tensor),
            element_dtype=tensor.dtype,
        )
        made.set_shape(tensor.shape[1:])
        return made

    return StagedSequence("rows", items.count, item, items.sources)


def _counted(backend: Any, items: StagedSequence, start: Any, _: Any, step: Any) -> StagedSequence:
    """What `tf.range` made, without its tensor."""
    first, by = tf.get_static_value(start), tf.get_static_value(step)

    def item(i: Any) -> Any:
        number = tf.cast(backend.tensor(i), start.dtype)
        scaled = number if by == 1 else number * step
        return scaled if first == 0 else start + scaled

    return StagedSequence("range", items.count, item, items.sources)


def _row_shape(tensor: Any) -> Any:
    dims = tensor.shape[1:].as_list()
    if None in dims:
        return tf.constant([-1 if d is None else d for d in dims], tf.int32)
    return tf.constant(dims, tf.int32)
