"""Lists that a staged program lengthens and shortens, stored as a TensorList for each leaf of an item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import tensorflow as tf

from ...errors import MismatchError, StagingError, UnsupportedFunctionError, ValueNeededError
from ...values.structures import LEAF, Spec, flatten, unflatten
from .types import Number, TensorType, default_dtype


@dataclass(frozen=True)
class ListType:
    """The type of a list whose items have leaves of the types `items` in the structure `spec`.

    `items` is None for a list that never had items. With `is_value` it is the type of a variable that may
    refer to one of several lists, not of the contents of one list.
    """

    items: tuple[TensorType, ...] | None
    spec: Spec = LEAF
    is_value: bool = False

    def __str__(self) -> str:
        return "list of " + ("nothing" if self.items is None else ", ".join(map(str, self.items)))


class StagedList:
    """A staged list that replaces a Python list.

    `parts` are TensorLists of the type `type`. `count` is the length: an int; None if unknown; or, inside a
    loop, a pair `(key of the initial list, offset from its length)`.
    """

    ag__name = "a list"
    shared = ""
    flat: tuple[Any, ...] = ()  # the items as one tensor for each leaf, if known

    def __init__(self, backend: Any, type_: ListType, parts: Sequence[Any], count: Any):
        self.backend, self.type, self.parts, self.count = backend, type_, list(parts), count
        self.created_in = backend.captures[-1] if backend.captures else None
        self._set_class()

    @property
    def is_structured(self) -> bool:
        """Whether the items are tuples, lists or dicts."""
        return self.type.items is not None and self.type.spec != LEAF

    def read(self) -> Contents:
        return Contents(self.type, tuple(self.parts), self.count)

    def write(self, contents: Contents) -> None:
        self._save_state()
        self.restore(contents)

    def restore(self, contents: Contents) -> None:
        self.type, self.parts, self.count = contents.type, list(contents.parts), contents.count
        self.flat = ()
        self._set_class()

    def _save_state(self) -> None:
        """Save the list's state, which the current capture restores when it ends."""
        self.flat = ()
        if self.backend.captures and self.backend.captures[-1] is not self.created_in:
            self.backend.captures[-1].lists.setdefault(id(self), (self, self.read()))

    @property
    def shape(self) -> Any:
        return tf.convert_to_tensor(self).shape

    @property
    def dtype(self) -> Any:
        return self._item_types()[0].dtype

    def _item_types(self) -> tuple[TensorType, ...]:
        if self.type.items is None:
            return (TensorType(default_dtype(2), ()),)
        return self.type.items

    def length(self) -> Any:
        known = known_length(self.count)
        if known is not None:
            return known
        if self.type.items is None or not self.parts:
            return 0
        return Number(tf.cast(tf.raw_ops.TensorListLength(input_handle=self.parts[0]), default_dtype(1)))

    def append(self, value: Any) -> None:
        self._save_state()
        for i, item in enumerate(self._tensors_of(value)):
            self.parts[i] = tf.raw_ops.TensorListPushBack(input_handle=self.parts[i], tensor=item)
        self.count = offset_count(self.count, 1)

    def _tensors_of(self, value: Any) -> list[Any]:
        """Widen the type of the list to include that of an item, and return the item's tensors."""
        leaves, spec = flatten(value)
        if _can_change(spec):
            raise StagingError(
                f"a {spec.kind.__name__} cannot be put into a list in a staged branch or loop",  # type: ignore[union-attr]
                why="the list stores its tensors, so a later change of it would not reach the list",
                remedy="put a tuple of its items into the list",
            )
        avals = tuple([self.backend.type_of(leaf) for leaf in leaves])
        if any(not isinstance(k, TensorType) for k in avals):
            raise StagingError(
                f"a {type(value).__name__} cannot be put into a list in a staged branch or loop",
                why="a staged list holds tensors, numbers, text, and tuples and dicts of these",
                remedy="put its tensors into a tuple or dict",
            )
        try:
            aval = self.backend.merge_lists(self.type, ListType(avals, spec))
        except TypeError as error:
            raise MismatchError(
                "an item of another type is put into a list in a staged branch or loop",
                why=f"the items of a staged list have one type: {error}",
                remedy="put values of one type into it",
            ) from None
        if aval != self.type or not self.parts:
            self.parts = tensor_lists(self.read(), aval)
            self.type = aval
            self._set_class()
        pairs = zip(leaves, aval.items, strict=True)
        return [self.backend.tensor(self.backend.cast(leaf, item)) for leaf, item in pairs]

    def extend(self, values: Any) -> None:
        if isinstance(values, StagedList) and known_length(values.count) is None:
            raise UnsupportedFunctionError(
                "a list cannot be extended by a list whose length is known only at run time",
                why="Python would need the number of items",
                remedy="append its items in a 'for' loop",
            )
        for value in values:
            self.append(value)

    def __iadd__(self, values: Any) -> Self:
        self.extend(values)
        return self

    def __add__(self, values: Any) -> StagedList:
        result = self.copy()
        result.extend(values)
        return result

    def __iter__(self) -> Any:
        count = known_length(self.count)
        if count is None:
            raise ValueNeededError(
                "Python cannot iterate a list whose length is known only at run time",
                why="Python would need the number of items",
                remedy="use a 'for' loop in converted code, or tf.stack(items)",
            )
        return iter([self.item(i) for i in range(count)])

    def __len__(self) -> int:
        count = known_length(self.count)
        if count is None:
            raise ValueNeededError(
                "Python needs the length of a staged list",
                why="the length is known only when the graph runs",
                remedy="call len() in converted code",
            )
        return count

    def item(self, index: Any) -> Any:
        index = tf.cast(tf.convert_to_tensor(index), tf.int32)
        leaves: list[Any] = []
        for part, aval in zip(self.parts, self._item_types(), strict=True):
            result = tf.raw_ops.TensorListGetItem(
                input_handle=part,
                index=index,
                element_shape=shape_input(aval.shape),
                element_dtype=aval.dtype,
            )
            leaves.append(self.backend.typed(result, aval))
        return unflatten(self.type.spec, leaves)

    def _checked_index(self, index: Any, what: str) -> Any:
        length = self.length()
        if isinstance(index, int) and isinstance(length, int):
            if not -length <= index < length:
                raise in_program(IndexError(what))
            return index % length
        if isinstance(index, int) and index >= 0:
            position, is_outside = index, length <= index
        elif isinstance(index, int):
            position, is_outside = length + index, length < -index
        else:
            position = tf.where(index < 0, index + length, index)
            is_outside = tf.logical_or(
                position < 0, position >= tf.cast(tf.convert_to_tensor(length), position.dtype)
            )
        with tf.control_dependencies([self.backend.fail(is_outside, IndexError(what))]):
            return tf.identity(tf.convert_to_tensor(position))

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return tf.convert_to_tensor(self)[key]
        return self.item(self._checked_index(key, f"{self.ag__name.removeprefix('a ')} index out of range"))

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, slice):
            raise UnsupportedFunctionError(
                "cannot assign to a slice of a staged list",
                why="TensorFlow's lists have no operation for it",
                remedy="assign its items in a 'for' loop",
            )
        position = tf.cast(
            tf.convert_to_tensor(self._checked_index(key, "list assignment index out of range")), tf.int32
        )
        self._save_state()
        for i, item in enumerate(self._tensors_of(value)):
            self.parts[i] = tf.raw_ops.TensorListSetItem(
                input_handle=self.parts[i], index=position, item=item
            )

    def pop(self, index: Any = -1) -> Any:
        self._save_state()
        length = self.length()
        if not (isinstance(index, int) and index == -1):
            position = self._checked_index(index, "pop index out of range")
            item = self.item(position)
            self._remove(position)
            return item
        if isinstance(length, int):
            if not length:
                raise in_program(IndexError("pop from empty list"))
        else:
            checked = self.backend.fail(length < 1, IndexError("pop from empty list"))
            with tf.control_dependencies([checked]):
                self.parts = [tf.identity(part) for part in self.parts]
        leaves: list[Any] = []
        for i, aval in enumerate(self._item_types()):
            self.parts[i], item = tf.raw_ops.TensorListPopBack(
                input_handle=self.parts[i], element_shape=shape_input(aval.shape), element_dtype=aval.dtype
            )
            leaves.append(self.backend.typed(item, aval))
        self.count = offset_count(self.count, -1)
        return unflatten(self.type.spec, leaves)

    def __delitem__(self, index: Any) -> None:
        if isinstance(index, slice):
            self._reject()
        self._save_state()
        self._remove(self._checked_index(index, "list assignment index out of range"))

    def insert(self, index: Any, value: Any) -> None:
        self.append(value)
        length = self.backend.tensor(self.length())
        position = tf.cast(tf.convert_to_tensor(index), length.dtype)
        position = tf.clip_by_value(tf.where(position < 0, position + length - 1, position), 0, length - 1)
        order = tf.concat([tf.range(position), [length - 1], tf.range(position, length - 1)], axis=0)
        self._reorder(order)

    def _remove(self, position: Any) -> None:
        position = tf.convert_to_tensor(position)
        length = tf.cast(self.backend.tensor(self.length()), position.dtype)
        self._reorder(tf.concat([tf.range(position), tf.range(position + 1, length)], axis=0))
        self.count = offset_count(self.count, -1)

    def _reorder(self, order: Any) -> None:
        pairs = zip(self.stacked(), self._item_types(), strict=True)
        self.parts = [list_of_rows(tf.gather(rows, order), aval) for rows, aval in pairs]

    def clear(self) -> None:
        self._save_state()
        self.parts, self.count = [empty_list(aval) for aval in self.type.items or ()], 0

    def copy(self) -> StagedList:
        return StagedList(self.backend, self.type, self.parts, self.count)

    def __contains__(self, item: Any) -> Any:
        raise UnsupportedFunctionError(
            "Python's 'in' cannot search a staged list",
            why="'in' needs the values, which are known only when the graph runs",
            remedy="use tf.reduce_any(tf.stack(items) == x)",
        )

    def _reject(self, *_: Any, **__: Any) -> Any:
        raise UnsupportedFunctionError(
            "this operation is not supported on a list whose length is known only at run time",
            why="a staged list supports only append(), insert(), pop(), extend(), clear() and subscripts; "
            "remove(), sort() and other methods cannot be staged",
            remedy="convert the list to a tensor first: tf.stack(items)",
        )

    remove = sort = reverse = index = __mul__ = __radd__ = _reject

    def stacked(self) -> list[Any]:
        """Stack the items into one tensor for each leaf."""
        return [_stack(p, a, self.count) for p, a in zip(self.parts, self._item_types(), strict=False)]

    def _set_class(self) -> None:
        self.__class__ = StagedList if self.type.spec == LEAF else StagedRecords


