"""TensorFlow values: their types, the tensors that hold them, truth, items and iteration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from ...values.structures import flatten
from .. import staged_by
from ..functional.abstract_values import OptionalAval
from ..functional.backend import FunctionalBackend
from ..functional.iterables import StagedSequence
from ..functional.optional_values import Optional, returned_error
from . import items, numpy
from .builtins import BUILTINS, collect
from .item_sources import is_dataset, is_iterator, rows_of
from .lists import Contents, ListType, StagedList, empty_list, tensor_lists
from .private import COMPOSITE
from .selection import negated
from .types import (
    RANKS,
    CompositeType,
    Number,
    OptionalTensor,
    TensorArrayType,
    TensorType,
    default_dtype,
    merge_dtypes,
    merge_shapes,
    row_count,
    shape_of,
    weak,
)

_VARIANT = TensorType(tf.variant, ())


class TensorFlowValues(FunctionalBackend):
    """Operations of the backend on single values."""

    name = "tensorflow"
    builtins = BUILTINS
    boolean = TensorType(tf.bool, ())
    where = staticmethod(tf.where)
    logical_and = staticmethod(tf.logical_and)
    logical_or = staticmethod(tf.logical_or)

    def owns(self, kind: type) -> bool:
        own = (tf.Tensor, tf.Variable, tf.TensorArray, Number, StagedList, COMPOSITE)
        return issubclass(kind, own) or is_dataset(kind) or is_iterator(kind)

    def is_array(self, value: Any) -> bool:
        return isinstance(value, (tf.Tensor, tf.Variable, Number))

    def is_staged(self, value: Any) -> bool:
        return tf.is_symbolic_tensor(value) or not tf.executing_eagerly()

    def staging(self) -> bool:
        return not tf.executing_eagerly()

    # Types

    def aval(self, value: Any) -> Any:
        if isinstance(value, Number):
            return TensorType(value.tensor_dtype, (), weak=True)
        if isinstance(value, (tf.Tensor, tf.Variable)):
            return TensorType(value.dtype, shape_of(value))
        kind = type(value)
        if kind in RANKS:
            return TensorType(default_dtype(RANKS[kind]), (), weak=kind is not bool)
        if kind is str or kind is bytes:
            return TensorType(tf.string, ())
        if isinstance(value, (np.ndarray, np.generic)):
            if value.dtype.kind in "biufcV":
                return TensorType(tf.as_dtype(value.dtype), value.shape)
            return TensorType(tf.string, value.shape) if value.dtype.kind in "US" else None
        if isinstance(value, Contents):
            return value.type
        if isinstance(value, StagedList):
            return ListType(value.type.items, value.type.spec, is_value=True)
        if kind is list:
            return self._list_type(value)
        if isinstance(value, tf.TensorArray):
            return TensorArrayType(value.dtype)
        return CompositeType(tf.type_spec_from_value(value)) if isinstance(value, COMPOSITE) else None

    def _list_type(self, values: list[Any]) -> ListType | None:
        merged = ListType(None, is_value=True)
        for value in values:
            leaves, spec = flatten(value)
            avals = tuple(map(self.type_of, leaves))
            if any(not isinstance(aval, TensorType) for aval in avals):
                return None
            try:
                merged = self.merge_lists(merged, ListType(avals, spec, is_value=True))
            except TypeError:
                return None
        return merged

    def is_handle(self, value: Any) -> bool:
        """Return whether a value is written to in place, or is carried only by loops that rebind its name."""
        return isinstance(value, (StagedList, tf.Variable, tf.TensorArray, COMPOSITE)) and not isinstance(
            value, tf.Tensor
        )

    def merge_avals(self, first: Any, second: Any) -> Any:
        if isinstance(first, ListType) and isinstance(second, ListType):
            return self.merge_lists(first, second)
        if isinstance(first, TensorType) and isinstance(second, TensorType):
            dtype = merge_dtypes(first, second)
            return TensorType(dtype, merge_shapes(first.shape, second.shape), first.weak and second.weak)
        if isinstance(first, CompositeType) and isinstance(second, CompositeType):
            spec = first.spec.most_specific_common_supertype([second.spec])
            if spec is not None:
                return CompositeType(spec)
        if first != second or isinstance(first, CompositeType):
            raise TypeError(f"one is {first}, the other {second}")
        return first

    def merge_lists(self, first: ListType, second: ListType) -> ListType:
        if first.items is None or second.items is None:
            known = second if first.items is None else first
            return ListType(known.items, known.spec, first.is_value)
        if first.spec != second.spec:
            raise TypeError("the items of a list have different structures")
        items = tuple(map(self.merge, first.items, second.items))
        return ListType(items, first.spec, first.is_value)

    def optional_value(self, value: Any, is_present: Any) -> OptionalTensor:
        return OptionalTensor(self, value, is_present)

    def cannot_be_none(self, aval: Any) -> bool:
        return not isinstance(aval, (TensorType, OptionalAval))

    # The tensors that hold values

    def component_avals(self, aval: Any) -> list[Any]:
        if isinstance(aval, TensorType):
            return [aval]
        if isinstance(aval, ListType):
            return [_VARIANT] * len(aval.items or ())
        if isinstance(aval, TensorArrayType):
            return [_VARIANT]
        specs = tf.nest.flatten(aval.spec, expand_composites=True)
        return [
            TensorType(s.dtype, None if s.shape.rank is None else tuple(s.shape.as_list())) for s in specs
        ]

    def components(self, value: Any, aval: Any) -> list[Any]:
        if isinstance(aval, ListType):
            if isinstance(value, list):
                value = self.staged_list(value)
            contents = value.read() if isinstance(value, StagedList) else value
            return tensor_lists(contents, aval)
        if isinstance(aval, TensorArrayType):
            return [value.flow]
        if isinstance(aval, CompositeType):
            return list(tf.nest.flatten(value, expand_composites=True))
        return [self.tensor(self.cast(value, aval))]

    def compose(self, aval: Any, arrays: list[Any], count: Any) -> Any:
        if isinstance(aval, ListType):
            if aval.is_value:
                return StagedList(self, ListType(aval.items, aval.spec), arrays, count)
            return Contents(aval, tuple(arrays), count)
        if isinstance(aval, TensorArrayType):
            return tf.TensorArray(aval.dtype, flow=arrays[0], dynamic_size=True, clear_after_read=False)
        if isinstance(aval, CompositeType):
            return tf.nest.pack_sequence_as(aval.spec, arrays, expand_composites=True)
        return self.typed(arrays[0], aval)

    def typed(self, tensor: Any, aval: TensorType) -> Any:
        """Return a tensor with the shape of a type, as a `Number` if the type is weak."""
        if aval.shape is not None:
            tensor.set_shape(aval.shape)
        return Number(tensor) if aval.weak else tensor

    def number_bound(self, value: Any) -> Any:
        return value.bound if isinstance(value, Number) else None

    def set_number_bound(self, value: Any, bound: Any) -> None:
        if isinstance(value, Number):
            value.bound = bound

    def tensor(self, value: Any) -> Any:
        return value.tensor if isinstance(value, Number) else tf.convert_to_tensor(value)

    def cast(self, value: Any, aval: TensorType) -> Any:
        if isinstance(value, (tf.Tensor, tf.Variable, Number)):
            tensor = self.tensor(value)
        elif aval.dtype == tf.string or isinstance(value, (np.ndarray, np.generic)):
            tensor = tf.convert_to_tensor(value)
        else:
            return tf.constant(value, aval.dtype)
        return tensor if tensor.dtype == aval.dtype else tf.cast(tensor, aval.dtype)

    def zeros(self, aval: TensorType) -> Any:
        if aval.dtype == tf.variant:
            return empty_list(TensorType(tf.float32, ()))
        shape = [d or 0 for d in aval.shape or ()]
        return tf.fill(shape, "") if aval.dtype == tf.string else tf.zeros(shape, aval.dtype)

    def truth_of_array(self, value: Any) -> Any:
        """Return the truth value of a tensor or list, as `bool` would."""
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
        result = StagedList(self, ListType(None), [], 0)
        result.extend(values)
        return result

    def length(self, value: Any) -> Any:
        if value.shape.rank == 0:
            raise TypeError("iteration over a 0-d array")
        return row_count(value)

    def minimum(self, a: Any, b: Any) -> Any:
        return weak(tf.minimum(*self._of_one_dtype([weak(a), weak(b)])))

    def maximum(self, a: Any, b: Any) -> Any:
        return weak(tf.maximum(*self._of_one_dtype([weak(a), weak(b)])))

    def _of_one_dtype(self, values: Sequence[Any]) -> list[Any]:
        """Return values with the staged integers among them as tensors of the widest dtype."""
        tensors = [self.tensor(v) if self.is_array(v) else v for v in values]
        dtypes = [t.dtype for t in tensors if tf.is_tensor(t) and t.dtype.is_integer]
        widest = max(dtypes, key=lambda dtype: dtype.size, default=None)
        return [tf.cast(t, widest) if tf.is_tensor(t) and t.dtype.is_integer else t for t in tensors]

    negated = staticmethod(negated)
    equal_text = staticmethod(tf.equal)

    get_item, set_item, contains = items.get_item, items.set_item, items.contains

    # Iteration

    def sequence(self, iterated: Any) -> StagedSequence:
        if isinstance(iterated, StagedList):
            return StagedSequence("list", iterated.length(), iterated.copy().item, [iterated])
        if isinstance(iterated, tf.TensorArray):
            iterated = iterated.stack()
        if isinstance(iterated, tf.RaggedTensor):
            count = weak(iterated.nrows()) if iterated.shape[0] is None else iterated.shape[0]
            return StagedSequence("ragged", count, lambda i: iterated[self.tensor(i)])
        return rows_of(self, super().sequence(iterated))

    def first_and_rest(self, iterated: Any) -> tuple[Any, Any, Any]:
        if not is_dataset(type(iterated)) and not is_iterator(type(iterated)):
            return super().first_and_rest(iterated)
        iterator = iter(iterated)
        item = iterator.get_next_as_optional()
        return item.has_value(), item.get_value, iterator

    def iterable(self, function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> StagedSequence:
        if function is range and len(args) == 3 and self.is_array(args[2]):
            step = self.tensor(args[2])
            check = self.fail(tf.equal(step, 0), ValueError("range() arg 3 must not be zero"))
            with tf.control_dependencies([check]):  # before the division by the step
                args = (*args[:2], tf.identity(step))
        if function is range:
            args = tuple([weak(v) if tf.is_tensor(v) else v for v in self._of_one_dtype(args)])
        return super().iterable(function, args, kwargs)

    def is_empty(self, iterated: Any) -> bool:
        if self.is_array(iterated):
            return iterated.shape.rank is not None and iterated.shape.rank > 0 and iterated.shape[0] == 0
        count = iterated.count if isinstance(iterated, StagedSequence) else None
        return isinstance(count, int) and count <= 0

    # Calls

    def returned(self, value: Any) -> Any:
        if any(isinstance(leaf, Optional) for leaf in flatten(value)[0]):
            raise returned_error(self.name)
        return value

    replaced = numpy.replaced

    def unpacked(self, value: Any) -> Any:
        return self.call_builtin(list, (value,), {}) if isinstance(value, tf.Tensor) else value

    def call_builtin(self, function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
        if function is filter and any(map(staged_by, args)):
            test = args[0] if args[0] is not None else lambda item: item
            return collect(self, self.sequence(args[1]), lambda item: item, test)
        if function in (list, tuple, sorted) and args and isinstance(args[0], StagedSequence):
            args = (collect(self, args[0], lambda item: item), *args[1:])
        return super().call_builtin(function, args, kwargs)

    def map_items(self, function: Callable[..., Any], rows: StagedSequence) -> Any:
        return collect(self, rows, lambda row: function(*row))

    def call_library(self, function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
        return numpy.counterpart(function)(*args, **kwargs)
