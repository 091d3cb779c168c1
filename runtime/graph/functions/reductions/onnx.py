"""ONNX rules for reductions and scans along axes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....export.onnx.builder.builder import BOOL, INT, Builder, Value
from ....export.onnx.builder.call import Call
from ...gradient.cotangents import shape_of
from ...rules.methods import sum_to
from ...rules.tables import DEFINITIONS
from ..elementwise.onnx_arithmetic import Rule, array, replace_nan


def axes_of(c: Call, axis: Any, ndim: int) -> list[int]:
    """Return the axes that `axis` names; None names all."""
    axis = c.plain("axis", axis)
    if axis is None or not ndim:
        return list(range(ndim))
    return [int(a) % ndim for a in (axis if isinstance(axis, tuple) else (axis,))]


def check_reduction_options(c: Call, keepdims: Any, options: dict[str, Any]) -> bool:
    wrong = [n for n, v in options.items() if v is not None and v is not np._NoValue]
    if wrong:
        raise c.unsupported(", ".join(wrong))
    return keepdims is True


def count(c: Call, x: Value, axes: list[int]) -> Value:
    """Return the number of elements that each element of a reduction combines."""
    if len(axes) == x.ndim:
        return c.b.size(x)
    return c.b.reduce("ReduceProd", c.b.gather(c.b.shape(x), c.b.ints(*axes)))


def sum_or_product(kind: str) -> Rule:
    """Return the rule for a sum or product, computed in the dtype of the result."""

    def rule(c: Call, a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False,
             **options: Any) -> Value:  # fmt: skip
        keeps = check_reduction_options(c, keepdims, options)
        x = c.b.cast(array(c, a), c.dtype)
        reduce = exact_integer_reduction if x.dtype.kind in "iu" else Builder.reduce
        return reduce(c.b, kind, x, axes_of(c, axis, x.ndim), keepdims=keeps)

    return rule


def exact_integer_reduction(
    b: Builder, kind: str, x: Value, axes: list[int], *, keepdims: bool = False
) -> Value:
    """Sum or multiply integers exactly. onnxruntime's own reductions round them to float64."""
    if not axes:
        return x
    rest = [n for n in range(x.ndim) if n not in axes]
    shape = b.gather(b.shape(x), b.ints(*rest)) if rest else b.ints()
    count = b.reduce("ReduceProd", b.gather(b.shape(x), b.ints(*axes)), keepdims=True)
    wide = b.cast(b.transpose(x, [*rest, *axes]), INT)
    rows = b.reshape(wide, b.concat([shape, count], 0), len(rest) + 1)
    if kind == "ReduceSum":
        result = b.op("MatMul", rows, b.expand(b.constant(1, INT), count, 1), ndim=len(rest))
    else:
        ones = b.expand(b.constant(1, INT), b.concat([shape, b.ints(1)], 0), len(rest) + 1)
        last = b.constant(len(rest), INT)
        cumulative = b.op("CumProd", b.concat([ones, rows], len(rest)), rest=[last], ndim=len(rest) + 1)
        result = b.gather(cumulative, b.constant(-1, INT), len(rest))
    return b.cast(b.unsqueeze(result, *sorted(axes)) if keepdims else result, x.dtype)


def mean(c: Call, a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False,
         **options: Any) -> Value:  # fmt: skip
    keeps = check_reduction_options(c, keepdims, options)
    b, x = c.b, array(c, a)
    used = np.dtype(np.float32) if c.dtype == np.float16 else c.dtype
    axes = axes_of(c, axis, x.ndim)
    total = b.reduce("ReduceSum", b.cast(x, used), axes, keepdims=keeps)
    return b.div(total, b.cast(count(c, x, axes), used))


def is_known_not_empty(c: Call, axes: list[int]) -> bool:
    """Return whether these axes of the first input are known not to be empty."""
    shape = getattr(c.node.inputs[0].type, "shape", ()) if c.node.inputs else ()
    return len(shape) > max(axes, default=-1) and all(shape[a] for a in axes)


def check_not_empty(c: Call, x: Value, axes: list[int], name: str) -> None:
    """Make the run fail if there are no elements to compare."""
    shape = getattr(c.node.inputs[0].type, "shape", ()) if c.node.inputs else ()
    if any(shape[a : a + 1] == (0,) for a in axes):
        c.b.fail(f"ValueError: {name} of an empty array")
    elif axes and not is_known_not_empty(c, axes):
        failed = c.b.equal(count(c, x, axes), 0)
        c.b.check(failed, f"ValueError: {name} of an empty array")