class StagedRecords(StagedList):
    """A staged list of tuples or dicts, which a compiled function returns as a Python list."""

    def __tf_flatten__(self) -> tuple[Any, Any]:
        return (self.backend, self.type), self.flat or tuple(self.stacked())

    @classmethod
    def __tf_unflatten__(cls, metadata: Any, components: Any) -> Any:
        backend, aval = metadata
        if not tf.executing_eagerly():
            parts = list(map(list_of_rows, components, aval.items))
            result = StagedList(backend, aval, parts, None)
            result.flat = tuple(components)
            return result
        return [
            unflatten(aval.spec, list(leaves)) for leaves in zip(*map(tf.unstack, components), strict=True)
        ]


def in_program(error: IndexError) -> IndexError:
    """Mark an error detected during a capture as one that the user's program raises."""
    vars(error)["in_program"] = True
    return error


@dataclass(frozen=True, eq=False)
class Contents:
    """The contents of a staged list at one point in time."""

    type: ListType
    parts: tuple[Any, ...]
    count: Any


def known_length(count: Any) -> int | None:
    return count if isinstance(count, int) else None


def offset_count(count: Any, by: int) -> Any:
    if isinstance(count, tuple):
        return count[0], count[1] + by
    return None if count is None else count + by


def shape_input(shape: tuple[int | None, ...] | None) -> Any:
    return -1 if shape is None else tf.constant([-1 if d is None else d for d in shape], tf.int32)


