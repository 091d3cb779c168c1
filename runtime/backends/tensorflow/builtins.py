"""Python's builtins, and functions of `math` and NumPy, on TensorFlow's staged values."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import tensorflow as tf
import tensorflow.experimental.numpy as tnp

from ... import staging
from ...empty import nothing, set_nothing
from ...errors import UnsupportedFunctionError, ValueNeededError
from .. import staged_by
from ..iterables import StagedSequence
from .host import show, text_of
from .lists import StagedList, known_count
from .numpy import floating, of_numpy, scalar
from .values import Number, default_dtype, rank_of, weak


def call(backend: Any, function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
    if function in _SHALLOW and not any(map(staged_by, args)):
        return function(*args, **kwargs)
    if function in (range, enumerate, zip, reversed):
        return backend.iterable(function, args, kwargs)
    if function is print:
        return show(*args, **kwargs)
    if function is map:
        return collected(backend, backend.iterable(zip, args[1:], {}), lambda item: args[0](*item))
    if function is filter:
        test = args[0] if args[0] is not None else lambda item: item
        return collected(backend, backend.sequence(args[1]), lambda item: item, test)
    if function in (list, tuple, sorted) and args and isinstance(args[0], StagedSequence):
        args = (collected(backend, args[0], lambda item: item), *args[1:])
    own = _FUNCTIONS.get(function)
    if own is not None:
        return own(*args, **kwargs)
    return of_numpy(function)(*args, **kwargs)


_SHALLOW = frozenset((len, enumerate, zip, reversed, list, tuple, isinstance, type, map, filter))
"""What looks at its own arguments only, and not at what a list among them holds."""


def _only(value: Any) -> Any:
    """A tensor of one item, as one without dimensions."""
    tensor = tf.convert_to_tensor(value)
    if tensor.shape.num_elements() not in (None, 1):
        raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
    return tensor if tensor.shape.rank == 0 else tf.reshape(tensor, [])


def _cast(kind: type) -> Callable[..., Any]:
    rank = {bool: 0, int: 1, float: 2, complex: 3}[kind]

    def cast(value: Any = 0, *rest: Any) -> Any:
        if rest or not isinstance(value, (tf.Tensor, tf.Variable, Number, StagedList)):
            if rest:
                raise UnsupportedFunctionError(
                    f"{kind.__name__}() of a staged value with a base cannot be staged",
                    why="TensorFlow has no operation for it",
                    remedy="give it the staged value alone",
                )
            return kind(value)
        if isinstance(value, StagedList):
            return value.length() > 0
        tensor = _only(value)
        dtype = (
            tensor.dtype
            if tensor.dtype != tf.string and rank_of(tensor.dtype) == rank
            else default_dtype(rank)
        )
        if tensor.dtype == tf.string:
            return weak(tf.strings.to_number(tensor, dtype))
        if rank == 0:
            return tensor if tensor.dtype.is_bool else tf.not_equal(tensor, tf.zeros([], tensor.dtype))
        return weak(tf.cast(tensor, dtype))

    return cast


def _len(value: Any) -> Any:
    if isinstance(value, StagedSequence):
        return value.length
    if isinstance(value, StagedList):
        return value.length()
    if isinstance(value, tf.TensorArray):
        return weak(tf.cast(value.size(), default_dtype(1)))
    if isinstance(value, tf.RaggedTensor):
        return weak(tf.cast(value.nrows(), default_dtype(1)))
    if isinstance(value, tf.data.Dataset):
        return weak(tf.cast(value.cardinality(), default_dtype(1)))
    if isinstance(value, (list, tuple, dict)):
        return len(value)
    if value.dtype == tf.string and value.shape.rank == 0:
        return weak(tf.cast(tf.strings.length(value, unit="UTF8_CHAR"), default_dtype(1)))
    if value.shape.rank == 0:
        raise TypeError("len() of unsized object")
    known = None if value.shape.rank is None else value.shape[0]
    return known if known is not None else weak(tf.shape(value, out_type=default_dtype(1))[0])


def _whole(rounding: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def whole(value: Any) -> Any:
        tensor = tf.convert_to_tensor(value)
        return weak(tensor if rank_of(tensor.dtype) < 2 else tf.cast(rounding(tensor), default_dtype(1)))

    return whole


def _trunc(value: Any) -> Any:
    return tf.where(value < 0, tf.math.ceil(value), tf.math.floor(value))


def _round(value: Any, digits: int | None = None) -> Any:
    if digits is None:
        return _whole(tf.round)(value)
    return tnp.round(tf.convert_to_tensor(value), digits)


def _pair(pick: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def pair(a: Any, b: Any) -> Any:
        """Python's own: the first, unless the second is beyond it."""
        is_number = all(isinstance(v, (bool, int, float, Number)) for v in (a, b))
        second = pick(b, a)
        left, right = _same(a, b)
        made = tf.where(second, right, left)
        return weak(made) if is_number else made

    return pair


