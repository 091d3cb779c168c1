"""Arrays that are made of their shape, and of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..builder import BOOL, INT, Value
from ..call import Call
from .elementwise import Rule, array, refuse_negative
from .shaping import shape_vector


def filled(value: Any) -> Rule:
    """An array of one number; `empty` has zeros."""
    return lambda c, shape, dtype=None, order="C", **_: full(c, shape, value)


def full(c: Call, shape: Any, fill_value: Any, dtype: Any = None, order: str = "C", **_: Any) -> Value:
    return _full(c, *_lengths(c, shape), fill_value)


def _lengths(c: Call, shape: Any) -> tuple[Value, int]:
    """A shape of an array that is made."""
    vector, ndim = shape_vector(c, shape)
    refuse_negative(c.b, vector, "ValueError: negative dimensions are not allowed")
    return vector, ndim


def _full(c: Call, shape: Value, ndim: int, value: Any) -> Value:
    return c.b.expand(c.b.cast(array(c, value), c.dtype), shape, ndim)


def filled_like(value: Any) -> Rule:
    return lambda c, a, dtype=None, order="K", subok=True, shape=None, **_: full_like(
        c, a, value, shape=shape
    )


def full_like(c: Call, a: Any, fill_value: Any, dtype: Any = None, order: str = "K", subok: bool = True,
              shape: Any = None, **_: Any) -> Value:  # fmt: skip
    x = array(c, a)
    return _full(c, *((c.b.shape(x), x.ndim) if shape is None else _lengths(c, shape)), fill_value)


def arange(c: Call, *given: Any, start: Any = None, stop: Any = None, step: Any = None, dtype: Any = None,
           **_: Any) -> Value:  # fmt: skip
    """The items as NumPy computes them: the first, and multiples of the difference to the second."""
    b = c.b
    places = dict(zip(("stop",) if len(given) == 1 else ("start", "stop", "step"), given, strict=False))
    first = places.get("start", start)
    last = places.get("stop", stop)
    by = places.get("step", step)
    used = INT if c.dtype.kind in "iub" else np.dtype(np.float64)
    if c.dtype.kind in "iub" and any(
        array(c, v).dtype.kind == "f" for v in (first, last, by) if v is not None
    ):
        raise c.unsupported("a dtype of integers, and floats")
    begin, end, step_ = (
        b.cast(array(c, d if v is None else v), used) for v, d in ((first, 0), (last, 0), (by, 1))
    )
    if step_.constant is None:
        b.check(b.equal(step_, 0), "ZeroDivisionError: division by zero")
    if used == INT:
        return b.range(begin, end, step_)
    length = b.cast(b.op("Ceil", b.over(b.minus(end, begin), step_)), INT)
    number = b.count(b.op("Max", length, b.constant(0, INT)))
    begin, step_ = b.cast(begin, c.dtype), b.cast(step_, c.dtype)
    second = b.minus(b.plus(begin, step_), begin)
    return b.plus(begin, b.times(b.cast(number, c.dtype), second))


def eye(c: Call, N: Any, M: Any = None, k: Any = 0, dtype: Any = None, order: str = "C", **_: Any) -> Value:
    b = c.b
    size = N, N if M is None else M
    _lengths(c, size)
    row, column = _grid(c, *size)
    return b.cast(b.equal(b.plus(row, b.cast(array(c, k), INT)), column), c.dtype)


def tri(c: Call, N: Any, M: Any = None, k: Any = 0, dtype: Any = None, **_: Any) -> Value:
    b = c.b
    row, column = _grid(c, N, N if M is None else M)
    on = b.op("LessOrEqual", column, b.plus(row, b.cast(array(c, k), INT)), dtype=BOOL)
    return b.cast(on, c.dtype)


def _grid(c: Call, rows: Any, columns: Any) -> tuple[Value, Value]:
    """The numbers of rows, upright, and of columns."""
    b = c.b
    upright, flat = (b.count(b.cast(b.scalar(array(c, n)), INT)) for n in (rows, columns))
    return b.unsqueeze(upright, 1), b.unsqueeze(flat, 0)


def indices(c: Call, dimensions: Any, dtype: Any = None, sparse: bool = False) -> Value:
    if sparse:
        raise c.unsupported("sparse")
    b = c.b
    shape, ndim = _lengths(c, dimensions)
    made = []
    for axis, length in enumerate(dimensions):
        number = b.count(b.cast(b.value(length), INT))
        placed = b.unsqueeze(number, *(n for n in range(ndim) if n != axis))
        made.append(b.unsqueeze(b.expand(placed, shape, ndim), 0))
    return b.concat(made, 0)


FUNCTIONS: dict[Any, Rule] = {
    np.zeros: filled(0), np.ones: filled(1), np.empty: filled(0), np.full: full,
    np.zeros_like: filled_like(0), np.ones_like: filled_like(1), np.empty_like: filled_like(0),
    np.full_like: full_like, np.arange: arange, np.eye: eye,
    np.identity: lambda c, n, dtype=None, **_: eye(c, n), np.tri: tri, np.indices: indices,
}  # fmt: skip
