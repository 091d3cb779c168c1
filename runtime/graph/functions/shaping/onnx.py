"""Other shapes of the same items: reshaping, axes, joining, cutting, padding."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ....graph.rules import methods
from ..builder import BOOL, INT, Builder, Value
from ..call import Call
from ..kernels import computed
from ..truth import length
from .elementwise import Rule, array, arrays, same
from .reductions import axes_of, never_empty


def shape_vector(c: Call, shape: Any) -> tuple[Value, int]:
    """A shape, given as a number, a tuple of numbers or a vector; its length."""
    if isinstance(shape, (list, tuple)):
        return c.b.vector(shape), len(shape)
    if isinstance(shape, Value) and shape.ndim:
        return c.b.cast(shape, INT), c.node.type.ndim
    return c.b.vector([shape]), 1


def reshape(c: Call, a: Any, shape: Any = None, order: str = "C", **options: Any) -> Value:
    if order not in ("C", "A") or options:
        raise c.unsupported("another order")
    return c.b.reshape(array(c, a), *shape_vector(c, shape))


def reshape_method(c: Call, a: Any, *shape: Any, order: str = "C", **options: Any) -> Value:
    wanted = shape[0] if len(shape) == 1 else shape
    return reshape(c, a, wanted, order, **options)


def ravel(c: Call, a: Any, order: str = "C") -> Value:
    if order not in ("C", "K", "A"):
        raise c.unsupported("another order")
    return c.b.flat(array(c, a))


def transpose(c: Call, a: Any, axes: Any = None) -> Value:
    x = array(c, a)
    return c.b.transpose(x, range(x.ndim)[::-1] if axes is None else axes)


def transpose_method(c: Call, a: Any, *axes: Any) -> Value:
    given = axes[0] if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (list, tuple))) else axes
    return transpose(c, a, given or None)


def matrix_transpose(c: Call, x: Any, /) -> Value:
    given = array(c, x)
    return c.b.transpose(given, [*range(given.ndim - 2), -1, -2])


def swapaxes(c: Call, a: Any, axis1: int, axis2: int) -> Value:
    x = array(c, a)
    axes = list(range(x.ndim))
    axes[axis1], axes[axis2] = axes[axis2], axes[axis1]
    return c.b.transpose(x, axes)


def moveaxis(c: Call, a: Any, source: Any, destination: Any) -> Value:
    x = array(c, a)
    return c.b.transpose(x, _moved(x.ndim, source, destination))


def _moved(ndim: int, source: Any, destination: Any) -> list[int]:
    """Which axis comes where: NumPy moves those of an array whose lengths number them."""
    numbered = np.lib.stride_tricks.as_strided(np.zeros(1), range(2, ndim + 2), (0,) * ndim)
    return [n - 2 for n in np.moveaxis(numbered, source, destination).shape]


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
    made = c.b.expand(x, vector, ndim)
    known = [d for d in c.node.type.shape if d is not None]
    if len(known) < ndim:
        failed = c.b.negated(c.b.all(c.b.equal(c.b.shape(made), vector)))
        c.b.check(failed, "ValueError: operands could not be broadcast together with remapped shapes")
    return made


def broadcast_arrays(c: Call, *args: Any, subok: bool = False) -> tuple[Value, ...]:
    b, given = c.b, arrays(c, *args)
    zero = b.constant(np.zeros((), np.int32))
    shape = zero
    for x in given:
        shape = b.plus(shape, b.expand(zero, b.shape(x), x.ndim))
    return tuple([b.expand(x, b.shape(shape), shape.ndim) for x in given])


def reversed_along(c: Call, x: Value, axes: Sequence[int]) -> Value:
    b, count = c.b, len(axes)
    if not axes:
        return x
    last, least = [-1] * count, [-(2**63)] * count
    return b.slice(x, b.ints(*last), b.ints(*least), b.ints(*axes), b.ints(*last))


def flip(c: Call, m: Any, axis: Any = None) -> Value:
    x = array(c, m)
    return reversed_along(c, x, axes_of(c, axis, x.ndim))


def roll(c: Call, a: Any, shift: Any, axis: Any = None) -> Value:
    b, x = c.b, array(c, a)
    if axis is None:
        return b.reshape(_rolled(c, b.flat(x), shift, 0), b.shape(x), x.ndim)
    shifts, axes = np.broadcast_arrays(np.array(shift, object), np.array(axis, object))
    for by, along in zip(shifts.reshape(-1), axes.reshape(-1), strict=True):
        x = _rolled(c, x, by, int(along) % x.ndim)
    return x


def _rolled(c: Call, x: Value, by: Any, axis: int) -> Value:
    b = c.b
    size = b.dim(x, axis)
    number = b.minus(b.count(size), b.cast(b.value(by), INT))
    return b.gather(x, b.op("Mod", number, b.op("Max", size, b.constant(1, INT))), axis)


def concatenate(c: Call, values: Any, axis: Any = 0, out: Any = None, **options: Any) -> Value:
    b = c.b
    if isinstance(values, Value):  # the rows of an array, or the items of a list
        _refuse_none(c, values)
        parts = [_one_by_one(c, values)]
        if axis not in (0, -values.ndim + 1):
            raise c.unsupported("a list of computed length, and another axis than the first")
    else:
        parts = [b.cast(array(c, v), c.dtype) for v in values]
    if axis is None:
        return b.concat([b.flat(p) for p in parts], 0)
    return b.concat(parts, axis % parts[0].ndim)


def _refuse_none(c: Call, values: Value) -> None:
    """No arrays cannot be joined."""
    if not getattr(c.node.inputs[0].type, "shape", (None,))[0]:
        c.b.check(c.b.equal(length(c.b, values), 0), f"ValueError: {c.node.op} needs at least one array")


def _one_by_one(c: Call, x: Value) -> Value:
    """The rows of an array behind one another."""
    if x.is_sequence:
        return c.b.node("ConcatFromSequence", [x], x.dtype, x.ndim, axis=0)
    b = c.b
    rest = b.slice(b.shape(x), b.ints(2), b.ints(2**31), b.ints(0))
    return b.reshape(x, b.concat([b.ints(-1), rest], 0), x.ndim - 1)


def stack(c: Call, values: Any, axis: int = 0, out: Any = None, **options: Any) -> Value:
    b = c.b
    if isinstance(values, Value):
        _refuse_none(c, values)
        if values.is_sequence:
            along = axis % (values.ndim + 1)
            return b.node(
                "ConcatFromSequence", [values], values.dtype, values.ndim + 1, axis=along, new_axis=1
            )
        return b.transpose(values, _moved(values.ndim, 0, axis))
    parts = [b.cast(array(c, v), c.dtype) for v in values]
    along = axis % (parts[0].ndim + 1)
    return b.concat([b.unsqueeze(p, along) for p in parts], along)


def split(c: Call, ary: Any, indices_or_sections: Any, axis: int = 0) -> tuple[Value, ...]:
    """Parts of one length, or between given places; for `array_split` the first may be longer by one."""
    b, x = c.b, array(c, ary)
    axis %= x.ndim
    given = c.plain("number of parts", indices_or_sections)
    if isinstance(given, (list, tuple, np.ndarray)):
        edges = [b.constant(int(n), INT) for n in given]
        bounds = [b.constant(0, INT), *edges, b.constant(2**62, INT)]
    else:
        size, parts = b.dim(x, axis), b.constant(int(given), INT)
        if c.node.attrs["function"] is not np.array_split:
            failed = b.cast(b.op("Mod", size, parts), BOOL)
            b.check(failed, "ValueError: array split does not result in an equal division")
        each, more = b.over(size, parts), b.op("Mod", size, parts)
        bounds = [
            b.plus(b.times(n, each), b.op("Min", b.constant(n, INT), more)) for n in range(int(given) + 1)
        ]
    return tuple([b.slice(x, b.vector([s]), b.vector([e]), b.ints(axis)) for s, e in pairwise(bounds)])


def unstack(c: Call, x: Any, /, *, axis: int = 0) -> tuple[Value, ...]:
    given = array(c, x)
    length = c.node.inputs[0].type.shape[axis]
    return tuple([c.b.gather(given, c.b.constant(n, INT), axis % given.ndim) for n in range(length)])


def pad(c: Call, array_: Any, pad_width: Any, mode: Any = "constant", **options: Any) -> Value:
    b, x = c.b, array(c, array_)
    value = options.pop("constant_values", 0)
    if mode not in ("constant", *_PADDED) or options or isinstance(value, (list, tuple)):
        raise c.unsupported(f"mode={mode!r} or options of it")
    width = c.plain("width", pad_width)
    if isinstance(width, dict):
        raise c.unsupported("a dict of widths")
    pairs = np.broadcast_to(np.asarray(width, np.int64), (x.ndim, 2))
    if mode == "constant":
        filler = b.cast(b.cast(array(c, value), x.dtype), computed("Pad", x.dtype))
        return b.op("Pad", x, rest=[b.ints(*pairs.T.reshape(-1)), filler]) if x.ndim else x
    for axis, (before, behind) in enumerate(pairs.tolist()):
        if before or behind:
            size = b.dim(x, axis)
            if not never_empty(c, [axis]):
                why = f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'"
                b.check(b.equal(size, 0), f"ValueError: {why}")
            number = b.range(b.constant(-before), b.plus(size, behind), b.constant(1))
            x = b.gather(x, _PADDED[mode](b, number, size), axis)
    return x


def _mirrored(b: Builder, number: Value, size: Value, *, once: bool) -> Value:
    """To and fro, where the items at the ends come once or twice."""
    period = b.op("Max", b.minus(b.plus(size, size), 2 * once), b.constant(1))
    number = b.op("Mod", number, period)
    return b.op("Min", number, b.minus(b.minus(period, int(not once)), number))


_PADDED: dict[str, Callable[[Builder, Value, Value], Value]] = {
    "edge": lambda b, n, size: b.op("Max", b.op("Min", n, b.minus(size, 1)), b.constant(0)),
    "wrap": lambda b, n, size: b.op("Mod", n, size),
    "reflect": functools.partial(_mirrored, once=True),
    "symmetric": functools.partial(_mirrored, once=False),
}
"""The numbers of the items that stand at places around an axis."""


def at_least(ndim: int) -> Rule:
    def rule(c: Call, *given: Any) -> Any:
        made = []
        for x in arrays(c, *given):
            if ndim == 3 and 0 < x.ndim < 3:
                axes = [2] if x.ndim == 2 else [0, 2]
            else:
                axes = list(range(ndim - x.ndim))
            made.append(c.b.unsqueeze(x, *axes))
        return made[0] if len(made) == 1 else tuple(made)

    return rule


def as_array(c: Call, given: Any, *_: Any, **__: Any) -> Value:
    x = array(c, given)
    return c.b.unsqueeze(x, *range(c.node.type.ndim - x.ndim))


def diag(c: Call, v: Any, k: int = 0) -> Value:
    b, x = c.b, array(c, v)
    k = c.plain("offset", k)
    if x.ndim == 1:
        size = b.plus(b.dim(x, 0), abs(k))
        column = b.minus(b.count(size), max(k, 0))
        row = b.minus(b.count(size), max(-k, 0))
        last = b.minus(b.dim(x, 0), 1)
        on = b.equal(b.unsqueeze(row, 1), b.unsqueeze(column, 0))
        inside = b.op("Min", b.op("Max", row, b.constant(0, INT)), b.op("Max", last, b.constant(0, INT)))
        inside = b.op("Max", inside, b.constant(0, INT))
        filled = b.concat([x, b.constant(np.zeros(1, x.dtype), x.dtype)], 0)
        return b.where(
            on, b.unsqueeze(b.gather(filled, inside), 1), b.constant(np.zeros((), x.dtype), x.dtype)
        )
    return diagonal(c, x, k)


def diagonal(c: Call, a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Value:
    b, x = c.b, array(c, a)
    first, second = axis1 % x.ndim, axis2 % x.ndim
    moved = b.transpose(x, [first, second, *(n for n in range(x.ndim) if n not in (first, second))])
    rows, columns = b.dim(moved, 0), b.dim(moved, 1)
    rows = b.minus(rows, max(-offset, 0))
    columns = b.minus(columns, max(offset, 0))
    number = b.count(b.op("Max", b.op("Min", rows, columns), b.constant(0, INT)))
    places = [b.unsqueeze(b.plus(number, max(n, 0)), 1) for n in (-offset, offset)]
    made = b.op("GatherND", moved, rest=[b.concat(places, 1)], ndim=moved.ndim - 1)
    return b.transpose(made, [*range(1, made.ndim), 0])


def triangle(*, upper: bool) -> Rule:
    def rule(c: Call, m: Any, k: int = 0) -> Value:
        x = array(c, m)
        if x.ndim == 1:
            x = c.b.expand(x, c.b.concat([c.b.shape(x), c.b.shape(x)], 0), 2)
        diagonal = c.b.constant(c.plain("offset", k), INT)
        return c.b.op("Trilu", x, rest=[diagonal], ndim=x.ndim, upper=int(upper))

    return rule


FUNCTIONS: dict[Any, Rule] = {
    np.reshape: reshape, methods.reshape: reshape_method, np.ravel: ravel, methods.flatten: ravel,
    np.transpose: transpose, methods.transpose: transpose_method, np.matrix_transpose: matrix_transpose,
    np.linalg.matrix_transpose: matrix_transpose, np.swapaxes: swapaxes, np.moveaxis: moveaxis,
    np.expand_dims: expand_dims, np.squeeze: squeeze, np.broadcast_to: broadcast_to,
    np.broadcast_arrays: broadcast_arrays, np.flip: flip,
    np.flipud: lambda c, m: flip(c, m, 0), np.fliplr: lambda c, m: flip(c, m, 1), np.roll: roll,
    np.concatenate: concatenate, np.stack: stack, np.split: split, np.array_split: split,
    np.unstack: unstack, np.pad: pad, np.atleast_1d: at_least(1), np.atleast_2d: at_least(2),
    np.atleast_3d: at_least(3), np.diag: diag, np.diagonal: diagonal,
    np.linalg.diagonal: lambda c, x, /, *, offset=0: diagonal(c, x, offset, -2, -1),
    np.triu: triangle(upper=True), np.tril: triangle(upper=False),
    np.copy: same, methods.copy: same, methods.astype: same, np.astype: same, np.array: as_array,
    np.asarray: same, np.asanyarray: same, np.ascontiguousarray: at_least(1), np.asfortranarray: at_least(1),
    np.require: same,
}  # fmt: skip
