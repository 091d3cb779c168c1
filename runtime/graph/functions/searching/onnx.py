"""Choosing, sorting, finding and counting items."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import refused
from ..builder import BOOL, INT, Builder, Value
from ..call import Call
from ..kernels import computed
from .elementwise import Rule, array, arrays, refuse_negative, without_nan
from .shaping import reversed_along


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
        raise c.unsupported("choices that are one array")
    places, options = b.cast(array(c, a), INT), [b.cast(v, c.dtype) for v in arrays(c, *choices)]
    if mode == "raise":
        last = b.constant(len(options) - 1, INT)
        outside = b.either(b.less(places, 0), b.less(last, places))
        b.check(b.any(outside), "ValueError: invalid entry in choice array")
    elif mode == "wrap":
        places = b.op("Mod", places, b.constant(len(options), INT))
    made = options[-1]
    for n, option in reversed(list(enumerate(options[:-1]))):
        made = b.where(b.less(b.constant(n, INT), places), made, option)
    return made


def nonzero(c: Call, a: Any) -> tuple[Value, ...]:
    x = array(c, a)
    places = c.b.node("NonZero", [c.b.cast(x, BOOL)], INT, 2)
    return tuple([c.b.gather(places, c.b.constant(n, INT)) for n in range(x.ndim)])


def argwhere(c: Call, a: Any) -> Value:
    if not array(c, a).ndim:
        raise c.unsupported("an array without dimensions")
    return c.b.transpose(c.b.node("NonZero", [c.b.cast(array(c, a), BOOL)], INT, 2), [1, 0])


def flatnonzero(c: Call, a: Any) -> Value:
    return nonzero(c, c.b.flat(array(c, a)))[0]


# Sorting


def ordered(b: Builder, x: Value, axis: int, *, descending: bool = False) -> tuple[Value, Value]:
    """An array sorted along an axis, and from where each item comes. Equal items keep their order, as ONNX
    says of TopK; NaNs go last.
    """
    if x.dtype.kind != "f":
        return _top(b, x, axis, descending=descending)
    filled, nan = without_nan(b, x, "Max" if descending else "Min")
    _, order = _top(b, filled, axis, descending=descending)
    along: dict[str, Any] = {"ndim": x.ndim, "axis": axis}
    late = b.op("GatherElements", b.cast(nan, INT), rest=[order], **along)
    _, again = _top(b, late, axis, descending=False)
    order = b.op("GatherElements", order, rest=[again], **along)
    return b.op("GatherElements", x, rest=[order], **along), order


def _top(b: Builder, x: Value, axis: int, *, descending: bool) -> tuple[Value, Value]:
    used = computed("TopK", x.dtype)
    if used is None:
        raise refused.no_dtype(b.at, x.dtype, "TopK")
    names = b.model.fresh("sorted"), b.model.fresh("order")
    size = b.node("Shape", [x], INT, 1, start=axis, end=axis + 1)
    b.add("TopK", [b.cast(x, used), size], names, axis=axis, largest=int(descending), sorted=1)
    return b.cast(Value(names[0], used, x.ndim), x.dtype), Value(names[1], INT, x.ndim)


def _along(c: Call, a: Any, axis: Any) -> tuple[Value, int]:
    x = array(c, a)
    return (c.b.flat(x), 0) if axis is None or not x.ndim else (x, axis % x.ndim)


def sort(
    c: Call, a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None
) -> Value:
    return ordered(c.b, *_along(c, a, axis))[0]


def argsort(
    c: Call, a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None
) -> Value:
    return ordered(c.b, *_along(c, a, axis))[1]


def partition(c: Call, a: Any, kth: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> Value:
    """A sorted array is partitioned everywhere."""
    return sort(c, a, axis)


def argpartition(c: Call, a: Any, kth: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> Value:
    return argsort(c, a, axis)


def unique(c: Call, ar: Any, *options: Any, **named: Any) -> Value:
    if options or any(v not in (False, None) for k, v in named.items() if k not in ("equal_nan", "sorted")):
        raise c.unsupported("options")
    x = array(c, ar)
    if x.dtype.kind == "f":
        raise c.unsupported("floats, of which NumPy takes NaNs for equal")
    if x.dtype == np.uint64 or x.dtype.kind == "U":
        raise c.unsupported("uint64 or text")
    used = c.b.cast(c.b.flat(x) if x.ndim else c.b.unsqueeze(x, 0), INT)
    name = c.b.model.fresh("unique")
    c.b.add("Unique", [used], [name], sorted=1)
    return Value(name, INT, 1)


# Counting


def searchsorted(c: Call, a: Any, v: Any, side: str = "left", sorter: Any = None) -> Value:
    """How many items are before the place: all items are looked at, NaNs come last."""
    if sorter is not None:
        raise c.unsupported("sorter")
    b = c.b
    line, x = b.common(*arrays(c, a, v))
    wanted = b.unsqueeze(x, x.ndim)
    before = b.op("Less" if side == "left" else "LessOrEqual", line, wanted, dtype=BOOL)
    if line.dtype.kind == "f":
        nan, other = b.is_nan(wanted), b.is_nan(line)
        before = b.either(before, b.both(nan, b.negated(other)))
        if side == "right":
            before = b.either(before, b.both(nan, other))
    return b.reduce("ReduceSum", b.cast(before, INT), [x.ndim])


def digitize(c: Call, x: Any, bins: Any, right: bool = False) -> Value:
    """Bins that fall are searched from the end."""
    b, line, side = c.b, array(c, bins), "left" if right else "right"
    former, latter = (b.slice(line, b.ints(s), b.ints(e), b.ints(0)) for s, e in ((0, -1), (1, 2**62)))
    rises, falls = b.any(b.less(former, latter)), b.any(b.less(latter, former))
    b.check(b.both(rises, falls), "ValueError: bins must be monotonically increasing or decreasing")
    behind = searchsorted(c, reversed_along(c, line, [0]), x, side)
    return b.where(falls, b.minus(b.dim(line, 0), behind), searchsorted(c, line, x, side))


def bincount(c: Call, x: Any, weights: Any = None, minlength: Any = 0) -> Value:
    b = c.b
    places = b.cast(array(c, x), INT)
    refuse_negative(b, places, "ValueError: 'list' argument must have no negative elements")
    least = b.cast(array(c, minlength), INT)
    most = b.reduce("ReduceMax", b.concat([b.ints(-1), places], 0))
    size = b.op("Max", b.plus(most, 1), least)
    zeros = b.expand(b.constant(np.zeros((), c.dtype)), b.unsqueeze(size, 0), 1)
    given = b.constant(np.ones((), c.dtype)) if weights is None else b.cast(array(c, weights), c.dtype)
    values = b.expand(given, b.shape(places), 1)
    return b.op("ScatterElements", zeros, rest=[places, values], ndim=1, axis=0, reduction="add")


def isin(c: Call, element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False,
         **_: Any) -> Value:  # fmt: skip
    b = c.b
    x, others = b.common(*arrays(c, element, test_elements))
    found = b.any(b.equal(b.unsqueeze(x, x.ndim), b.flat(others)), [x.ndim])
    return b.negated(found) if invert else found


# Comparisons of whole arrays


def isclose(c: Call, a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Value:
    g = c.b
    x, y = (g.cast(v, np.float64) if v.dtype.kind != "f" else v for v in arrays(c, a, b))
    x, y = g.common(x, y)
    bound = g.plus(g.cast(g.value(atol), y.dtype), g.times(g.cast(g.value(rtol), y.dtype), g.op("Abs", y)))
    near = g.op("LessOrEqual", g.op("Abs", g.minus(x, y)), bound, dtype=BOOL)
    finite = g.negated(g.op("IsInf", y, dtype=BOOL))
    made = g.either(g.both(near, finite), g.equal(x, y))
    return g.either(made, g.both(g.is_nan(x), g.is_nan(y))) if equal_nan else made


def math_isclose(c: Call, a: Any, b: Any, *, rel_tol: Any = 1e-09, abs_tol: Any = 0.0) -> Value:
    g = c.b
    x, y = (g.cast(v, np.float64) for v in arrays(c, a, b))
    size = g.op("Max", g.op("Abs", x), g.op("Abs", y))
    bound = g.op(
        "Max", g.times(g.cast(g.value(rel_tol), np.float64), size), g.cast(g.value(abs_tol), np.float64)
    )
    near = g.op("LessOrEqual", g.op("Abs", g.minus(x, y)), bound, dtype=BOOL)
    return g.either(g.equal(x, y), g.both(near, g.negated(g.op("IsInf", size, dtype=BOOL))))


def allclose(c: Call, *args: Any, **kwargs: Any) -> Value:
    return c.b.all(isclose(c, *args, **kwargs))


def array_equal(c: Call, a1: Any, a2: Any, equal_nan: bool = False) -> Value:
    """Of two arrays with as many dimensions; their lengths may differ."""
    b = c.b
    x, y = b.common(*arrays(c, a1, a2))
    if x.ndim != y.ndim:
        return b.constant(False, BOOL)
    same = b.all(b.equal(b.shape(x), b.shape(y)))
    if x.ndim:  # what both have, so that they can be compared where they differ
        short, axes = b.op("Min", b.shape(x), b.shape(y)), b.ints(*range(x.ndim))
        x, y = (b.slice(v, b.ints(*[0] * x.ndim), short, axes) for v in (x, y))
    equal = b.equal(x, y)
    if equal_nan and x.dtype.kind == "f":
        equal = b.either(equal, b.both(b.is_nan(x), b.is_nan(y)))
    return b.both(same, b.all(equal))


def nan_to_num(
    c: Call, x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Value:
    b, x = c.b, array(c, x)
    if x.dtype.kind != "f":
        return x
    limits = np.finfo(x.dtype)
    made = x
    for kind, given, default in (("positive", posinf, limits.max), ("negative", neginf, limits.min)):
        test = b.op("IsInf", x, dtype=BOOL, detect_positive=int(kind == "positive"),
                    detect_negative=int(kind == "negative"))  # fmt: skip
        value = b.cast(b.value(default if given is None else given), x.dtype)
        made = b.where(test, value, made)
    return b.where(b.is_nan(x), b.cast(b.value(nan), x.dtype), made)


FUNCTIONS: dict[Any, Rule] = {
    np.where: where, np.choose: choose,
    np.nonzero: nonzero, np.argwhere: argwhere, np.flatnonzero: flatnonzero,
    np.sort: sort, np.argsort: argsort, np.partition: partition, np.argpartition: argpartition,
    np.unique: unique, np.searchsorted: searchsorted, np.digitize: digitize,
    np.bincount: bincount, np.isin: isin, np.isclose: isclose, np.allclose: allclose,
    math.isclose: math_isclose, np.array_equal: array_equal, np.nan_to_num: nan_to_num,
}  # fmt: skip
