"""ONNX rules for array creation: arrays of a given shape, copies, ranges and grids."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....export.onnx.builder.builder import BOOL, INT, Value
from ....export.onnx.builder.call import Call
from ...rules import methods
from ..elementwise.onnx_arithmetic import Rule, array, check_not_negative, identity
from ..shaping.onnx import shape_vector


def fill(value: Any) -> Rule:
    """Return the rule for a function that fills an array with one value. `empty` fills with zeros."""
    return lambda c, shape, dtype=None, order="C", **_: full(c, shape, value)


def full(c: Call, shape: Any, fill_value: Any, dtype: Any = None, order: str = "C", **_: Any) -> Value:
    return full_array(c, *checked_shape(c, shape), fill_value)


def checked_shape(c: Call, shape: Any) -> tuple[Value, int]:
    """Return the shape of a new array as a vector, and its rank. The run fails if a length is negative."""
    vector, ndim = shape_vector(c, shape)
    check_not_negative(c.b, vector, "ValueError: negative dimensions are not allowed")
    return vector, ndim


def full_array(c: Call, shape: Value, ndim: int, value: Any) -> Value:
    return c.b.expand(c.b.cast(array(c, value), c.dtype), shape, ndim)


def filled_like(value: Any) -> Rule:
    return lambda c, a, dtype=None, order="K", subok=True, shape=None, **_: full_like(
        c, a, value, shape=shape
    )


def full_like(c: Call, a: Any, fill_value: Any, dtype: Any = None, order: str = "K", subok: bool = True,
              shape: Any = None, **_: Any) -> Value:  # fmt: skip
    x = array(c, a)
    return full_array(c, *((c.b.shape(x), x.ndim) if shape is None else checked_shape(c, shape)), fill_value)


def arange(c: Call, *arguments: Any, start: Any = None, stop: Any = None, step: Any = None, dtype: Any = None,
           **_: Any) -> Value:  # fmt: skip
    """Compute elements as NumPy does: the first plus multiples of the difference between the first two."""
    b = c.b
    names = ("stop",) if len(arguments) == 1 else ("start", "stop", "step")
    bounds = {"start": start, "stop": stop, "step": step, **dict(zip(names, arguments, strict=False))}
    first, last, by = bounds.values()
    used = INT if c.dtype.kind in "iub" else np.dtype(np.float64)
    if c.dtype.kind in "iub" and any(
        array(c, v).dtype.kind == "f" for v in (first, last, by) if v is not None
    ):
        raise c.unsupported("an integer dtype and float arguments")
    begin, end, step_ = (
        b.cast(array(c, d if v is None else v), used) for v, d in ((first, 0), (last, 0), (by, 1))
    )
    if step_.constant is None:
        b.check(b.equal(step_, 0), "ZeroDivisionError: division by zero")
    if used == INT:
        return b.range(begin, end, step_)
    length = b.cast(b.op("Ceil", b.div(b.sub(end, begin), step_)), INT)
    number = b.arange(b.op("Max", length, b.constant(0, INT)))
    begin, step_ = b.cast(begin, c.dtype), b.cast(step_, c.dtype)
    second = b.sub(b.add(begin, step_), begin)
    return b.add(begin, b.mul(b.cast(number, c.dtype), second))


def eye(c: Call, N: Any, M: Any = None, k: Any = 0, dtype: Any = None, order: str = "C", **_: Any) -> Value:
    b = c.b
    size = N, N if M is None else M
    checked_shape(c, size)
    row, column = index_grid(c, *size)
    return b.cast(b.equal(b.add(row, b.cast(array(c, k), INT)), column), c.dtype)


def tri(c: Call, N: Any, M: Any = None, k: Any = 0, dtype: Any = None, **_: Any) -> Value:
    b = c.b
    row, column = index_grid(c, N, N if M is None else M)
    on = b.op("LessOrEqual", column, b.add(row, b.cast(array(c, k), INT)), dtype=BOOL)
    return b.cast(on, c.dtype)


def index_grid(c: Call, rows: Any, columns: Any) -> tuple[Value, Value]:
    """Return the row numbers as a column, and the column numbers as a row."""
    b = c.b
    upright, flat = (b.arange(b.cast(b.scalar(array(c, n)), INT)) for n in (rows, columns))
    return b.unsqueeze(upright, 1), b.unsqueeze(flat, 0)


def indices(c: Call, dimensions: Any, dtype: Any = None, sparse: bool = False) -> Value:
    if sparse:
        raise c.unsupported("sparse=True")
    b = c.b
    shape, ndim = checked_shape(c, dimensions)
    result = []
    for axis, length in enumerate(dimensions):
        number = b.arange(b.cast(b.value(length), INT))
        placed = b.unsqueeze(number, *(n for n in range(ndim) if n != axis))
        result.append(b.unsqueeze(b.expand(placed, shape, ndim), 0))
    return b.concat(result, 0)


def as_array(c: Call, argument: Any, *_: Any, **__: Any) -> Value:
    x = array(c, argument)
    return c.b.unsqueeze(x, *range(c.node.type.ndim - x.ndim))


FUNCTIONS: dict[Any, Rule] = {
    np.zeros: fill(0), np.ones: fill(1), np.empty: fill(0), np.full: full,
    np.zeros_like: filled_like(0), np.ones_like: filled_like(1), np.empty_like: filled_like(0),
    np.full_like: full_like, np.arange: arange, np.eye: eye,
    np.identity: lambda c, n, dtype=None, **_: eye(c, n), np.tri: tri, np.indices: indices,
    np.copy: identity, methods.copy: identity, methods.astype: identity, np.astype: identity,
    np.array: as_array, np.ascontiguousarray: as_array, np.asfortranarray: as_array,
    np.asarray: identity, np.asanyarray: identity, np.require: identity,
}  # fmt: skip