def empty_list(aval: TensorType) -> Any:
    return tf.raw_ops.EmptyTensorList(
        element_shape=shape_input(aval.shape), max_num_elements=-1, element_dtype=aval.dtype
    )


def list_of_rows(rows: Any, aval: TensorType) -> Any:
    return tf.raw_ops.TensorListFromTensor(tensor=rows, element_shape=shape_input(aval.shape))


def _can_change(spec: Spec) -> bool:
    """Return whether an item is, or contains, a list or dict."""
    return spec.kind in (list, dict) or any(map(_can_change, spec.parts))


def _stack(part: Any, aval: TensorType, count: Any) -> Any:
    return tf.raw_ops.TensorListStack(
        input_handle=part,
        element_shape=shape_input(aval.shape),
        element_dtype=aval.dtype,
        num_elements=count if isinstance(count, int) else -1,
    )


def tensor_lists(contents: Contents, aval: ListType) -> list[Any]:
    """Convert the TensorLists of a list to those of a wider type."""
    if aval.items is None:
        return []
    if contents.type.items is None or not contents.parts:
        return [empty_list(k) for k in aval.items]
    return [
        part
        if (old.dtype, old.shape) == (new.dtype, new.shape)
        else list_of_rows(tf.cast(_stack(part, old, contents.count), new.dtype), new)
        for part, old, new in zip(contents.parts, contents.type.items, aval.items, strict=True)
    ]


def stacked(value: StagedList, dtype: Any = None, name: str | None = None, as_ref: bool = False) -> Any:
    """Convert a staged list to a tensor, for `tf.convert_to_tensor`."""
    if value.is_structured:
        raise TypeError("a staged list of tuples or dicts cannot be converted to one tensor")
    result = value.stacked()[0] if value.type.items is not None else tf.zeros([0], dtype or default_dtype(2))
    return result if dtype is None else tf.cast(result, dtype)


tf.register_tensor_conversion_function(StagedList, stacked)
