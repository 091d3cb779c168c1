"""Type rules for reductions and scans along axes."""

from __future__ import annotations

from typing import Any

from ...ir.types import ArrayType, Shape
from ...rules.methods import sum_to
from ...rules.probing import Rule, formula_rules
from ...rules.shapes import (
    as_array,
    map_known,
    normalize_axes,
    reduce_axes,
    replace_axis,
    requested_shape,
    require_plain,
    shape_and_axis,
)


def reduce_shape(a: ArrayType, *_: Any, axis: Any = None, keepdims: Any = False, **__: Any) -> Shape:
    return reduce_axes(a.shape, normalize_axes(axis, a.ndim), keepdims)


def quantile_shape(
    a: ArrayType, q: ArrayType, *_: Any, axis: Any = None, keepdims: Any = False, **__: Any
) -> Shape:
    """Return the shape, in which the dimensions of `q` come first."""
    return (*q.shape, *reduce_shape(a, axis=axis, keepdims=keepdims))


def scan_shape(a: ArrayType, axis: Any = None, include_initial: bool = False, **_: Any) -> Shape:
    shape, axis = shape_and_axis(a.shape, axis)
    longer = int(require_plain(include_initial, "include_initial"))
    return replace_axis(shape, axis, map_known(lambda n: n + longer, shape[axis]))


def average_shape(
    a: ArrayType, weights: Any, axis: Any = None, returned: bool = False, keepdims: Any = False
) -> Any:
    shape = reduce_shape(a, axis=axis, keepdims=keepdims)
    return (shape, shape) if returned else shape


def trace_shape(a: ArrayType, offset: Any = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Shape:
    return reduce_axes(a.shape, normalize_axes((axis1, axis2), a.ndim))


RULES: dict[Any, Rule] = {
    **formula_rules(
        reduce_shape,
        "sum prod min max amin amax any all ptp mean std var median argmin argmax count_nonzero "
        "nansum nanprod nanmin nanmax nanmean nanstd nanvar nanmedian nanargmin nanargmax",
    ),
    **formula_rules(
        quantile_shape, "percentile quantile nanpercentile nanquantile", arrays=("a", "q", "weights")
    ),
    **formula_rules(average_shape, "average", arrays=("a", "weights")),
    **formula_rules(scan_shape, "cumsum cumprod nancumsum nancumprod cumulative_sum cumulative_prod"),
    **formula_rules(trace_shape, "trace"),
    **formula_rules(lambda x, **_: trace_shape(x, axis1=-2, axis2=-1), "linalg.trace"),
    **formula_rules(reduce_shape, "linalg.norm linalg.vector_norm"),
    **formula_rules(
        lambda x, keepdims=False, **_: reduce_shape(x, axis=(-2, -1), keepdims=keepdims), "linalg.matrix_norm"
    ),
    sum_to: lambda array, shape: ArrayType(as_array(array).dtype, requested_shape(tuple(shape))),
}
