"""Choosing, finding and sorting elements.

Where the data decide how many elements there are, as in `nonzero`, the dimension is unknown. A
condition that is not staged is counted here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..types import ArrayType, Shape
from .elementwise import like
from .indexing import INDEX_MISMATCH
from .probing import SAME, Rule, family, named, probe, weak
from .shapes import (
    Dimension,
    as_array,
    broadcast,
    dimensions,
    is_staged,
    line,
    one_axis,
    product,
    replaced,
    same,
    shape_of,
    shown,
)
from .shaping import flat

INDEX = np.dtype(np.intp)
SOME: Shape = (None,)


def counted(condition: Any) -> Dimension:
    """How many elements of a condition hold."""
    return None if is_staged(condition) else int(np.count_nonzero(condition))


# --- choosing ---------------------------------------------------------------------------------


def taken(a: ArrayType, indices: ArrayType, axis: Any = None, **_: Any) -> Shape:
    shape, axis = line(a.shape, axis)
    if shape[axis] == 0 and product(indices.shape) not in (0, None):
        raise IndexError("cannot do a non-empty take from an empty axes.")
    return replaced(shape, axis, *indices.shape)


def taken_along(arr: ArrayType, indices: ArrayType, axis: Any = -1) -> Shape:
    if axis is None:
        arr, axis = ArrayType(arr.dtype, flat(arr)), 0
    if arr.ndim != indices.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    axis = one_axis(axis, arr.ndim)
    # NumPy indexes with an open grid, in which `indices` stands for the axis.
    rank = arr.ndim
    grid = [(*(1,) * i, n, *(1,) * (rank - i - 1)) for i, n in enumerate(arr.shape)]
    grid[axis] = indices.shape
    try:
        return broadcast(*grid)
    except ValueError:
        shapes = "".join(f"{shown(shape)} " for shape in grid)
        raise IndexError(INDEX_MISMATCH + shapes) from None


def where_type(condition: Any, x: Any = None, y: Any = None, /) -> Any:
    if x is None and y is None:
        return nonzero_type(condition)
    if x is None or y is None:
        raise ValueError("either both or neither of x and y should be given")
    parts = [weak(v) for v in (condition, x, y)]
    shape = broadcast(*map(shape_of, parts))
    return ArrayType(probe(np.where, *parts).dtype, shape)


def select_type(condlist: Any, choicelist: Any, default: Any = 0) -> ArrayType:
    conditions, choices = ([weak(v) for v in given] for given in (condlist, choicelist))
    default = weak(default)
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
    return ArrayType(array.dtype, replaced(*line(array.shape, axis), counted(condition)))


def extract_type(condition: Any, arr: Any) -> ArrayType:
    return ArrayType(as_array(arr).dtype, (counted(condition),))


# --- finding ----------------------------------------------------------------------------------


def nonzero_type(a: Any) -> tuple[ArrayType, ...]:
    found = probe(np.nonzero, as_array(a))
    return tuple(ArrayType(INDEX, SOME) for _ in found)


def some(*_: Any, **__: Any) -> Shape:
    return SOME


def rows(a: ArrayType) -> Shape:
    return (None, a.ndim)


def sought(a: ArrayType, v: ArrayType, *_: Any, **__: Any) -> Shape:
    return v.shape


def trimmed(filt: ArrayType, *_: Any, **__: Any) -> Shape:
    return (None,) * filt.ndim


def unravel_index_type(indices: Any, shape: Any, order: str = "C") -> tuple[ArrayType, ...]:
    return (ArrayType(INDEX, shape_of(indices)),) * len(dimensions(shape))


def ravel_multi_index_type(multi_index: Any, dims: Any, mode: Any = "raise", order: str = "C") -> ArrayType:
    if isinstance(multi_index, ArrayType):
        return ArrayType(INDEX, multi_index.shape[1:])
    return ArrayType(INDEX, broadcast(*map(shape_of, multi_index)))


# --- sorting ----------------------------------------------------------------------------------


def sorted_along(a: ArrayType, *_: Any, axis: Any = -1, **__: Any) -> Shape:
    if axis is None:
        return flat(a)
    one_axis(axis, a.ndim)
    return a.shape


def ordered(a: ArrayType, *_: Any, axis: Any = -1, **__: Any) -> Shape:
    return line(a.shape or (1,), axis)[0]


def partitioned(a: ArrayType, kth: Any, axis: Any = -1, **_: Any) -> Shape:
    return check_kth(kth, *((flat(a), 0) if axis is None else (a.shape, one_axis(axis, a.ndim))))


def order_partitioned(a: ArrayType, kth: Any, axis: Any = -1, **_: Any) -> Shape:
    return check_kth(kth, *line(a.shape, axis))


def check_kth(kth: Any, shape: Shape, axis: int) -> Shape:
    length = shape[axis]
    if not is_staged(kth) and length is not None and product(shape) not in (0, None):
        for k in np.asarray(kth).ravel():
            if not -length <= k < length:
                raise ValueError(f"kth(={k + length if k < 0 else k}) out of bounds ({length})")
    return shape


def lexsort_type(keys: Any, axis: Any = -1) -> ArrayType:
    if isinstance(keys, (list, tuple)):
        shapes = [shape_of(k) for k in keys]
        columns = list(zip(*shapes, strict=False))
        if len(set(map(len, shapes))) > 1 or not all(same(c)[1] for c in columns):
            raise ValueError("all keys need to be the same shape")
        shape = tuple(same(column)[0] for column in columns)
    else:
        shape = as_array(keys).shape[1:]
    if shape:
        one_axis(axis, len(shape))
    return ArrayType(INDEX, shape)


RULES: dict[Any, Rule] = {
    **family(taken, "take", arrays=("a", "indices"), dtype=SAME),
    **family(taken_along, "take_along_axis", arrays=("arr", "indices"), dtype=SAME),
    **family(some, "flatnonzero", dtype=INDEX),
    **family(rows, "argwhere", dtype=INDEX),
    **family(sought, "searchsorted", arrays=("a", "v"), dtype=INDEX),
    **family(like, "digitize", arrays=("x", "bins")),
    **family(trimmed, "trim_zeros", dtype=SAME),
    **family(sorted_along, "sort", dtype=SAME),
    **family(ordered, "argsort", dtype=INDEX),
    **family(partitioned, "partition", dtype=SAME),
    **family(order_partitioned, "argpartition", dtype=INDEX),
    **named(
        where=where_type,
        select=select_type,
        choose=choose_type,
        compress=compress_type,
        extract=extract_type,
        nonzero=nonzero_type,
        lexsort=lexsort_type,
        unravel_index=unravel_index_type,
        ravel_multi_index=ravel_multi_index_type,
    ),
}
