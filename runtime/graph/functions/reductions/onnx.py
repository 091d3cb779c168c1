"""Reductions along axes, and running sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..builder import BOOL, INT, Builder, Value
from ..call import Call
from .elementwise import Rule, array, without_nan


def axes_of(c: Call, axis: Any, ndim: int) -> list[int]:
    """The axes that are meant, of which None is all."""
    axis = c.plain("axis", axis)
    if axis is None or not ndim:
        return list(range(ndim))
    return [int(a) % ndim for a in (axis if isinstance(axis, tuple) else (axis,))]


def _options(c: Call, keepdims: Any, options: dict[str, Any]) -> bool:
    wrong = [n for n, v in options.items() if v is not None and v is not np._NoValue]
    if wrong:
        raise c.unsupported(", ".join(wrong))
    return keepdims is True


def count(c: Call, x: Value, axes: list[int]) -> Value:
    """How many items a reduction brings together."""
    if len(axes) == x.ndim:
        return c.b.size(x)
    return c.b.reduce("ReduceProd", c.b.gather(c.b.shape(x), c.b.ints(*axes)))


def reduction(kind: str) -> Rule:
    """A sum or product, in the dtype of the result."""

    def rule(c: Call, a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False,
             **options: Any) -> Value:  # fmt: skip
        keeps = _options(c, keepdims, options)
        x = c.b.cast(array(c, a), c.dtype)
        reduce = exact if x.dtype.kind in "iu" else Builder.reduce
        return reduce(c.b, kind, x, axes_of(c, axis, x.ndim), keepdims=keeps)

    return rule


def exact(b: Builder, kind: str, x: Value, axes: list[int], *, keepdims: bool = False) -> Value:
    """A sum or product of integers. onnxruntime's own reductions of them have the digits of float64."""
    if not axes:
        return x
    kept = [n for n in range(x.ndim) if n not in axes]
    shape = b.gather(b.shape(x), b.ints(*kept)) if kept else b.ints()
    count = b.reduce("ReduceProd", b.gather(b.shape(x), b.ints(*axes)), keepdims=True)
    wide = b.cast(b.transpose(x, [*kept, *axes]), INT)
    rows = b.reshape(wide, b.concat([shape, count], 0), len(kept) + 1)
    if kind == "ReduceSum":
        made = b.op("MatMul", rows, b.expand(b.constant(1, INT), count, 1), ndim=len(kept))
    else:
        ones = b.expand(b.constant(1, INT), b.concat([shape, b.ints(1)], 0), len(kept) + 1)
        last = b.constant(len(kept), INT)
        running = b.op("CumProd", b.concat([ones, rows], len(kept)), rest=[last], ndim=len(kept) + 1)
        made = b.gather(running, b.constant(-1, INT), len(kept))
    return b.cast(b.unsqueeze(made, *sorted(axes)) if keepdims else made, x.dtype)


def mean(c: Call, a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False,
         **options: Any) -> Value:  # fmt: skip
    keeps = _options(c, keepdims, options)
    b, x = c.b, array(c, a)
    used = np.dtype(np.float32) if c.dtype == np.float16 else c.dtype
    axes = axes_of(c, axis, x.ndim)
    total = b.reduce("ReduceSum", b.cast(x, used), axes, keepdims=keeps)
    return b.over(total, b.cast(count(c, x, axes), used))


def never_empty(c: Call, axes: list[int]) -> bool:
    """Whether the lengths of axes of the first input are known not to be 0."""
    shape = getattr(c.node.inputs[0].type, "shape", ()) if c.node.inputs else ()
    return len(shape) > max(axes, default=-1) and all(shape[a] for a in axes)


def _refuse_empty(c: Call, x: Value, axes: list[int], name: str) -> None:
    """NumPy finds no extreme among no items."""
    shape = getattr(c.node.inputs[0].type, "shape", ()) if c.node.inputs else ()
    if any(shape[a : a + 1] == (0,) for a in axes):
        c.b.fail(f"ValueError: {name} of an empty array, which has none")
    elif axes and not never_empty(c, axes):
        failed = c.b.equal(count(c, x, axes), 0)
        c.b.check(failed, f"ValueError: {name} of an empty array, which has none")


def extremes(kind: str, *, ignores_nan: bool = False) -> Rule:
    def rule(
        c: Call, a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, **options: Any
    ) -> Value:
        keeps = _options(c, keepdims, options)
        b, x = c.b, array(c, a)
        axes = axes_of(c, axis, x.ndim)
        _refuse_empty(c, x, axes, kind.lower())
        if x.dtype.kind != "f":
            return b.reduce(f"Reduce{kind}", x, axes, keepdims=keeps)
        filled, nan = without_nan(b, x, kind)
        made = b.reduce(f"Reduce{kind}", filled, axes, keepdims=keeps)
        known = (b.all if ignores_nan else b.any)(nan, axes, keepdims=keeps)
        return b.where(known, float("nan"), made)

    return rule


