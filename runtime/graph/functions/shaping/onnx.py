"""ONNX rules for functions that rearrange elements."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....export.onnx.builder.builder import BOOL, INT, Builder, Value
from ....export.onnx.builder.call import Call
from ....export.onnx.builder.kernels import compute_dtype
from ...rules import methods
from ..elementwise.onnx_arithmetic import Rule, array, arrays, check_not_negative, int_array
from ..reductions.onnx import axes_of, is_known_not_empty


def shape_vector(c: Call, shape: Any) -> tuple[Value, int]:
    """Return a shape, given as a number, a tuple or a vector, as a vector and its length."""
    if isinstance(shape, (list, tuple)):
        return c.b.vector(shape), len(shape)
    if isinstance(shape, Value) and shape.ndim:
        return c.b.cast(shape, INT), c.node.type.ndim
    return c.b.vector([shape]), 1


def reshape(c: Call, a: Any, shape: Any = None, order: str = "C", **options: Any) -> Value:
    if order not in ("C", "A") or options:
        raise c.unsupported("this order or these options")
    return c.b.reshape(array(c, a), *shape_vector(c, shape))


def ravel(c: Call, a: Any, order: str = "C") -> Value:
    if order not in ("C", "K", "A"):
        raise c.unsupported(f"order={order!r}")
    return c.b.flatten(array(c, a))


def transpose(c: Call, a: Any, axes: Any = None) -> Value:
    x = array(c, a)
    return c.b.transpose(x, range(x.ndim)[::-1] if axes is None else axes)


def expand_dims(c: Call, a: Any, axis: Any) -> Value:
    x = array(c, a)
    axes = axis if isinstance(axis, (list, tuple)) else (axis,)
    return c.b.unsqueeze(x, *sorted(n % (x.ndim + len(axes)) for n in axes))


def squeeze(c: Call, a: Any, axis: Any = None) -> Value:
    x = array(c, a)
    if axis is None:
        shape = c.node.inputs[0].type.shape
        return c.b.squeeze(x, *[n for n, d in enumerate(shape) if d == 1])
    return c.b.squeeze(x, *axes_of(c, axis, x.ndim))


def broadcast_to(c: Call, a: Any, shape: Any, subok: bool = False) -> Value:
    x = array(c, a)
    vector, ndim = shape_vector(c, shape)
    result = c.b.expand(x, vector, ndim)
    known = [d for d in c.node.type.shape if d is not None]
    if len(known) < ndim:
        failed = c.b.logical_not(c.b.all(c.b.equal(c.b.shape(result), vector)))
        c.b.check(failed, "ValueError: operands could not be broadcast together with remapped shapes")
    return result


def broadcast_arrays(c: Call, *args: Any, subok: bool = False) -> tuple[Value, ...]:
    b, operands = c.b, arrays(c, *args)
    zero = b.constant(np.zeros((), np.int32))
    shape = zero
    for x in operands:
        shape = b.add(shape, b.expand(zero, b.shape(x), x.ndim))
    return tuple([b.expand(x, b.shape(shape), shape.ndim) for x in operands])


def reverse_axes(c: Call, x: Value, axes: Sequence[int]) -> Value:
    b, count = c.b, len(axes)
    if not axes:
        return x
    last, least = [-1] * count, [-(2**63)] * count
    return b.slice(x, b.ints(*last), b.ints(*least), b.ints(*axes), b.ints(*last))


def flip(c: Call, m: Any, axis: Any = None) -> Value:
    x = array(c, m)
    return reverse_axes(c, x, axes_of(c, axis, x.ndim))


def roll(c: Call, a: Any, shift: Any, axis: Any = None) -> Value:
    b, x = c.b, array(c, a)
    if axis is None:
        return b.reshape(roll_axis(c, b.flatten(x), shift, 0), b.shape(x), x.ndim)
    shifts, axes = np.broadcast_arrays(np.array(shift, object), np.array(axis, object))
    for by, along in zip(shifts.reshape(-1), axes.reshape(-1), strict=True):
        x = roll_axis(c, x, by, int(along) % x.ndim)
    return x


def roll_axis(c: Call, x: Value, by: Any, axis: int) -> Value:
    b = c.b
    size = b.dim(x, axis)
    number = b.sub(b.arange(size), b.cast(b.value(by), INT))
    return b.gather(x, b.op("Mod", number, b.op("Max", size, b.constant(1, INT))), axis)


def pad(c: Call, array_: Any, pad_width: Any, mode: Any = "constant", **options: Any) -> Value:
    b, x = c.b, array(c, array_)
    value = options.pop("constant_values", 0)
    if mode not in ("constant", *PAD_INDICES) or options or isinstance(value, (list, tuple)):
        raise c.unsupported(f"mode={mode!r} or these options")
    width = c.plain("width", pad_width)
    if isinstance(width, dict):
        raise c.unsupported("a dict of widths")
    pairs = np.broadcast_to(np.asarray(width, np.int64), (x.ndim, 2))
    if mode == "constant":
        filler = b.cast(b.cast(array(c, value), x.dtype), compute_dtype("Pad", x.dtype))
        return b.op("Pad", x, rest=[b.ints(*pairs.T.reshape(-1)), filler]) if x.ndim else x
    for axis, (before, after) in enumerate(pairs.tolist()):
        if before or after:
            size = b.dim(x, axis)
            if not is_known_not_empty(c, [axis]):
                why = f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'"
                b.check(b.equal(size, 0), f"ValueError: {why}")
            number = b.range(b.constant(-before), b.add(size, after), b.constant(1))
            x = b.gather(x, PAD_INDICES[mode](b, number, size), axis)
    return x


def reflect(b: Builder, number: Value, size: Value, *, once: bool) -> Value:
    """Reflect indices at the ends of an axis. With `once`, the elements at the ends are not repeated."""
    period = b.op("Max", b.sub(b.add(size, size), 2 * once), b.constant(1))
    number = b.op("Mod", number, period)
    return b.op("Min", number, b.sub(b.sub(period, int(not once)), number))


PAD_INDICES: dict[str, Callable[[Builder, Value, Value], Value]] = {
    "edge": lambda b, n, size: b.op("Max", b.op("Min", n, b.sub(size, 1)), b.constant(0)),
    "wrap": lambda b, n, size: b.op("Mod", n, size),
    "reflect": functools.partial(reflect, once=True),
    "symmetric": functools.partial(reflect, once=False),
}
"""Functions that map a position in the padded axis to an element's index, by mode of `np.pad`."""


