"""Lists that a staged program makes longer and shorter: a TensorList for each leaf of an item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import tensorflow as tf

from ...errors import StagingError, UnsupportedFunctionError, ValueNeededError
from ...structures import LEAF, Spec, flatten, unflatten
from .values import Kind, Number, default_dtype


@dataclass(frozen=True)
class ListKind:
    """A list whose items have the leaves `items` in the structure `spec`; None for one without items."""

    items: tuple[Kind, ...] | None
    spec: Spec = LEAF
    is_value: bool = False  # a variable that may be one of several lists, not the contents of one

    def __str__(self) -> str:
        return "list of " + ("nothing" if self.items is None else ", ".join(map(str, self.items)))


class StagedList:
    """A list that stands in the place of a Python one.

    `parts` are TensorLists, `kind` says of what; `count` is the number of items if that is known, relative
    to what a loop started with.
    """

    name = "a list"
    shared = ""
    flat: tuple[Any, ...] = ()  # its items as one tensor for each leaf, where these are known

    def __init__(self, backend: Any, kind: ListKind, parts: Sequence[Any], count: Any):
        self.backend, self.kind, self.parts, self.count = backend, kind, list(parts), count
        self.home = backend.captures[-1] if backend.captures else None
        self._settle()

    def read(self) -> Contents:
        return Contents(self.backend, self.kind, tuple(self.parts), self.count)

    def write(self, contents: Contents) -> None:
        self._changing()
        self.restore(contents)

    def restore(self, contents: Contents) -> None:
        self.kind, self.parts, self.count = contents.kind, list(contents.parts), contents.count
        self.flat = ()
        self._settle()

    def _changing(self) -> None:
        """Let the capture that is running know what the list held before."""
        self.flat = ()
        if self.backend.captures and self.backend.captures[-1] is not self.home:
            self.backend.captures[-1].lists.setdefault(id(self), (self, self.read()))

    @property
    def shape(self) -> Any:
        return tf.convert_to_tensor(self).shape

    @property
    def dtype(self) -> Any:
        return self._kinds()[0].dtype

    def _kinds(self) -> tuple[Kind, ...]:
        if self.kind.items is None:
            return (Kind(default_dtype(2), ()),)
        return self.kind.items

    def length(self) -> Any:
        known = known_count(self.count)
        if known is not None:
            return known
        if self.kind.items is None or not self.parts:
            return 0
        return Number(tf.cast(tf.raw_ops.TensorListLength(input_handle=self.parts[0]), default_dtype(1)))

    def append(self, value: Any) -> None:
        self._changing()
        leaves, spec = flatten(value)
        kinds = tuple([self.backend.type_of(leaf) for leaf in leaves])
        if any(not isinstance(k, Kind) for k in kinds):
            raise StagingError(
                f"a {type(value).__name__} is appended to a list in a staged branch or loop",
                why="such a list holds tensors, numbers, text, and tuples and dicts of these",
                remedy="append its tensors in a tuple or dict",
            )
        self._hold(self.backend.merge_lists(self.kind, ListKind(kinds, spec)))
        assert self.kind.items is not None
        for i, (leaf, kind) in enumerate(zip(leaves, self.kind.items, strict=True)):
            item = self.backend.tensor(self.backend.cast(leaf, kind))
            self.parts[i] = tf.raw_ops.TensorListPushBack(input_handle=self.parts[i], tensor=item)
        self.count = moved(self.count, 1)

    def _hold(self, kind: ListKind) -> None:
        if kind != self.kind or not self.parts:
            self.parts = parts_as(self.backend, self.read(), kind)
            self.kind = kind
            self._settle()

    def extend(self, values: Any) -> None:
        if isinstance(values, StagedList) and known_count(values.count) is None:
            raise UnsupportedFunctionError(
                "a list whose length is known only at run time is added to another",
                why="Python would have to know how many items there are",
                remedy="append its items in a 'for' loop",
            )
        for value in values:
            self.append(value)

    def __iadd__(self, values: Any) -> Self:
        self.extend(values)
        return self

    def __add__(self, values: Any) -> StagedList:
        made = self.copy()
        made.extend(values)
        return made

    def __iter__(self) -> Any:
        count = known_count(self.count)
        if count is None:
            raise ValueNeededError(
                "a list whose length is known only at run time is iterated by Python",
                why="Python would have to know how many items there are",
                remedy="use a 'for' loop in converted code, or tf.stack(items)",
            )
        return iter([self.item(i) for i in range(count)])

    def __len__(self) -> int:
        count = known_count(self.count)
        if count is None:
            raise ValueNeededError(
                "the length of a staged list is asked by Python",
                why="it is known only when the program runs",
                remedy="call len() in converted code",
            )
        return count

    def item(self, index: Any) -> Any:
        index = tf.cast(tf.convert_to_tensor(index), tf.int32)
        leaves: list[Any] = []
        for part, kind in zip(self.parts, self._kinds(), strict=True):
            made = tf.raw_ops.TensorListGetItem(
                input_handle=part,
                index=index,
                element_shape=shape_input(kind.shape),
                element_dtype=kind.dtype,
            )
            leaves.append(self.backend.as_kind(made, kind))
        return unflatten(self.kind.spec, leaves)

    def _place(self, index: Any, what: str) -> Any:
        length = self.length()
        if isinstance(index, int) and isinstance(length, int):
            if not -length <= index < length:
                raise in_program(IndexError(what))
            return index % length
        if isinstance(index, int) and index >= 0:
            place, bad = index, length <= index
        elif isinstance(index, int):
            place, bad = length + index, length < -index
        else:
            place = tf.where(index < 0, index + length, index)
            bad = tf.logical_or(place < 0, place >= tf.cast(tf.convert_to_tensor(length), place.dtype))
        with tf.control_dependencies([self.backend.fail(bad, IndexError(what))]):
            return tf.identity(tf.convert_to_tensor(place))

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return tf.convert_to_tensor(self)[key]
        return self.item(self._place(key, f"{self.name.removeprefix('a ')} index out of range"))

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, slice):
            raise UnsupportedFunctionError(
                "a slice of a staged list is assigned to",
                why="TensorFlow's lists have no operation for it",
                remedy="write its items in a 'for' loop",
            )
        place = tf.cast(
            tf.convert_to_tensor(self._place(key, "list assignment index out of range")), tf.int32
        )
        self._changing()
        leaves, spec = flatten(value)
        kinds = tuple([self.backend.type_of(leaf) for leaf in leaves])
        self._hold(self.backend.merge_lists(self.kind, ListKind(kinds, spec)))
        for i, (leaf, kind) in enumerate(zip(leaves, self._kinds(), strict=True)):
            item = self.backend.tensor(self.backend.cast(leaf, kind))
            self.parts[i] = tf.raw_ops.TensorListSetItem(input_handle=self.parts[i], index=place, item=item)

    def pop(self, index: Any = -1) -> Any:
        self._changing()
        length = self.length()
        if not (isinstance(index, int) and index == -1):
            place = self._place(index, "pop index out of range")
            taken = self.item(place)
            self._cut(place, 1)
            return taken
        if isinstance(length, int):
            if not length:
                raise in_program(IndexError("pop from empty list"))
        else:
            checked = self.backend.fail(length < 1, IndexError("pop from empty list"))
            with tf.control_dependencies([checked]):
                self.parts = [tf.identity(part) for part in self.parts]
        leaves: list[Any] = []
        for i, kind in enumerate(self._kinds()):
            self.parts[i], item = tf.raw_ops.TensorListPopBack(
                input_handle=self.parts[i], element_shape=shape_input(kind.shape), element_dtype=kind.dtype
            )
            leaves.append(self.backend.as_kind(item, kind))
        self.count = moved(self.count, -1)
        return unflatten(self.kind.spec, leaves)

    def __delitem__(self, index: Any) -> None:
        if isinstance(index, slice):
            self._refuse()
        self._changing()
        self._cut(self._place(index, "list assignment index out of range"), 1)

    def insert(self, index: Any, value: Any) -> None:
        self.append(value)
        length = self.backend.tensor(self.length())
        place = tf.cast(tf.convert_to_tensor(index), length.dtype)
        place = tf.clip_by_value(tf.where(place < 0, place + length - 1, place), 0, length - 1)
        order = tf.concat([tf.range(place), [length - 1], tf.range(place, length - 1)], axis=0)
        self._reorder(order)

    def _cut(self, place: Any, number: int) -> None:
        """Take items out at a place."""
        place = tf.convert_to_tensor(place)
        length = tf.cast(self.backend.tensor(self.length()), place.dtype)
        self._reorder(tf.concat([tf.range(place), tf.range(place + number, length)], axis=0))
        self.count = moved(self.count, -number)

    def _reorder(self, order: Any) -> None:
        self.parts = [
            tf.raw_ops.TensorListFromTensor(
                tensor=tf.gather(rows, order), element_shape=shape_input(kind.shape)
            )
            for rows, kind in zip(self.stacked(), self._kinds(), strict=True)
        ]

    def clear(self) -> None:
        self._changing()
        self.parts, self.count = [empty(kind) for kind in self.kind.items or ()], 0

    def copy(self) -> StagedList:
        return StagedList(self.backend, self.kind, self.parts, self.count)

    def __contains__(self, item: Any) -> Any:
        raise UnsupportedFunctionError(
            "a staged list is searched by Python's 'in'",
            why="Python would need the values, which are known only when the program runs",
            remedy="use tf.reduce_any(tf.stack(items) == x)",
        )

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise UnsupportedFunctionError(
            "a method of a list is called whose length is known only at run time",
            why="such a list has append(), insert(), pop(), extend(), clear() and items "
            "only: remove(), sort() and the like cannot be staged",
            remedy="use a tensor: tf.stack(items)",
        )

    remove = sort = reverse = index = __mul__ = __radd__ = _refuse

    def stacked(self) -> list[Any]:
        """A tensor for each leaf of an item: that of all items."""
        count = known_count(self.count)
        return [
            tf.raw_ops.TensorListStack(
                input_handle=part,
                element_shape=shape_input(kind.shape),
                element_dtype=kind.dtype,
                num_elements=-1 if count is None else count,
            )
            for part, kind in zip(self.parts, self._kinds(), strict=False)
        ]

    def _settle(self) -> None:
        self.__class__ = StagedList if self.kind.spec == LEAF else StagedRecords


class StagedRecords(StagedList):
    """A staged list of tuples or dicts, of which a compiled function returns a Python list."""

    def __tf_flatten__(self) -> tuple[Any, Any]:
        return (self.backend, self.kind), self.flat or tuple(self.stacked())

    @classmethod
    def __tf_unflatten__(cls, metadata: Any, components: Any) -> Any:
        backend, kind = metadata
        if not tf.executing_eagerly():
            parts = [
                tf.raw_ops.TensorListFromTensor(tensor=t, element_shape=shape_input(k.shape))
                for t, k in zip(components, kind.items, strict=True)
            ]
            made = StagedList(backend, kind, parts, None)
            made.flat = tuple(components)
            return made
        return [
            unflatten(kind.spec, list(leaves)) for leaves in zip(*map(tf.unstack, components), strict=True)
        ]


def in_program(error: IndexError) -> IndexError:
    """An error that is found while a branch is captured, but belongs to the program."""
    vars(error)["in_program"] = True
    return error


@dataclass(frozen=True, eq=False)
class Contents:
    """What a staged list holds at one time."""

    backend: Any
    kind: ListKind
    parts: tuple[Any, ...]
    count: Any


def known_count(count: Any) -> int | None:
    return count if isinstance(count, int) else None


def moved(count: Any, by: int) -> Any:
    if isinstance(count, tuple):
        return count[0], count[1] + by
    return None if count is None else count + by


def shape_input(shape: tuple[int | None, ...] | None) -> Any:
    return -1 if shape is None else tf.constant([-1 if d is None else d for d in shape], tf.int32)


def empty(kind: Kind) -> Any:
    return tf.raw_ops.EmptyTensorList(
        element_shape=shape_input(kind.shape), max_num_elements=-1, element_dtype=kind.dtype
    )


def parts_as(backend: Any, held: Contents, kind: ListKind) -> list[Any]:
    """The TensorLists of a list, as those of a kind that holds its items too."""
    if kind.items is None:
        return []
    if held.kind.items is None or not held.parts:
        return [empty(k) for k in kind.items]
    made = []
    for part, old, new in zip(held.parts, held.kind.items, kind.items, strict=True):
        if (old.dtype, old.shape) == (new.dtype, new.shape):
            made.append(part)
            continue
        count = known_count(held.count)
        rows = tf.raw_ops.TensorListStack(
            input_handle=part,
            element_shape=shape_input(old.shape),
            element_dtype=old.dtype,
            num_elements=-1 if count is None else count,
        )
        made.append(
            tf.raw_ops.TensorListFromTensor(
                tensor=tf.cast(rows, new.dtype), element_shape=shape_input(new.shape)
            )
        )
    return made


def stacked(value: StagedList, dtype: Any = None, name: str | None = None, as_ref: bool = False) -> Any:
    """A staged list as a tensor, for `tf.convert_to_tensor`."""
    if value.kind.items is not None and value.kind.spec != LEAF:
        raise TypeError("a staged list of tuples or dicts cannot be one tensor")
    made = value.stacked()[0] if value.kind.items is not None else tf.zeros([0], dtype or default_dtype(2))
    return made if dtype is None else tf.cast(made, dtype)


tf.register_tensor_conversion_function(StagedList, stacked)