def _same(a: Any, b: Any) -> tuple[Any, Any]:
    """Two values as tensors of one dtype."""
    total = a + b if not _is_bool(a) and not _is_bool(b) else weak(0)
    dtype = tf.convert_to_tensor(total).dtype if not isinstance(total, Number) else total.held
    if _is_bool(a) and _is_bool(b):
        dtype = tf.bool
    return tuple([tf.cast(tf.convert_to_tensor(v), dtype) for v in (a, b)])


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool) or (hasattr(value, "dtype") and tf.as_dtype(value.dtype).is_bool)


def _extreme(pick: Callable[[Any, Any], Any], whole: Callable[..., Any], name: str) -> Callable[..., Any]:
    pair = _pair(pick)

    def extreme(*args: Any, key: Any = None, default: Any = None) -> Any:
        if key is not None:
            if len(args) == 1:
                args = tuple(_list(args[0]) if not isinstance(args[0], (list, tuple)) else args[0])
            return _best([(key(value), value) for value in args], pick)
        if len(args) == 1:
            [values] = args
            if isinstance(values, StagedList) and known_count(values.count) is None:
                values = tf.convert_to_tensor(values)
            if isinstance(values, (tf.Tensor, tf.Variable)):
                if values.shape.rank is not None and values.shape.rank > 1:
                    raise ValueError("the truth value of an array with more than one element is ambiguous")
                return whole(values)
            args = tuple(values)
        if not args:
            if default is not None:
                return default
            raise ValueError(f"{name}() iterable argument is empty")
        best = args[0]
        for value in args[1:]:
            best = pair(best, value)
        return best

    return extreme


def _best(pairs: list[tuple[Any, Any]], pick: Callable[[Any, Any], Any]) -> Any:
    """The value of the best key, of those with that key the first."""
    best_key, best = pairs[0]
    for key, value in pairs[1:]:
        better = pick(key, best_key)
        chosen = [tf.where(better, *_same(a, b)[::-1]) for a, b in ((best_key, key), (best, value))]
        is_number = [isinstance(v, (bool, int, float, Number)) for v in (key, value)]
        best_key, best = [weak(c) if n else c for c, n in zip(chosen, is_number, strict=True)]
    return best


def _sum(values: Any, start: Any = 0) -> Any:
    if isinstance(values, StagedList) and known_count(values.count) is None:
        values = tf.convert_to_tensor(values)
    if isinstance(values, (tf.Tensor, tf.Variable)):
        tensor = tf.convert_to_tensor(values)
        total = tf.reduce_sum(tf.cast(tensor, default_dtype(1)) if tensor.dtype.is_bool else tensor, axis=0)
        return total if isinstance(start, int) and start == 0 else total + start
    for value in values:
        start = start + value
    return start


