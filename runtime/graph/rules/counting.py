"""Sets of values, and how often values occur.

The data decide how many different values there are: that dimension is unknown.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..types import ArrayType, Shape
from .elementwise import like
from .probing import Rule, family, named, probe, typed
from .searching import SOME, some
from .shapes import (
    Dimension,
    as_array,
    dimension,
    is_staged,
    lift,
    one_axis,
    replaced,
    shape_of,
    static,
)
from .shaping import flat


def unique_type(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    **options: Any,
) -> Any:
    array = as_array(ar)
    wanted = (return_index, return_inverse, return_counts)
    result = probe(np.unique, array, *wanted, axis=static(axis, "axis"), **options)
    values = SOME if axis is None else replaced(array.shape, one_axis(axis, array.ndim), None)
    if not any(wanted):
        return typed(result, values)
    inverse = result[1 + return_index] if return_inverse else None
    shapes = (values, SOME, inverse_shape(array, inverse, axis), SOME)
    chosen = [s for s, kept in zip(shapes, (True, *wanted), strict=True) if kept]
    return typed(result, chosen)


def inverse_shape(array: ArrayType, inverse: Any, axis: Any) -> Shape:
    """The shape of the indices that rebuild the array, which differs between NumPy's versions."""
    if inverse is None or axis is None:
        return array.shape
    length = array.shape[axis]
    if inverse.ndim == 1:
        return (length,)
    return replaced((1,) * array.ndim, one_axis(axis, array.ndim), length)


def unique_all(x: ArrayType) -> tuple[Shape, ...]:
    return SOME, SOME, x.shape, SOME


def unique_counts(x: ArrayType) -> tuple[Shape, ...]:
    return SOME, SOME


def unique_inverse(x: ArrayType) -> tuple[Shape, ...]:
    return SOME, x.shape


def shared(ar1: ArrayType, ar2: ArrayType, assume_unique: bool = False, return_indices: bool = False) -> Any:
    return (SOME, SOME, SOME) if return_indices else SOME


def elements(ar1: ArrayType, *_: Any, **__: Any) -> Shape:
    return flat(ar1)


# --- counting ---------------------------------------------------------------------------------


def binned(x: ArrayType, weights: Any = None, minlength: Any = 0) -> Shape:
    return SOME


def histogram_type(
    a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple[ArrayType, ...]:
    array, edges = as_array(a), edge_count(bins)
    small = as_array(bins) if len(shape_of_bins(bins)) else bins if isinstance(bins, str) else 1
    # The range is data, but a probe wants it in order.
    given = None if range is None else (0.0, 2.0)
    if weights is not None:
        weights = as_array(weights)
        if not alike(weights.shape, array.shape):
            raise ValueError("weights should have the same shape as a.")
    result = probe(np.histogram, array, small, given, density, weights)
    return typed(result, ((lift(lambda n: n - 1, edges),), (edges,)))


def alike(left: Shape, right: Shape) -> bool:
    return len(left) == len(right) and all(
        None in pair or pair[0] == pair[1] for pair in zip(left, right, strict=True)
    )


def shape_of_bins(bins: Any) -> Shape:
    return () if isinstance(bins, str) else shape_of(bins)


def edge_count(bins: Any) -> Dimension:
    """How many edges an argument `bins` makes."""
    if isinstance(bins, str):
        return None
    if shape := shape_of(bins):
        return shape[0]
    if not is_staged(bins) and bins < 1:
        raise ValueError("`bins` must be positive, when an integer")
    return lift(lambda n: n + 1, dimension(bins))


def edges_type(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> ArrayType:
    return histogram_type(a, bins, range)[1]


RULES: dict[Any, Rule] = {
    **family(unique_all, "unique_all"),
    **family(unique_counts, "unique_counts"),
    **family(unique_inverse, "unique_inverse"),
    **family(some, "unique_values"),
    **family(shared, "intersect1d", arrays=("ar1", "ar2")),
    **family(some, "union1d setdiff1d setxor1d", arrays=("ar1", "ar2")),
    **family(like, "isin", arrays=("element", "test_elements")),
    **family(elements, "in1d", arrays=("ar1", "ar2")),
    **family(binned, "bincount", arrays=("x", "weights")),
    **named(unique=unique_type, histogram=histogram_type, histogram_bin_edges=edges_type),
}
