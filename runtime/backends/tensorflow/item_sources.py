"""Sources of the items of a staged `for`: an indexed sequence, or the iterator of a dataset."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from ...values.structures import flatten, unflatten
from ..functional.iterables import StagedSequence
from .graphs import new_graph, placeholder
from .lists import list_of_rows, shape_input
from .types import Number, TensorType, default_dtype


@dataclass(frozen=True)
class ElementType:
    """The type of the n-th leaf of a loop's items, which `source` computes."""

    source: Any
    position: int

    def __str__(self) -> str:
        return "an item"


def is_dataset(kind: type) -> bool:
    return issubclass(kind, (tf.data.Dataset, tf.distribute.DistributedDataset))


def is_iterator(kind: type) -> bool:
    return issubclass(kind, (tf.data.Iterator, tf.distribute.DistributedIterator))


class ItemSource:
    """Computes an item from the body's arguments, whose dtypes and shapes are `inputs`."""

    inputs: Sequence[tuple[Any, Any]] = ()

    def item(self, *arguments: Any) -> Any:
        raise NotImplementedError

    def _infer_structure(self) -> None:
        """Determine the structure of an item."""
        graph = new_graph("item", is_body=True)
        with graph.as_default():
            leaves, self.spec = flatten(self.item(*[placeholder(graph, *i) for i in self.inputs]))
        self.leaf_count = len(leaves)

    def rebuild(self, leaves: Sequence[Any]) -> Any:
        return unflatten(self.spec, list(leaves))


class IndexedSource(ItemSource):
    """Items accessed by index, with the loop counter as the index."""

    inputs = ((tf.int32, ()),)

    def __init__(self, items: StagedSequence):
        self.items, self.length = items, items.count
        self._infer_structure()

    def item(self, *arguments: Any) -> Any:
        [counter] = arguments
        kind = default_dtype(1)
        return self.items.item(Number(counter if kind == counter.dtype else tf.cast(counter, kind)))


class IteratorSource(ItemSource):
    """Items of an iterator: the loop carries the next one as a TensorFlow `Optional`."""

    inputs = ((tf.variant, ()),)

    def __init__(self, iterator: Any):
        self.iterator = iterator
        with new_graph("none", is_body=True).as_default():
            self.model = iterator.get_next_as_optional()
        self._infer_structure()

    def item(self, *arguments: Any) -> Any:
        return tf.nest.pack_sequence_as(self.model, list(arguments), expand_composites=True).get_value()

    def fetch(self, continues: Any) -> tuple[list[Any], Any]:
        """Return the tensors of the next item, if the loop continues, and whether there is one."""
        fetched: Callable[[], Any] = self.iterator.get_next_as_optional
        none: Callable[[], Any] = lambda: tf.experimental.Optional.empty(self.model.element_spec)  # noqa: E731
        if isinstance(continues, bool):
            item = fetched() if continues else none()
        else:
            item = tf.cond(continues, fetched, none)
        return list(tf.nest.flatten(item, expand_composites=True)), item.has_value()


def item_source(backend: Any, iterated: Any) -> ItemSource:
    kind = type(iterated)
    if is_dataset(kind):
        return IteratorSource(iter(iterated))
    if is_iterator(kind):
        return IteratorSource(iterated)
    return IndexedSource(backend.sequence(iterated))


def rows_of(backend: Any, items: StagedSequence) -> StagedSequence:
    """Read rows from a TensorList, so that neither a read nor its gradient touches the whole array."""
    if items.name != "array":
        return items
    [array] = items.arrays
    tensor = backend.tensor(array)
    if tensor.shape.rank is None:
        return items
    if tf.is_symbolic_tensor(tensor) and tensor.op.type == "Range":
        return _range_items(backend, items, *tensor.op.inputs)
    aval = TensorType(tensor.dtype, tuple(tensor.shape[1:].as_list()))
    rows = list_of_rows(tensor, aval)

    def item(i: Any) -> Any:
        row = tf.raw_ops.TensorListGetItem(
            input_handle=rows,
            index=tf.cast(backend.tensor(i), tf.int32),
            element_shape=shape_input(aval.shape),
            element_dtype=tensor.dtype,
        )
        row.set_shape(tensor.shape[1:])
        return row

    return StagedSequence("rows", items.count, item, items.arrays)


def _range_items(backend: Any, items: StagedSequence, start: Any, _: Any, step: Any) -> StagedSequence:
    """Compute the items of a `tf.range` without building its tensor."""
    first, by = tf.get_static_value(start), tf.get_static_value(step)

    def item(i: Any) -> Any:
        number = tf.cast(backend.tensor(i), start.dtype)
        scaled = number if by == 1 else number * step
        return scaled if first == 0 else start + scaled

    return StagedSequence("range", items.count, item, items.arrays)