def min_or_max(kind: str, *, ignores_nan: bool = False) -> Rule:
    def rule(
        c: Call, a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, **options: Any
    ) -> Value:
        keeps = check_reduction_options(c, keepdims, options)
        b, x = c.b, array(c, a)
        axes = axes_of(c, axis, x.ndim)
        check_not_empty(c, x, axes, kind.lower())
        if x.dtype.kind != "f":
            return b.reduce(f"Reduce{kind}", x, axes, keepdims=keeps)
        filled, nan = replace_nan(b, x, kind)
        result = b.reduce(f"Reduce{kind}", filled, axes, keepdims=keeps)
        known = (b.all if ignores_nan else b.any)(nan, axes, keepdims=keeps)
        return b.where(known, float("nan"), result)

    return rule


def argmin_or_argmax(kind: str) -> Rule:
    """Return the rule for `argmax` or `argmin`, which select the first NaN, or else the first extreme."""

    def rule(c: Call, a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = False) -> Value:
        b, x = c.b, array(c, a)
        keeps = int(keepdims is True)
        ndim = x.ndim
        axis = c.plain("axis", axis) if ndim else None
        check_not_empty(c, x, axes_of(c, axis, ndim), f"arg{kind.lower()}")
        source = b.flatten(x) if axis is None else x
        along = 0 if axis is None else axis % ndim

        def mask(values: Value, which: str) -> Value:
            rank = source.ndim if keeps else source.ndim - 1
            return b.op(f"Arg{which}", values, dtype=INT, ndim=rank, axis=along, keepdims=keeps)

        if x.dtype.kind == "f":
            filled, nan = replace_nan(b, source, kind)
            result = b.where(b.any(nan, [along], keepdims=bool(keeps)), mask(nan, "Max"), mask(filled, kind))
        else:
            result = mask(source, kind)
        if axis is None and keeps:
            return b.reshape(result, b.ints(*[1] * ndim), ndim)
        return result

    return rule


def any_or_all(name: str) -> Rule:
    """Return the rule for `any` or `all`."""

    def rule(
        c: Call, a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, **options: Any
    ) -> Value:
        keeps = check_reduction_options(c, keepdims, options)
        x = array(c, a)
        return getattr(c.b, name)(c.b.cast(x, BOOL), axes_of(c, axis, x.ndim), keepdims=keeps)

    return rule


def count_nonzero(c: Call, a: Any, axis: Any = None, *, keepdims: bool = False) -> Value:
    x = array(c, a)
    argument = c.b.cast(c.b.cast(x, BOOL), INT)
    return c.b.reduce("ReduceSum", argument, axes_of(c, axis, x.ndim), keepdims=keepdims)


