"""Python's builtins, and functions of `math` and NumPy, on TensorFlow's staged values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import tensorflow as tf
import tensorflow.experimental.numpy as tnp

from ... import staging
from ...core.closures import nothing, set_nothing
from ...errors import UnsupportedFunctionError, ValueNeededError
from ..functional.builtins import total
from ..functional.iterables import StagedSequence
from .effects import print_values, string_tensor
from .lists import StagedList, known_length
from .numpy import as_float, scalar
from .types import RANKS, Number, default_dtype, rank_of, row_count, weak


def _scalar(value: Any) -> Any:
    """Return a one-element tensor as a scalar tensor."""
    tensor = tf.convert_to_tensor(value)
    if tensor.shape.num_elements() not in (None, 1):
        raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
    return tensor if tensor.shape.rank == 0 else tf.reshape(tensor, [])


def _cast(kind: type) -> Callable[..., Any]:
    rank = RANKS[kind]

    def cast(value: Any = 0, *rest: Any) -> Any:
        if rest:
            raise UnsupportedFunctionError(
                f"{kind.__name__}() of a staged value cannot take a second argument",
                why=f"TensorFlow has no operation for {kind.__name__}() with two arguments",
                remedy="pass only the staged value",
            )
        if not isinstance(value, (tf.Tensor, tf.Variable, Number, StagedList)):
            return kind(value)
        if isinstance(value, StagedList):
            return value.length() > 0
        tensor = _scalar(value)
        if tensor.dtype == tf.string:
            return weak(tf.strings.to_number(tensor, default_dtype(rank)))
        if rank == 0:
            return tensor if tensor.dtype.is_bool else tf.not_equal(tensor, tf.zeros([], tensor.dtype))
        return weak(tensor if rank_of(tensor.dtype) == rank else tf.cast(tensor, default_dtype(rank)))

    return cast


def _len(value: Any) -> Any:
    if isinstance(value, StagedSequence):
        return value.length
    if isinstance(value, StagedList):
        return value.length()
    for kind, count in _COUNTS.items():
        if isinstance(value, kind):
            return weak(tf.cast(count(value), default_dtype(1)))
    if isinstance(value, (list, tuple, dict)):
        return len(value)
    if value.dtype == tf.string and value.shape.rank == 0:
        return weak(tf.cast(tf.strings.length(value, unit="UTF8_CHAR"), default_dtype(1)))
    if value.shape.rank == 0:
        raise TypeError("len() of unsized object")
    return row_count(value)


_COUNTS: dict[type, Callable[[Any], Any]] = {
    tf.TensorArray: lambda array: array.size(),
    tf.RaggedTensor: lambda tensor: tensor.nrows(),
    tf.data.Dataset: lambda dataset: dataset.cardinality(),
}


def _rounding(rounding: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def round_to_integer(value: Any) -> Any:
        tensor = tf.convert_to_tensor(value)
        return weak(tensor if rank_of(tensor.dtype) < 2 else tf.cast(rounding(tensor), default_dtype(1)))

    return round_to_integer


def _trunc(value: Any) -> Any:
    return tf.where(value < 0, tf.math.ceil(value), tf.math.floor(value))


def _round(value: Any, digits: int | None = None) -> Any:
    if digits is None:
        return _rounding(tf.round)(value)
    return tnp.round(tf.convert_to_tensor(value), digits)


def _pairwise(is_better: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def pairwise(a: Any, b: Any) -> Any:
        """Return the first of two values, as Python does, unless the second is strictly better."""
        is_number = all(isinstance(v, (bool, int, float, Number)) for v in (a, b))
        second = is_better(b, a)
        left, right = _promote(a, b)
        result = tf.where(second, right, left)
        return weak(result) if is_number else result

    return pairwise


def _promote(a: Any, b: Any) -> tuple[Any, Any]:
    """Return two values as tensors of one dtype."""
    total = a + b if not _is_bool(a) and not _is_bool(b) else weak(0)
    dtype = tf.convert_to_tensor(total).dtype if not isinstance(total, Number) else total.tensor_dtype
    if _is_bool(a) and _is_bool(b):
        dtype = tf.bool
    return tuple([tf.cast(tf.convert_to_tensor(v), dtype) for v in (a, b)])


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool) or (hasattr(value, "dtype") and tf.as_dtype(value.dtype).is_bool)


def _extremum(
    is_better: Callable[[Any, Any], Any], reduce: Callable[..., Any], name: str
) -> Callable[..., Any]:
    pairwise = _pairwise(is_better)

    def extremum(*args: Any, key: Any = None, default: Any = None) -> Any:
        if len(args) == 1:
            values = _stacked(*args)
            if isinstance(values, (tf.Tensor, tf.Variable)):
                if values.shape.rank is not None and values.shape.rank > 1:
                    raise ValueError("the truth value of an array with more than one element is ambiguous")
                return reduce(values)
            args = tuple(values)
        if not args:
            if default is not None:
                return default
            raise ValueError(f"{name}() iterable argument is empty")
        best = args[0]
        for value in args[1:]:
            best = pairwise(best, value)
        return best

    return extremum


def _stacked(values: Any) -> Any:
    """Return a list of unknown length as a tensor, and other values unchanged."""
    is_open = isinstance(values, StagedList) and known_length(values.count) is None
    return tf.convert_to_tensor(values) if is_open else values


def _sum(values: Any, start: Any = 0) -> Any:
    return _total(_stacked(values), start)


def _sum_rows(values: Any) -> Any:
    tensor = tf.convert_to_tensor(values)
    return tf.reduce_sum(tf.cast(tensor, default_dtype(1)) if tensor.dtype.is_bool else tensor, axis=0)


_total = total((tf.Tensor, tf.Variable), _sum_rows)


def _array(values: Any) -> Any:
    if isinstance(values, (list, tuple)):
        return tf.stack(list(values))
    return values if isinstance(values, (tf.Tensor, tf.Variable)) else tf.convert_to_tensor(values)


def _sorted(values: Any, *, key: Any = None, reverse: bool = False) -> Any:
    return _list(tf.sort(_array(values), direction="DESCENDING" if reverse else "ASCENDING"))


def _list(values: Any = ()) -> Any:
    """Return the items of a staged value, as a Python list if their number is known."""
    if isinstance(values, StagedList):
        return values.copy() if known_length(values.count) is None else list(values)
    if isinstance(values, (list, tuple, StagedSequence)):
        return list(values)
    tensor = tf.convert_to_tensor(values)
    if tensor.shape.rank in (None, 0) or tensor.shape[0] is None:
        raise ValueNeededError(
            "list() cannot convert a tensor whose length is known only at run time",
            why="the length of a Python list is fixed when the graph is built",
            remedy="append its items in a 'for' loop, or use the tensor itself",
        )
    return tf.unstack(tensor)


def _truth_reduction(reduce: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def truth_reduction(values: Any) -> Any:
        if isinstance(values, (list, tuple)):
            return reduce(tf.stack([tf.cast(tf.convert_to_tensor(v), tf.bool) for v in values]))
        return reduce(tf.cast(tf.convert_to_tensor(values), tf.bool))

    return truth_reduction


def collect(
    backend: Any,
    items: StagedSequence,
    function: Callable[[Any], Any],
    predicate: Callable[[Any], Any] | None = None,
) -> Any:
    """Return the list of `function(item)` for the selected items, staged if its length is unknown."""
    if isinstance(items.length, int) and predicate is None:
        return [function(item) for item in items]
    collected = backend.staged_list([])

    def body(item: Any) -> None:
        is_selected = True if predicate is None else predicate(item)

        def append() -> None:
            collected.append(function(item))

        if is_selected is True:
            append()
        elif backend.is_array(is_selected):
            staging.if_stmt(backend, is_selected, append, nothing, tuple, set_nothing, (), 0)

    staging.for_stmt(backend, items, None, body, tuple, set_nothing, (), {})
    return backend.unstaged(collected)


def _isinstance(value: Any, classes: Any) -> bool:
    if isinstance(value, Number):
        return issubclass(_type(value), classes) or isinstance(value, classes)
    if isinstance(value, StagedList):
        return issubclass(list, classes)
    return isinstance(value, classes)


def _type(value: Any) -> type:
    if isinstance(value, Number):
        return [*RANKS][rank_of(value.tensor_dtype)]
    return list if isinstance(value, StagedList) else type(value)


BUILTINS: dict[Any, Callable[..., Any]] = {
    print: print_values,
    len: _len,
    int: _cast(int),
    float: _cast(float),
    complex: _cast(complex),
    bool: _cast(bool),
    str: string_tensor,
    repr: lambda value: string_tensor(value, "r"),
    min: _extremum(lambda b, a: b < a, tf.reduce_min, "min"),
    max: _extremum(lambda b, a: b > a, tf.reduce_max, "max"),
    sum: _sum,
    any: _truth_reduction(tf.reduce_any),
    all: _truth_reduction(tf.reduce_all),
    sorted: _sorted,
    list: _list,
    tuple: lambda values: tuple(_list(values)),
    isinstance: _isinstance,
    type: _type,
    abs: abs,
    round: _round,
    math.floor: _rounding(tf.math.floor),
    math.ceil: _rounding(tf.math.ceil),
    math.trunc: _rounding(_trunc),
    math.fabs: lambda value: weak(tf.abs(as_float(value))),
    math.pow: lambda a, b: scalar(tf.pow, a, b),
}