def _array(values: Any) -> Any:
    return (
        values
        if isinstance(values, (tf.Tensor, tf.Variable))
        else tf.stack(list(values))
        if isinstance(values, (list, tuple))
        else tf.convert_to_tensor(values)
    )


def _sorted(values: Any, *, key: Any = None, reverse: bool = False) -> Any:
    if key is not None:
        raise UnsupportedFunctionError(
            "sorted() with a key cannot be staged",
            why="TensorFlow has no operation that calls a function for each item and sorts by it",
            remedy="index by tf.argsort of the keys: tf.gather(x, tf.argsort(-x))",
        )
    tensor = _array(values)
    made = tf.sort(tensor, direction="DESCENDING" if reverse else "ASCENDING")
    return _list(made)


def _list(values: Any = ()) -> Any:
    """The items of something staged: a Python list where their number is known."""
    if isinstance(values, StagedList):
        return values.copy() if known_count(values.count) is None else list(values)
    if isinstance(values, (list, tuple, StagedSequence)):
        return list(values)
    tensor = tf.convert_to_tensor(values)
    if tensor.shape.rank in (None, 0) or tensor.shape[0] is None:
        raise ValueNeededError(
            "a list is made of a tensor whose length is known only at run time",
            why="a Python list has as many items as there are when the graph is built",
            remedy="append its items in a 'for' loop, or use the tensor",
        )
    return tf.unstack(tensor)


def _reduced(reduce: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def reduced(values: Any) -> Any:
        if isinstance(values, (list, tuple)):
            return reduce(tf.stack([tf.cast(tf.convert_to_tensor(v), tf.bool) for v in values]))
        return reduce(tf.cast(tf.convert_to_tensor(values), tf.bool))

    return reduced


def collected(
    backend: Any, items: StagedSequence, made: Callable[[Any], Any], kept: Callable[[Any], Any] | None = None
) -> Any:
    """A list of what is made of items, of those that are kept: a staged one if its length is not known."""
    if isinstance(items.length, int) and kept is None:
        return [made(item) for item in items]
    found = backend.staged_list([])

    def body(item: Any) -> None:
        keep = True if kept is None else kept(item)
        if keep is True:
            found.append(made(item))
        elif backend.is_array(keep):
            append = functools.partial(lambda item: found.append(made(item)), item)
            staging.if_stmt(backend, keep, append, nothing, tuple, set_nothing, (), 0)

    staging.for_stmt(backend, items, None, body, tuple, set_nothing, (), {})
    return backend.unstaged(found)


def _isinstance(value: Any, kinds: Any) -> bool:
    if isinstance(value, Number):
        python = (bool, int, float, complex)[rank_of(value.held)]
        return issubclass(python, kinds) or isinstance(value, kinds)
    if isinstance(value, StagedList):
        return issubclass(list, kinds)
    return isinstance(value, kinds)


def _type(value: Any) -> type:
    if isinstance(value, Number):
        return (bool, int, float, complex)[rank_of(value.held)]
    return list if isinstance(value, StagedList) else type(value)


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    len: _len,
    int: _cast(int),
    float: _cast(float),
    complex: _cast(complex),
    bool: _cast(bool),
    str: text_of,
    repr: lambda value: text_of(value, "r"),
    min: _extreme(lambda b, a: b < a, tf.reduce_min, "min"),
    max: _extreme(lambda b, a: b > a, tf.reduce_max, "max"),
    sum: _sum,
    any: _reduced(tf.reduce_any),
    all: _reduced(tf.reduce_all),
    sorted: _sorted,
    list: _list,
    tuple: lambda values: tuple(_list(values)),
    isinstance: _isinstance,
    type: _type,
    abs: abs,
    round: _round,
    math.floor: _whole(tf.math.floor),
    math.ceil: _whole(tf.math.ceil),
    math.trunc: _whole(_trunc),
    math.fabs: lambda value: weak(tf.abs(floating(value))),
    math.pow: lambda a, b: scalar(tf.pow, a, b),
}
