"""ONNX rules for selecting, searching, sorting and counting elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....export.onnx.builder import unsupported
from ....export.onnx.builder.builder import BOOL, INT, Builder, Value
from ....export.onnx.builder.call import Call
from ....export.onnx.builder.kernels import compute_dtype
from ..elementwise.onnx_arithmetic import Rule, array, arrays, check_not_negative, int_array, replace_nan
from ..shaping.onnx import reverse_axes


def where(c: Call, condition: Any, x: Any = None, y: Any = None) -> Any:
    b = c.b
    test = b.cast(array(c, condition), BOOL)
    if x is None:
        return nonzero(c, test)
    first, second = (b.cast(v, c.dtype) for v in arrays(c, x, y))
    return b.where(test, first, second)


def choose(c: Call, a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Value:
    b = c.b
    if not isinstance(choices, (list, tuple)):
        raise c.unsupported("choices in a single array")
    places, options = b.cast(array(c, a), INT), [b.cast(v, c.dtype) for v in arrays(c, *choices)]
    if mode == "raise":
        last = b.constant(len(options) - 1, INT)
        outside = b.logical_or(b.less(places, 0), b.less(last, places))
        b.check(b.any(outside), "ValueError: invalid entry in choice array")
    elif mode == "wrap":
        places = b.op("Mod", places, b.constant(len(options), INT))
    result = options[-1]
    for n, option in reversed(list(enumerate(options[:-1]))):
        result = b.where(b.less(b.constant(n, INT), places), result, option)
    return result


def nonzero(c: Call, a: Any) -> tuple[Value, ...]:
    places = positions(c, a)
    return tuple([c.b.gather(places, c.b.constant(n, INT)) for n in range(array(c, a).ndim)])


def positions(c: Call, a: Any) -> Value:
    """Return the positions of the true elements, with a row for each axis."""
    x = array(c, a)
    if not x.ndim:
        raise c.unsupported("a 0-d array")
    return c.b.node("NonZero", [c.b.cast(x, BOOL)], INT, 2)


def sort_with_indices(b: Builder, x: Value, axis: int, *, descending: bool = False) -> tuple[Value, Value]:
    """Sort an array along an axis, and return the sorted array and the sorting indices.

    The order of equal elements is kept, as ONNX specifies for TopK. NaNs come last.
    """
    if x.dtype.kind != "f":
        return top_k(b, x, axis, descending=descending)
    filled, nan = replace_nan(b, x, "Max" if descending else "Min")
    _, order = top_k(b, filled, axis, descending=descending)
    along: dict[str, Any] = {"ndim": x.ndim, "axis": axis}
    late = b.op("GatherElements", b.cast(nan, INT), rest=[order], **along)
    _, restored = top_k(b, late, axis, descending=False)
    order = b.op("GatherElements", order, rest=[restored], **along)
    return b.op("GatherElements", x, rest=[order], **along), order


def top_k(b: Builder, x: Value, axis: int, *, descending: bool) -> tuple[Value, Value]:
    used = compute_dtype("TopK", x.dtype)
    if used is None:
        raise unsupported.unsupported_dtype(b.current_node, x.dtype, "TopK")
    names = b.model.fresh("sorted"), b.model.fresh("order")
    size = b.node("Shape", [x], INT, 1, start=axis, end=axis + 1)
    b.emit("TopK", [b.cast(x, used), size], names, axis=axis, largest=int(descending), sorted=1)
    return b.cast(Value(names[0], used, x.ndim), x.dtype), Value(names[1], INT, x.ndim)


def sort_axis(c: Call, a: Any, axis: Any) -> tuple[Value, int]:
    x = array(c, a)
    return (c.b.flatten(x), 0) if axis is None or not x.ndim else (x, axis % x.ndim)


def sort_rule(result: int) -> Rule:
    """Return the rule for `sort` or `argsort`: the first or second result of `sort_with_indices`."""
    return lambda c, a, axis=-1, kind=None, order=None, *, stable=None: sort_with_indices(
        c.b, *sort_axis(c, a, axis)
    )[result]


def partition_rule(result: int) -> Rule:
    """Return the rule for `partition` or `argpartition`: a sorted array is partitioned at every position."""
    return lambda c, a, kth, axis=-1, kind=None, order=None: sort_rule(result)(c, a, axis)


def unique(c: Call, ar: Any, *options: Any, **named: Any) -> Value:
    if options or any(v not in (False, None) for k, v in named.items() if k not in ("equal_nan", "sorted")):
        raise c.unsupported("options")
    x = array(c, ar)
    if x.dtype.kind == "f":
        raise c.unsupported("floats, since NumPy considers NaNs equal")
    if x.dtype == np.uint64 or x.dtype.kind == "U":
        raise c.unsupported("uint64 or text")
    used = c.b.cast(c.b.flatten(x) if x.ndim else c.b.unsqueeze(x, 0), INT)
    name = c.b.model.fresh("unique")
    c.b.emit("Unique", [used], [name], sorted=1)
    return Value(name, INT, 1)


def searchsorted(c: Call, a: Any, v: Any, side: str = "left", sorter: Any = None) -> Value:
    """Count the elements of `a` before each element of `v`, by comparing all pairs. NaNs come last."""
    if sorter is not None:
        raise c.unsupported("sorter")
    b = c.b
    edges, x = b.promote(*arrays(c, a, v))
    target = b.unsqueeze(x, x.ndim)
    before = b.op("Less" if side == "left" else "LessOrEqual", edges, target, dtype=BOOL)
    if edges.dtype.kind == "f":
        nan, other = b.is_nan(target), b.is_nan(edges)
        before = b.logical_or(before, b.logical_and(nan, b.logical_not(other)))
        if side == "right":
            before = b.logical_or(before, b.logical_and(nan, other))
    return b.reduce("ReduceSum", b.cast(before, INT), [x.ndim])


def digitize(c: Call, x: Any, bins: Any, right: bool = False) -> Value:
    """Return the bin of each element. Decreasing bins are searched in reverse."""
    b, edges, side = c.b, array(c, bins), "left" if right else "right"
    lower, upper = (b.slice(edges, b.ints(s), b.ints(e), b.ints(0)) for s, e in ((0, -1), (1, 2**62)))
    rises, falls = b.any(b.less(lower, upper)), b.any(b.less(upper, lower))
    b.check(b.logical_and(rises, falls), "ValueError: bins must be monotonically increasing or decreasing")
    after = searchsorted(c, reverse_axes(c, edges, [0]), x, side)
    return b.where(falls, b.sub(b.dim(edges, 0), after), searchsorted(c, edges, x, side))


def bincount(c: Call, x: Any, weights: Any = None, minlength: Any = 0) -> Value:
    b = c.b
    places = b.cast(array(c, x), INT)
    check_not_negative(b, places, "ValueError: 'list' argument must have no negative elements")
    least = b.cast(array(c, minlength), INT)
    most = b.reduce("ReduceMax", b.concat([b.ints(-1), places], 0))
    size = b.op("Max", b.add(most, 1), least)
    zeros = b.expand(b.constant(np.zeros((), c.dtype)), b.unsqueeze(size, 0), 1)
    argument = b.constant(np.ones((), c.dtype)) if weights is None else b.cast(array(c, weights), c.dtype)
    values = b.expand(argument, b.shape(places), 1)
    return b.op("ScatterElements", zeros, rest=[places, values], ndim=1, axis=0, reduction="add")


def isin(c: Call, element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False,
         **_: Any) -> Value:  # fmt: skip
    b = c.b
    x, others = b.promote(*arrays(c, element, test_elements))
    mask = b.any(b.equal(b.unsqueeze(x, x.ndim), b.flatten(others)), [x.ndim])
    return b.logical_not(mask) if invert else mask


def take(c: Call, a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Value:
    b, x = c.b, array(c, a)
    along = 0 if axis is None else axis % x.ndim
    source = b.flatten(x) if axis is None else x
    number = b.cast(array(c, indices), INT)
    size = b.dim(source, along)
    if mode == "wrap":
        number = b.op("Mod", number, b.op("Max", size, b.constant(1, INT)))
    elif mode == "clip":
        number = b.op("Max", b.op("Min", number, b.sub(size, 1)), b.constant(0, INT))
    return b.gather(source, number, along)


def take_along_axis(c: Call, arr: Any, indices: Any, axis: Any = -1) -> Value:
    b, x, number = c.b, array(c, arr), int_array(c, indices)
    if axis is None:
        return b.op("GatherElements", b.flatten(x), rest=[number], ndim=1, axis=0)
    along = axis % x.ndim
    shapes = [
        b.concat([b.node("Shape", [v], INT, 1, start=0, end=along), b.ints(1),
                  b.node("Shape", [v], INT, 1, start=along + 1)], 0) for v in (x, number)
    ]  # fmt: skip
    number = b.expand(number, shapes[0], x.ndim)
    x = b.expand(x, shapes[1], x.ndim)
    return b.op("GatherElements", x, rest=[number], ndim=x.ndim, axis=along)


FUNCTIONS: dict[Any, Rule] = {
    np.where: where, np.choose: choose,
    np.nonzero: nonzero, np.flatnonzero: lambda c, a: nonzero(c, c.b.flatten(array(c, a)))[0],
    np.argwhere: lambda c, a: c.b.transpose(positions(c, a), [1, 0]),
    np.sort: sort_rule(0), np.argsort: sort_rule(1),
    np.partition: partition_rule(0), np.argpartition: partition_rule(1),
    np.unique: unique, np.searchsorted: searchsorted, np.digitize: digitize,
    np.bincount: bincount, np.isin: isin, np.take: take, np.take_along_axis: take_along_axis,
}  # fmt: skip