def diag(c: Call, v: Any, k: int = 0) -> Value:
    b, x = c.b, array(c, v)
    k = c.plain("offset", k)
    if x.ndim == 1:
        size = b.add(b.dim(x, 0), abs(k))
        column = b.sub(b.arange(size), max(k, 0))
        row = b.sub(b.arange(size), max(-k, 0))
        last = b.sub(b.dim(x, 0), 1)
        on = b.equal(b.unsqueeze(row, 1), b.unsqueeze(column, 0))
        inside = b.op("Min", b.op("Max", row, b.constant(0, INT)), b.op("Max", last, b.constant(0, INT)))
        filled = b.concat([x, b.constant(np.zeros(1, x.dtype), x.dtype)], 0)
        zero = b.constant(np.zeros((), x.dtype), x.dtype)
        return b.where(on, b.unsqueeze(b.gather(filled, inside), 1), zero)
    return diagonal(c, x, k)


def diagonal(c: Call, a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Value:
    b, x = c.b, array(c, a)
    first, second = axis1 % x.ndim, axis2 % x.ndim
    moved = b.transpose(x, [first, second, *(n for n in range(x.ndim) if n not in (first, second))])
    rows, columns = b.dim(moved, 0), b.dim(moved, 1)
    rows = b.sub(rows, max(-offset, 0))
    columns = b.sub(columns, max(offset, 0))
    number = b.arange(b.op("Max", b.op("Min", rows, columns), b.constant(0, INT)))
    places = [b.unsqueeze(b.add(number, max(n, 0)), 1) for n in (-offset, offset)]
    result = b.op("GatherND", moved, rest=[b.concat(places, 1)], ndim=moved.ndim - 1)
    return b.transpose(result, [*range(1, result.ndim), 0])


def triangle(*, upper: bool) -> Rule:
    def rule(c: Call, m: Any, k: int = 0) -> Value:
        x = array(c, m)
        if x.ndim == 1:
            x = c.b.expand(x, c.b.concat([c.b.shape(x), c.b.shape(x)], 0), 2)
        diagonal = c.b.constant(c.plain("offset", k), INT)
        return c.b.op("Trilu", x, rest=[diagonal], ndim=x.ndim, upper=int(upper))

    return rule


def repeat(c: Call, a: Any, repeats: Any, axis: Any = None) -> Value:
    """Repeat elements: for each position, gather the first element whose repeats end after that position."""
    b, x = c.b, array(c, a)
    along = 0 if axis is None else axis % x.ndim
    source = b.flatten(x) if axis is None else x
    argument = int_array(c, repeats)
    what = (
        "repeats may not contain negative values." if argument.ndim else "negative dimensions are not allowed"
    )
    check_not_negative(b, argument, f"ValueError: {what}")
    counts = b.expand(b.flatten(argument), b.vector([b.dim(source, along)]), 1)
    ends = b.op("CumSum", counts, rest=[b.constant(0, INT)], ndim=1)
    place = b.unsqueeze(b.arange(b.reduce("ReduceSum", counts)), 1)
    is_before = b.op("LessOrEqual", ends, place, dtype=BOOL)
    return b.gather(source, b.reduce("ReduceSum", b.cast(is_before, INT), [1]), along)


FUNCTIONS: dict[Any, Rule] = {
    np.reshape: reshape, np.ravel: ravel, methods.flatten: ravel,
    methods.reshape: lambda c, a, *shape, order="C", **options: (
        reshape(c, a, shape[0] if len(shape) == 1 else shape, order, **options)
    ),
    np.transpose: transpose, np.expand_dims: expand_dims, np.squeeze: squeeze, np.broadcast_to: broadcast_to,
    np.broadcast_arrays: broadcast_arrays, np.flip: flip, np.roll: roll, np.pad: pad, np.repeat: repeat,
    np.diag: diag,
    np.diagonal: diagonal, np.triu: triangle(upper=True), np.tril: triangle(upper=False),
}  # fmt: skip
