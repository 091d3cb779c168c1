"""The kinds of TensorFlow's values: what one is, which holds two, and the tensors in which it is held."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from ...structures import flatten
from ..avals import Maybe, MaybeAval
from ..functional import FunctionalBackend
from .lists import Contents, ListKind, StagedList, empty, parts_as
from .values import ArrayKind, Composite, Kind, Number, default_dtype, merged_dtype, merged_shape, shape_of

_PYTHON = {int: 1, float: 2, complex: 3}
_VARIANT = Kind(tf.variant, ())
COMPOSITE = tf.__internal__.CompositeTensor


class TensorFlowKinds(FunctionalBackend):
    """What the backend says of values."""

    copied = "tf.identity({})"
    loops_over_ranges = True
    boolean = Kind(tf.bool, ())
    where = staticmethod(tf.where)
    logical_and = staticmethod(tf.logical_and)
    logical_or = staticmethod(tf.logical_or)

    def is_array(self, value: Any) -> bool:
        return isinstance(value, (tf.Tensor, tf.Variable, Number))

    def type_of(self, value: Any) -> Any:
        if isinstance(value, Number):
            return Kind(value.held, (), weak=True)
        if isinstance(value, (tf.Tensor, tf.Variable)):
            return Kind(value.dtype, shape_of(value))
        kind = type(value)
        if kind in _PYTHON:
            return Kind(default_dtype(_PYTHON[kind]), (), weak=True)
        if kind is bool or kind is str or kind is bytes:
            return Kind(tf.bool if kind is bool else tf.string, ())
        if isinstance(value, (np.ndarray, np.generic)):
            if value.dtype.kind in "biufcV":
                return Kind(tf.as_dtype(value.dtype), value.shape)
            return Kind(tf.string, value.shape) if value.dtype.kind in "US" else None
        if isinstance(value, Maybe):
            return MaybeAval(self.type_of(value.value), value.name)
        if isinstance(value, Contents):
            return value.kind
        if isinstance(value, StagedList):
            return ListKind(value.kind.items, value.kind.spec, is_value=True)
        if kind is list:
            return self._type_of_list(value)
        if isinstance(value, tf.TensorArray):
            return ArrayKind(value.dtype)
        return Composite(tf.type_spec_from_value(value)) if isinstance(value, COMPOSITE) else None

    def _type_of_list(self, values: list[Any]) -> ListKind | None:
        made = ListKind(None, is_value=True)
        for value in values:
            leaves, spec = flatten(value)
            kinds = tuple(map(self.type_of, leaves))
            if any(not isinstance(kind, Kind) for kind in kinds):
                return None
            try:
                made = self.merge_lists(made, ListKind(kinds, spec, is_value=True))
            except TypeError:
                return None
        return made

    def is_handle(self, value: Any) -> bool:
        """Whether a value is changed in place, or best left where it is while it is the same."""
        return isinstance(value, (StagedList, tf.Variable, tf.TensorArray, COMPOSITE)) and not isinstance(
            value, tf.Tensor
        )

    def merge(self, first: Any, second: Any) -> Any:
        if isinstance(first, ListKind) and isinstance(second, ListKind):
            return self.merge_lists(first, second)
        if isinstance(first, MaybeAval) or isinstance(second, MaybeAval):
            return super().merge(first, second)
        if isinstance(first, Kind) and isinstance(second, Kind):
            dtype = merged_dtype(first, second)
            return Kind(dtype, merged_shape(first.shape, second.shape), first.weak and second.weak)
        if isinstance(first, Composite) and isinstance(second, Composite):
            spec = first.spec.most_specific_common_supertype([second.spec])
            if spec is not None:
                return Composite(spec)
        if first != second or isinstance(first, Composite):
            raise TypeError(f"one is {first}, the other {second}")
        return first

    def widen(self, before: Any, after: Any) -> Any:
        return self.merge(before, after)

    def merge_lists(self, first: ListKind, second: ListKind) -> ListKind:
        if first.items is None or second.items is None:
            held = second if first.items is None else first
            return ListKind(held.items, held.spec, first.is_value)
        if first.spec != second.spec:
            raise TypeError("the items of a list have different structures")
        items = tuple(map(self.merge, first.items, second.items))
        return ListKind(items, first.spec, first.is_value)

    def parts(self, kind: Any) -> list[Any]:
        if isinstance(kind, Kind):
            return [kind]
        if isinstance(kind, MaybeAval):
            return super().parts(kind)
        if isinstance(kind, ListKind):
            return [_VARIANT] * len(kind.items or ())
        if isinstance(kind, ArrayKind):
            return [_VARIANT]
        specs = tf.nest.flatten(kind.spec, expand_composites=True)
        return [Kind(s.dtype, None if s.shape.rank is None else tuple(s.shape.as_list())) for s in specs]

    def held(self, value: Any, kind: Any) -> list[Any]:
        """A value as the tensors of a kind."""
        if isinstance(kind, MaybeAval):
            return super().held(value, kind)
        if isinstance(kind, ListKind):
            if isinstance(value, list):
                value = self.staged_list(value)
            contents = value.read() if isinstance(value, StagedList) else value
            return parts_as(self, contents, kind)
        if isinstance(kind, ArrayKind):
            return [value.flow]
        if isinstance(kind, Composite):
            return list(tf.nest.flatten(value, expand_composites=True))
        return [self.tensor(self.cast(value, kind))]

    def built(self, kinds: Sequence[Any], arrays: Sequence[Any], counts: Any = None) -> list[Any]:
        found, rest = [], list(arrays)
        for i, kind in enumerate(kinds):
            count = len(self.parts(kind))
            own, rest = rest[:count], rest[count:]
            found.append(self.one(kind, own, None if counts is None else counts[i]))
        return found

    def one(self, kind: Any, own: list[Any], *more: Any) -> Any:
        """`more` is the number of items of a list."""
        [count] = more
        if isinstance(kind, MaybeAval):
            return super().one(kind, own, count)
        if isinstance(kind, ListKind):
            if kind.is_value:
                return StagedList(self, ListKind(kind.items, kind.spec), own, count)
            return Contents(self, kind, tuple(own), count)
        if isinstance(kind, ArrayKind):
            return tf.TensorArray(kind.dtype, flow=own[0], dynamic_size=True, clear_after_read=False)
        if isinstance(kind, Composite):
            return tf.nest.pack_sequence_as(kind.spec, own, expand_composites=True)
        return self.as_kind(own[0], kind)

    def as_kind(self, tensor: Any, kind: Kind) -> Any:
        if kind.shape is not None:
            tensor.set_shape(kind.shape)
        return Number(tensor) if kind.weak else tensor

    def tensor(self, value: Any) -> Any:
        return value.tensor if isinstance(value, Number) else tf.convert_to_tensor(value)

    def cast(self, value: Any, kind: Kind) -> Any:
        if isinstance(value, (tf.Tensor, tf.Variable, Number)):
            given = self.tensor(value)
        elif kind.dtype == tf.string or isinstance(value, (np.ndarray, np.generic)):
            given = tf.convert_to_tensor(value)
        else:
            return tf.constant(value, kind.dtype)
        return given if given.dtype == kind.dtype else tf.cast(given, kind.dtype)

    def zeros(self, kind: Kind) -> Any:
        if kind.dtype == tf.variant:
            return empty(Kind(tf.float32, ()))
        shape = [d or 0 for d in kind.shape or ()]
        return tf.fill(shape, "") if kind.dtype == tf.string else tf.zeros(shape, kind.dtype)

    def truth(self, value: Any) -> Any:
        """A staged truth value, as Python asks it."""
        if isinstance(value, StagedList):
            value = value.length()
        tensor = tf.convert_to_tensor(value)
        if tensor.shape.num_elements() not in (None, 1):
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
            )
        if tensor.shape.rank != 0:
            tensor = tf.reshape(tensor, [])
        if tensor.dtype == tf.string:
            return tf.strings.length(tensor) > 0
        return tensor if tensor.dtype.is_bool else tf.not_equal(tensor, tf.zeros([], tensor.dtype))

    def staged_list(self, values: Sequence[Any]) -> StagedList:
        if isinstance(values, StagedList):
            return values
        made = StagedList(self, ListKind(None), [], 0)
        made.extend(values)
        return made
