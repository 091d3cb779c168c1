"""Type rules for selecting, searching, sorting and counting elements, and for set operations.

Where data determine the number of elements, as in `nonzero`, the dimension is unknown. The true elements
of a condition that is not staged are counted during tracing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import StagingError
from ...ir.types import ArrayType, ScalarType, Shape
from ...rules import methods
from ...rules.indexing import INDEX_MISMATCH
from ...rules.probing import SAME_DTYPE, Rule, formula_rules, named_rules, probe, type_of_result, weak_type
from ...rules.shapes import (
    Dimension,
    as_array,
    broadcast,
    dimension_result,
    element_count,
    format_shape,
    is_staged,
    map_known,
    normalize_axis,
    replace_axis,
    requested_dimension,
    requested_shape,
    require_plain,
    shape_and_axis,
    shape_of,
    unify_shapes,
)
from ...tracing import recording
from ..elementwise.types import same_shape
from ..shaping.types import flattened_shape

INDEX = np.dtype(np.intp)
SOME: Shape = (None,)


def true_count(condition: Any) -> Dimension:
    """Return the number of true elements of a condition."""
    return None if is_staged(condition) else int(np.count_nonzero(condition))


def take_shape(a: ArrayType, indices: ArrayType, axis: Any = None, **_: Any) -> Shape:
    shape, axis = shape_and_axis(a.shape, axis)
    if shape[axis] == 0 and element_count(indices.shape) not in (0, None):
        raise IndexError("cannot do a non-empty take from an empty axes.")
    return replace_axis(shape, axis, *indices.shape)


def take_along_axis_shape(arr: ArrayType, indices: ArrayType, axis: Any = -1) -> Shape:
    if axis is None:
        arr, axis = ArrayType(arr.dtype, flattened_shape(arr)), 0
    if arr.ndim != indices.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    axis = normalize_axis(axis, arr.ndim)
    # NumPy indexes with an open grid in which `indices` replaces the axis.
    rank = arr.ndim
    grid = [(*(1,) * i, n, *(1,) * (rank - i - 1)) for i, n in enumerate(arr.shape)]
    grid[axis] = indices.shape
    try:
        return broadcast(*grid)
    except ValueError:
        shapes = "".join(f"{format_shape(shape)} " for shape in grid)
        raise IndexError(INDEX_MISMATCH + shapes) from None


def where_type(condition: Any, x: Any = None, y: Any = None, /) -> Any:
    if x is None and y is None:
        return nonzero_type(condition)
    if x is None or y is None:
        raise ValueError("either both or neither of x and y should be given")
    parts = [weak_type(v) for v in (condition, x, y)]
    shape = broadcast(*map(shape_of, parts))
    return ArrayType(probe(np.where, *parts).dtype, shape)


def select_type(condlist: Any, choicelist: Any, default: Any = 0) -> ArrayType:
    conditions, choices = ([weak_type(v) for v in arguments] for arguments in (condlist, choicelist))
    default = weak_type(default)
    result = probe(np.select, conditions, choices, default)
    return ArrayType(result.dtype, broadcast(*map(shape_of, (*conditions, *choices, default))))


def choose_type(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> ArrayType:
    index = as_array(a)
    if isinstance(choices, (list, tuple)):
        options = [as_array(c) for c in choices]
        shape = broadcast(
            index.shape,
            *(c.shape for c in options),
            error="shape mismatch: objects cannot be broadcast to a single shape.  {}",
        )
        return ArrayType(probe(np.choose, index, options, mode="wrap").dtype, shape)
    array = as_array(choices)
    return ArrayType(array.dtype, broadcast(index.shape, array.shape[1:]))


def compress_type(condition: Any, a: Any, axis: Any = None, out: Any = None) -> ArrayType:
    if len(shape_of(condition)) != 1:
        raise ValueError("condition must be a 1-d array")
    array = as_array(a)
    return ArrayType(array.dtype, replace_axis(*shape_and_axis(array.shape, axis), true_count(condition)))


def nonzero_type(a: Any) -> tuple[ArrayType, ...]:
    indices = probe(np.nonzero, as_array(a))
    return tuple(ArrayType(INDEX, SOME) for _ in indices)


def sort_shape(a: ArrayType, *_: Any, axis: Any = -1, **__: Any) -> Shape:
    if axis is None:
        return flattened_shape(a)
    normalize_axis(axis, a.ndim)
    return a.shape


def check_kth(kth: Any, shape: Shape, axis: int) -> Shape:
    length = shape[axis]
    if not is_staged(kth) and length is not None and element_count(shape) not in (0, None):
        for k in np.asarray(kth).ravel():
            if not -length <= k < length:
                raise ValueError(f"kth(={k + length if k < 0 else k}) out of bounds ({length})")
    return shape


def lexsort_type(keys: Any, axis: Any = -1) -> ArrayType:
    if isinstance(keys, (list, tuple)):
        shape = unify_shapes([shape_of(k) for k in keys])
        if shape is None:
            raise ValueError("all keys need to be the same shape")
    else:
        shape = as_array(keys).shape[1:]
    if shape:
        normalize_axis(axis, len(shape))
    return ArrayType(INDEX, shape)


PYTHON = {"b": bool, "i": int, "u": int, "f": float, "c": complex, "U": str}


def item_type(array: Any, *index: Any) -> ScalarType:
    array = as_array(array)
    if not index and element_count(array.shape) not in (1, None):
        raise ValueError("can only convert an array of size 1 to a Python scalar")
    if array.dtype.kind not in PYTHON:
        raise StagingError(
            f"item() is called on an array of dtype {array.dtype}",
            why="its elements are not Python numbers, bools or strings",
            remedy="index the array, as in x[0], or convert it with astype",
        )
    return ScalarType(PYTHON[array.dtype.kind])


def unique_type(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    **options: Any,
) -> Any:
    array = as_array(ar)
    requested = (return_index, return_inverse, return_counts)
    result = probe(np.unique, array, *requested, axis=require_plain(axis, "axis"), **options)
    values = SOME if axis is None else replace_axis(array.shape, normalize_axis(axis, array.ndim), None)
    if not any(requested):
        return type_of_result(result, values)
    inverse = result[1 + return_index] if return_inverse else None
    shapes = (values, SOME, inverse_shape(array, inverse, axis), SOME)
    selected = [s for s, is_kept in zip(shapes, (True, *requested), strict=True) if is_kept]
    return type_of_result(result, selected)


def inverse_shape(array: ArrayType, inverse: Any, axis: Any) -> Shape:
    """Return the shape of the indices that rebuild the array. It differs between NumPy versions."""
    if inverse is None or axis is None:
        return array.shape
    length = array.shape[axis]
    if inverse.ndim == 1:
        return (length,)
    return replace_axis((1,) * array.ndim, normalize_axis(axis, array.ndim), length)


def histogram_type(
    a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple[ArrayType, ...]:
    array, edges = as_array(a), edge_count(bins)
    small = bins if isinstance(bins, str) else as_array(bins) if shape_of(bins) else 1
    # The bounds of the range may be staged, but the probe needs increasing numbers.
    arguments = None if range is None else (0.0, 2.0)
    if weights is not None:
        weights = as_array(weights)
        if unify_shapes((weights.shape, array.shape)) is None:
            raise ValueError("weights should have the same shape as a.")
    result = probe(np.histogram, array, small, arguments, density, weights)
    return type_of_result(result, ((map_known(lambda n: n - 1, edges),), (edges,)))


def histogram2d_type(
    x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple[ArrayType, ...]:
    x, y = as_array(x), as_array(y)
    if unify_shapes((x.shape, y.shape)) is None:
        raise ValueError("x and y must have the same length.")
    parts = (bins, bins) if len(shape_of_bins(bins)) != 1 or shape_of_bins(bins)[0] != BOTH else tuple(bins)
    return histogram_of_points((x, y), parts, range)


def histogramdd_type(
    sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple[ArrayType, ...]:
    if isinstance(sample, (list, tuple)):
        axes = [as_array(s) for s in sample]
    else:
        array = as_array(sample)
        count = array.shape[1] if array.ndim == BOTH else 1
        axes = [ArrayType(array.dtype)] * require_plain(dimension_result(count), "the number of dimensions")
    parts = tuple(bins) if isinstance(bins, (list, tuple)) else (bins,) * len(axes)
    if len(parts) != len(axes):
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    return histogram_of_points(axes, parts, range)


BOTH = 2


def shape_of_bins(bins: Any) -> tuple[Any, ...]:
    """Return the shape of the argument `bins`, whose items may be arrays of different lengths."""
    return (len(bins),) if isinstance(bins, (list, tuple)) else shape_of(bins)


def histogram_of_points(axes: Any, bins: Any, range: Any) -> tuple[ArrayType, ...]:
    dtype = np.result_type(*(a.dtype for a in axes))
    sample = np.ones((1, len(axes)), dtype)
    spaced = np.histogramdd(sample, 1, range and [(0.0, 2.0)] * len(axes))[1][0].dtype
    edges = [
        ArrayType(as_array(part).dtype if shape_of(part) else spaced, (edge_count(part),)) for part in bins
    ]
    counts = tuple(map_known(lambda n: n - 1, edge.shape[0]) for edge in edges)
    return (ArrayType(np.dtype(float), counts), *edges)


def edge_count(bins: Any) -> Dimension:
    """Return the number of bin edges for the argument `bins`."""
    if isinstance(bins, str):
        return None
    if shape := shape_of(bins):
        return shape[0]
    if not is_staged(bins) and bins < 1:
        raise ValueError("`bins` must be positive, when an integer")
    return map_known(lambda n: n + 1, requested_dimension(bins))


def some(*_: Any, **__: Any) -> Shape:
    return SOME


def histogramdd(*args: Any, **kwargs: Any) -> Any:
    counts, *edges = recording.call(methods.flat_histogramdd, args, kwargs)
    return counts, type(np.histogramdd(np.ones((1, 1)))[1])(edges)


COMPOSITIONS = {np.histogramdd: histogramdd}

RULES: dict[Any, Rule] = {
    **formula_rules(take_shape, "take", arrays=("a", "indices"), dtype=SAME_DTYPE),
    **formula_rules(take_along_axis_shape, "take_along_axis", arrays=("arr", "indices"), dtype=SAME_DTYPE),
    **formula_rules(lambda x: (SOME, SOME, x.shape, SOME), "unique_all"),
    **formula_rules(lambda x: (SOME, SOME), "unique_counts"),
    **formula_rules(lambda x: (SOME, x.shape), "unique_inverse"),
    **formula_rules(some, "unique_values"),
    **formula_rules(
        lambda *_, return_indices=False, **__: (SOME, SOME, SOME) if return_indices else SOME,
        "intersect1d",
        arrays=("ar1", "ar2"),
    ),
    **formula_rules(some, "union1d setdiff1d setxor1d", arrays=("ar1", "ar2")),
    **formula_rules(same_shape, "isin", arrays=("element", "test_elements")),
    **formula_rules(lambda ar1, *_, **__: flattened_shape(ar1), "in1d", arrays=("ar1", "ar2")),
    **formula_rules(lambda x, weights=None, minlength=0: SOME, "bincount", arrays=("x", "weights")),
    **formula_rules(some, "flatnonzero", dtype=INDEX),
    **formula_rules(lambda a: (None, a.ndim), "argwhere", dtype=INDEX),
    **formula_rules(lambda a, v, *_, **__: v.shape, "searchsorted", arrays=("a", "v"), dtype=INDEX),
    **formula_rules(same_shape, "digitize", arrays=("x", "bins")),
    **formula_rules(lambda filt, *_, **__: (None,) * filt.ndim, "trim_zeros", dtype=SAME_DTYPE),
    **formula_rules(sort_shape, "sort", dtype=SAME_DTYPE),
    **formula_rules(same_shape, "sort_complex"),
    **formula_rules(
        lambda a, *_, axis=-1, **__: shape_and_axis(a.shape or (1,), axis)[0], "argsort", dtype=INDEX
    ),
    **formula_rules(
        lambda a, kth, axis=-1, **_: check_kth(
            kth, *((flattened_shape(a), 0) if axis is None else (a.shape, normalize_axis(axis, a.ndim)))
        ),
        "partition",
        dtype=SAME_DTYPE,
    ),
    **formula_rules(
        lambda a, kth, axis=-1, **_: check_kth(kth, *shape_and_axis(a.shape, axis)),
        "argpartition",
        dtype=INDEX,
    ),
    **named_rules(
        where=where_type,
        select=select_type,
        choose=choose_type,
        compress=compress_type,
        extract=lambda condition, arr: ArrayType(as_array(arr).dtype, (true_count(condition),)),
        nonzero=nonzero_type,
        lexsort=lexsort_type,
        unravel_index=lambda indices, shape, order="C": (
            (ArrayType(INDEX, shape_of(indices)),) * len(requested_shape(shape))
        ),
        ravel_multi_index=lambda multi_index, dims, mode="raise", order="C": ArrayType(
            INDEX,
            multi_index.shape[1:]
            if isinstance(multi_index, ArrayType)
            else broadcast(*map(shape_of, multi_index)),
        ),
        unique=unique_type,
        histogram=histogram_type,
        histogram2d=histogram2d_type,
        histogram_bin_edges=lambda a, bins=10, range=None, weights=None: histogram_type(a, bins, range)[1],
    ),
    methods.compress: lambda array, condition, axis=None: compress_type(condition, array, axis),
    methods.item: item_type,
    methods.flat_histogramdd: histogramdd_type,
}