def cumulative(kind: str) -> Rule:
    """Return the rule for `cumsum` or `cumprod`."""

    def rule(c: Call, a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Value:
        b = c.b
        x = b.cast(array(c, a), c.dtype)
        axis = c.plain("axis", axis)
        is_flat = axis is None or not x.ndim
        source = b.flatten(x) if is_flat else x
        along = b.constant(0 if is_flat else axis % x.ndim, INT)
        return b.op(kind, source, rest=[along], ndim=source.ndim)

    return rule


def ufunc_reduce(rule: Rule) -> Rule:
    """Return the rule for a ufunc's method `reduce`, whose default axis is the first."""
    return lambda c, array, axis=0, dtype=None, out=None, keepdims=False, **options: rule(
        c, array, axis, keepdims=keepdims, **options
    )


def ufunc_accumulate(rule: Rule) -> Rule:
    return lambda c, array, axis=0, dtype=None, out=None: rule(c, array, axis)


def cumulative_extreme(kind: str) -> Rule:
    """Return the rule for `maximum.accumulate` or `minimum.accumulate`, which reduce each prefix."""

    def rule(c: Call, a: Any, axis: Any = None) -> Value:
        b, x = c.b, array(c, a)
        if x.ndim != 1 or x.dtype.kind not in "if":
            raise c.unsupported("arrays other than vectors of signed integers or floats")
        number = b.arange(b.dim(x, 0))
        is_earlier = b.op("LessOrEqual", b.unsqueeze(number, 0), b.unsqueeze(number, 1), dtype=BOOL)
        rows = b.where(is_earlier, b.unsqueeze(x, 0), b.unsqueeze(x, 1))
        result = b.reduce(f"Reduce{kind}", rows, [1])
        if x.dtype.kind != "f":
            return result
        return b.where(b.any(b.is_nan(rows), [1]), float("nan"), result)

    return rule


def sum_to_rule(c: Call, a: Any, shape: Any) -> Value:
    """Sum an array over the axes along which `shape` was broadcast to the array's shape."""
    b = c.b
    x = array(c, a)
    extra = x.ndim - len(shape)
    reduce = exact_integer_reduction if x.dtype.kind in "iu" else Builder.reduce
    total = reduce(b, "ReduceSum", x, list(range(extra))) if extra else x
    for axis, target in enumerate(shape):
        if isinstance(target, Value):  # if it is 1 at run time, the slice below selects the sum
            summed = reduce(b, "ReduceSum", total, [axis], keepdims=True)
            selected = b.where(b.equal(target, 1), summed, total)
            total = b.slice(selected, b.ints(0), b.vector([target]), b.ints(axis))
        elif target == 1:
            total = reduce(b, "ReduceSum", total, [axis], keepdims=True)
    return b.expand(total, b.vector(shape), len(shape)) if shape else total


_sum, _prod = sum_or_product("ReduceSum"), sum_or_product("ReduceProd")
_max, _min = min_or_max("Max"), min_or_max("Min")


def quantile(a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False,
             method: str = "linear", keepdims: Any = False, **options: Any) -> Any:  # fmt: skip
    """Compute quantiles. Unlike the definition for gradients, return NaN if any element is NaN."""
    result = DEFINITIONS[np.quantile](a, q, axis, method=method, keepdims=keepdims, **options)
    return np.where(np.any(np.isnan(a), axis, keepdims=keepdims is True), math.nan, result)


def percentile(a: Any, q: Any, *args: Any, **kwargs: Any) -> Any:
    return quantile(a, np.asarray(q) / 100 if isinstance(q, (list, tuple)) else q / 100, *args, **kwargs)


def median(
    a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: Any = False
) -> Any:
    """Return the mean of the two middle elements, or NaN if any element is NaN."""
    if isinstance(axis, tuple) or (keepdims is True and axis is None):
        raise TypeError(axis)
    flat, along = (np.reshape(a, (-1,)), 0) if axis is None else (a, axis)
    ordered = np.moveaxis(np.sort(flat, along), along, 0)
    size = shape_of(ordered)[0]
    low, high, last = (ordered[n] for n in ((size - 1) // 2, size // 2, -1))
    result = np.where(low == high, low, (low + high) / 2)
    result = np.where(np.isnan(last), math.nan, result)
    return np.expand_dims(result, along) if keepdims is True else result


FUNCTIONS: dict[Any, Rule] = {
    np.sum: _sum, np.prod: _prod, np.mean: mean, np.max: _max, np.min: _min, np.amax: _max, np.amin: _min,
    np.nanmax: min_or_max("Max", ignores_nan=True), np.nanmin: min_or_max("Min", ignores_nan=True),
    np.argmax: argmin_or_argmax("Max"), np.argmin: argmin_or_argmax("Min"),
    np.any: any_or_all("any"), np.all: any_or_all("all"),
    np.count_nonzero: count_nonzero, np.cumsum: cumulative("CumSum"), np.cumprod: cumulative("CumProd"),
    sum_to: sum_to_rule,
}  # fmt: skip

METHODS: dict[tuple[np.ufunc, str], Rule] = {
    (np.add, "reduce"): ufunc_reduce(_sum),
    (np.multiply, "reduce"): ufunc_reduce(_prod),
    (np.maximum, "reduce"): ufunc_reduce(_max),
    (np.minimum, "reduce"): ufunc_reduce(_min),
    (np.logical_and, "reduce"): ufunc_reduce(any_or_all("all")),
    (np.logical_or, "reduce"): ufunc_reduce(any_or_all("any")),
    (np.add, "accumulate"): ufunc_accumulate(cumulative("CumSum")),
    (np.multiply, "accumulate"): ufunc_accumulate(cumulative("CumProd")),
    (np.maximum, "accumulate"): ufunc_accumulate(cumulative_extreme("Max")),
    (np.minimum, "accumulate"): ufunc_accumulate(cumulative_extreme("Min")),
}

COMPOSITIONS: dict[Any, Any] = {np.median: median, np.quantile: quantile, np.percentile: percentile}
