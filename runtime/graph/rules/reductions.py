"""Reductions and scans along axes."""

from __future__ import annotations

from typing import Any

from ..types import ArrayType, Shape
from .probing import Rule, family
from .shapes import all_axes, lift, line, replaced, static, without


def reduced(a: ArrayType, *_: Any, axis: Any = None, keepdims: Any = False, **__: Any) -> Shape:
    return without(a.shape, all_axes(axis, a.ndim), keepdims)


def ranked(a: ArrayType, q: ArrayType, *_: Any, axis: Any = None, keepdims: Any = False, **__: Any) -> Shape:
    """Quantiles: the dimensions of `q` come first."""
    return (*q.shape, *reduced(a, axis=axis, keepdims=keepdims))


def scanned(a: ArrayType, axis: Any = None, include_initial: bool = False, **_: Any) -> Shape:
    shape, axis = line(a.shape, axis)
    longer = int(static(include_initial, "include_initial"))
    return replaced(shape, axis, lift(lambda n: n + longer, shape[axis]))


def averaged(
    a: ArrayType, weights: Any, axis: Any = None, returned: bool = False, keepdims: Any = False
) -> Any:
    shape = reduced(a, axis=axis, keepdims=keepdims)
    return (shape, shape) if returned else shape


def traced(a: ArrayType, offset: Any = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Shape:
    """The shape left when two axes are traced out."""
    return without(a.shape, all_axes((axis1, axis2), a.ndim))


def normed(x: ArrayType, axis: Any = None, keepdims: Any = False, **_: Any) -> Shape:
    return reduced(x, axis=axis, keepdims=keepdims)


def matrix_normed(x: ArrayType, keepdims: Any = False, **_: Any) -> Shape:
    return reduced(x, axis=(-2, -1), keepdims=keepdims)


RULES: dict[Any, Rule] = {
    **family(
        reduced,
        "sum prod min max amin amax any all ptp mean std var median argmin argmax count_nonzero "
        "nansum nanprod nanmin nanmax nanmean nanstd nanvar nanmedian nanargmin nanargmax",
    ),
    **family(ranked, "percentile quantile nanpercentile nanquantile", arrays=("a", "q", "weights")),
    **family(averaged, "average", arrays=("a", "weights")),
    **family(scanned, "cumsum cumprod nancumsum nancumprod cumulative_sum cumulative_prod"),
    **family(traced, "trace"),
    **family(lambda x, **_: traced(x, axis1=-2, axis2=-1), "linalg.trace"),
    **family(normed, "linalg.norm linalg.vector_norm"),
    **family(matrix_normed, "linalg.matrix_norm"),
}
