"""Python's builtins, and functions of `math` and NumPy, on TensorFlow's staged values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow.experimental.numpy as tnp

from ..errors import StagingError, UnsupportedFunctionError
from ..structures import flatten, unflatten
from .iterables import StagedSequence
from .tensorflow_host import show, text_of
from .tensorflow_lists import StagedList, known_count
from .tensorflow_values import Number, default_dtype, rank_of, weak


def call(backend: Any, function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
    if function in _SHALLOW and not any(map(backend.is_staged, args)):
        return function(*args, **kwargs)
    if function in (range, enumerate, zip, reversed):
        return backend.iterable(function, args, kwargs)
    if function is print:
        return show(*args, **kwargs)
    if function in (map, filter):
        return _map(backend, function, *args)
    own = _FUNCTIONS.get(function)
    if own is not None:
        return own(*args, **kwargs)
    return _numpy(function)(*args, **kwargs)


_SHALLOW = frozenset((len, enumerate, zip, reversed, list, tuple, isinstance, type, map, filter))
"""What looks at its own arguments only, and not at what a list among them holds."""

_NAMES = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "asinh": "arcsinh",
          "acosh": "arccosh", "atanh": "arctanh", "factorial": "", "ascontiguousarray": "asarray"}  # fmt: skip


def _is_of_numpy(function: Any) -> bool:
    module = getattr(function, "__module__", None)
    return isinstance(module, str) and module.partition(".")[0] == "numpy" and callable(function)


def replaced(backend: Any, function: Callable[..., Any]) -> Callable[..., Any] | None:
    """NumPy's functions on staged tensors are TensorFlow's of the same name."""
    if tf.executing_eagerly() or not (isinstance(function, np.ufunc) or _is_of_numpy(function)):
        return None

    def run(*args: Any, **kwargs: Any) -> Any:
        leaves = flatten([args, kwargs])[0]
        if not any(backend.is_array(leaf) or isinstance(leaf, StagedList) for leaf in leaves):
            return function(*args, **kwargs)
        return _numpy(function)(*args, **kwargs)

    return run


def _numpy(function: Callable[..., Any]) -> Callable[..., Any]:
    """TensorFlow's function for one of NumPy or `math`."""
    module = (function.__module__ or "").removeprefix("numpy").strip(".")
    name = _NAMES.get(function.__name__, function.__name__)
    own = _OWN.get((module, name)) or (getattr(tnp, name, None) if name and not module.startswith(("lin", "fft")) else None)
    if module == "math" and own is not None:
        return lambda *args: _scalar(own, *args)
    if own is None:
        where = "math" if module == "math" else ".".join(filter(None, ("numpy", module)))
        raise UnsupportedFunctionError(
            f"{where}.{function.__name__} was called on a staged tensor, and TensorFlow has no function for it"
        )

    def run(*args: Any, **kwargs: Any) -> Any:
        leaves, spec = flatten([args, kwargs])
        made = [_operand(leaf) for leaf in leaves]
        args, kwargs = unflatten(spec, made)
        return own(*args, **kwargs)

    return run


def _operand(value: Any) -> Any:
    return tf.convert_to_tensor(value) if isinstance(value, (Number, StagedList, tf.Variable)) else value


def _scalar(own: Callable[..., Any], *args: Any) -> Any:
    """A function of `math`: of Python numbers it makes one."""
    made = own(*[_floating(a) for a in args])
    return weak(made) if all(isinstance(a, (int, float, Number)) for a in args) else made


def _floating(value: Any) -> Any:
    if not isinstance(value, (Number, tf.Tensor, tf.Variable)):
        return value
    tensor = tf.convert_to_tensor(value)
    return tf.cast(tensor, default_dtype(2)) if rank_of(tensor.dtype) < 2 else tensor


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
                raise StagingError(f"{kind.__name__}() of a staged value takes no base")
            return kind(value)
        if isinstance(value, StagedList):
            return value.length() > 0
        tensor = _only(value)
        dtype = tensor.dtype if tensor.dtype != tf.string and rank_of(tensor.dtype) == rank else default_dtype(rank)
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
    return tuple([tf.cast(tf.convert_to_tensor(v), dtype) for v in (a, b)])  # type: ignore[return-value]


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool) or (hasattr(value, "dtype") and tf.as_dtype(value.dtype).is_bool)


def _extreme(pick: Callable[[Any, Any], Any], whole: Callable[..., Any], name: str) -> Callable[..., Any]:
    pair = _pair(pick)

    def extreme(*args: Any, key: Any = None, default: Any = None) -> Any:
        if key is not None:
            raise StagingError(f"{name}() with a key cannot be staged: use tf.arg{name}")
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
    return values if isinstance(values, (tf.Tensor, tf.Variable)) else tf.stack(list(values)) if isinstance(
        values, (list, tuple)
    ) else tf.convert_to_tensor(values)


def _sorted(values: Any, *, key: Any = None, reverse: bool = False) -> Any:
    if key is not None:
        raise StagingError("sorted() with a key cannot be staged: use tf.argsort")
    tensor = _array(values)
    made = tf.sort(tensor, direction="DESCENDING" if reverse else "ASCENDING")
    return _list(made)


def _list(values: Any = ()) -> Any:
    """The items of something staged: a Python list where their number is known."""
    if isinstance(values, StagedList):
        return values.copy() if known_count(values.count) is None else list(values)
    if isinstance(values, StagedSequence):
        return list(values)
    tensor = tf.convert_to_tensor(values)
    if tensor.shape.rank in (None, 0) or tensor.shape[0] is None:
        raise StagingError("a list of a tensor whose length is known only at run time: append its items in a loop")
    return tf.unstack(tensor)


def _reduced(reduce: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def reduced(values: Any) -> Any:
        if isinstance(values, (list, tuple)):
            return reduce(tf.stack([tf.cast(tf.convert_to_tensor(v), tf.bool) for v in values]))
        return reduce(tf.cast(tf.convert_to_tensor(values), tf.bool))

    return reduced


def _map(backend: Any, function: Callable[..., Any], mapped: Callable[..., Any], *iterables: Any) -> Any:
    items = backend.iterable(zip, iterables, {})
    if function is filter:
        raise StagingError("filter() with staged values cannot be staged: append in a 'for' loop")
    if not isinstance(items.length, int):
        raise StagingError("map() over a tensor whose length is known only at run time: append in a 'for' loop")
    return [mapped(*element) for element in items]


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
    math.fabs: lambda value: weak(tf.abs(_floating(value))),
    math.pow: lambda a, b: _scalar(tf.pow, a, b),
}

_OWN: dict[tuple[str, str], Callable[..., Any]] = {
    ("linalg", "norm"): tf.norm,
    ("linalg", "inv"): tf.linalg.inv,
    ("linalg", "det"): tf.linalg.det,
    ("linalg", "solve"): lambda a, b: tf.linalg.solve(a, b[..., None])[..., 0] if b.shape.rank == 1 else tf.linalg.solve(a, b),
    ("linalg", "cholesky"): tf.linalg.cholesky,
    ("", "clip"): lambda x, low, high: tnp.clip(x, low, high),
}