def positions(kind: str) -> Rule:
    """Where the extreme is: the first of equal ones, and NaN before all."""

    def rule(c: Call, a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = False) -> Value:
        b, x = c.b, array(c, a)
        keeps = int(keepdims is True)
        ndim = x.ndim
        axis = c.plain("axis", axis) if ndim else None
        _refuse_empty(c, x, axes_of(c, axis, ndim), f"arg{kind.lower()}")
        source = b.flat(x) if axis is None else x
        along = 0 if axis is None else axis % ndim

        def found(values: Value, which: str) -> Value:
            rank = source.ndim if keeps else source.ndim - 1
            return b.op(f"Arg{which}", values, dtype=INT, ndim=rank, axis=along, keepdims=keeps)

        if x.dtype.kind == "f":
            filled, nan = without_nan(b, source, kind)
            made = b.where(b.any(nan, [along], keepdims=bool(keeps)), found(nan, "Max"), found(filled, kind))
        else:
            made = found(source, kind)
        if axis is None and keeps:
            return b.reshape(made, b.ints(*[1] * ndim), ndim)
        return made

    return rule


def tested(name: str) -> Rule:
    """`any` and `all`."""

    def rule(
        c: Call, a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, **options: Any
    ) -> Value:
        keeps = _options(c, keepdims, options)
        x = array(c, a)
        return getattr(c.b, name)(c.b.cast(x, BOOL), axes_of(c, axis, x.ndim), keepdims=keeps)

    return rule


def count_nonzero(c: Call, a: Any, axis: Any = None, *, keepdims: bool = False) -> Value:
    x = array(c, a)
    given = c.b.cast(c.b.cast(x, BOOL), INT)
    return c.b.reduce("ReduceSum", given, axes_of(c, axis, x.ndim), keepdims=keepdims)


def running(kind: str) -> Rule:
    """The sums or products of the first items, of one more each time."""

    def rule(c: Call, a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Value:
        b = c.b
        x = b.cast(array(c, a), c.dtype)
        axis = c.plain("axis", axis)
        is_flat = axis is None or not x.ndim
        source = b.flat(x) if is_flat else x
        along = b.constant(0 if is_flat else axis % x.ndim, INT)
        return b.op(kind, source, rest=[along], ndim=source.ndim)

    return rule


def reduced(rule: Rule) -> Rule:
    """The method `reduce` of a ufunc: along the first axis, if no other is meant."""
    return lambda c, array, axis=0, dtype=None, out=None, keepdims=False, **options: rule(
        c, array, axis, keepdims=keepdims, **options
    )


def accumulated(rule: Rule) -> Rule:
    return lambda c, array, axis=0, dtype=None, out=None: rule(c, array, axis)


def running_extreme(kind: str) -> Rule:
    """The extremes of the first items: for each item over a triangle of the others."""

    def rule(c: Call, a: Any, axis: Any = None) -> Value:
        b, x = c.b, array(c, a)
        if x.ndim != 1 or x.dtype.kind not in "if":
            raise c.unsupported("arrays of several dimensions, or without an order")
        number = b.count(b.dim(x, 0))
        seen = b.op("LessOrEqual", b.unsqueeze(number, 0), b.unsqueeze(number, 1), dtype=BOOL)
        rows = b.where(seen, b.unsqueeze(x, 0), b.unsqueeze(x, 1))
        made = b.reduce(f"Reduce{kind}", rows, [1])
        if x.dtype.kind != "f":
            return made
        return b.where(b.any(b.is_nan(rows), [1]), float("nan"), made)

    return rule


def _sum_to(c: Call, a: Any, shape: Any) -> Value:
    """An array summed over the axes along which one of `shape` is repeated."""
    b = c.b
    x = array(c, a)
    extra = x.ndim - len(shape)
    reduce = exact if x.dtype.kind in "iu" else Builder.reduce
    total = reduce(b, "ReduceSum", x, list(range(extra))) if extra else x
    for axis, wanted in enumerate(shape):
        if isinstance(wanted, Value):  # the sum is the first item, where it is all that is wanted
            summed = reduce(b, "ReduceSum", total, [axis], keepdims=True)
            chosen = b.where(b.equal(wanted, 1), summed, total)
            total = b.slice(chosen, b.ints(0), b.vector([wanted]), b.ints(axis))
        elif wanted == 1:
            total = reduce(b, "ReduceSum", total, [axis], keepdims=True)
    return b.expand(total, b.vector(shape), len(shape)) if shape else total


_sum, _prod = reduction("ReduceSum"), reduction("ReduceProd")
_max, _min = extremes("Max"), extremes("Min")

FUNCTIONS: dict[Any, Rule] = {
    np.sum: _sum, np.prod: _prod, np.mean: mean, np.max: _max, np.min: _min, np.amax: _max, np.amin: _min,
    np.nanmax: extremes("Max", ignores_nan=True), np.nanmin: extremes("Min", ignores_nan=True),
    np.argmax: positions("Max"), np.argmin: positions("Min"), np.any: tested("any"), np.all: tested("all"),
    np.count_nonzero: count_nonzero, np.cumsum: running("CumSum"), np.cumprod: running("CumProd"),
}  # fmt: skip

METHODS: dict[tuple[np.ufunc, str], Rule] = {
    (np.add, "reduce"): reduced(_sum),
    (np.multiply, "reduce"): reduced(_prod),
    (np.maximum, "reduce"): reduced(_max),
    (np.minimum, "reduce"): reduced(_min),
    (np.logical_and, "reduce"): reduced(tested("all")),
    (np.logical_or, "reduce"): reduced(tested("any")),
    (np.add, "accumulate"): accumulated(running("CumSum")),
    (np.multiply, "accumulate"): accumulated(running("CumProd")),
    (np.maximum, "accumulate"): accumulated(running_extreme("Max")),
    (np.minimum, "accumulate"): accumulated(running_extreme("Min")),
}

sum_to_rule = _sum_to
