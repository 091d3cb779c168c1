"""New arrays: of a shape, like another array, of values in order, and grids.

A staged length makes an unknown dimension; the number of dimensions must be known.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..types import ArrayType, Shape
from .probing import SAME, Rule, dummy, family, named, probe, typed, weak
from .shapes import (
    Dimension,
    as_array,
    broadcast,
    broadcast_to,
    dimension,
    dimensions,
    is_staged,
    one_axis,
    product,
    shape_of,
    shown,
    static,
)

FLOAT = np.dtype(float)
INDEX = np.dtype(np.intp)


# --- of a shape -------------------------------------------------------------------------------


def blank_type(shape: Any, dtype: Any = None, order: str = "C", **_: Any) -> ArrayType:
    return ArrayType(np.dtype(dtype), dimensions(shape))


def full_type(shape: Any, fill_value: Any, dtype: Any = None, order: str = "C", **_: Any) -> ArrayType:
    target = dimensions(shape)
    check_fill(fill_value, target)
    chosen = as_array(fill_value).dtype if dtype is None else np.dtype(dtype)
    return ArrayType(chosen, target)


def check_fill(value: Any, target: Shape) -> None:
    given = shape_of(value)
    error = f"could not broadcast input array from shape {shown(given)} into shape {shown(target)}"
    broadcast_to(given, target, error)


def eye_type(N: Any, M: Any = None, k: Any = 0, dtype: Any = float, order: str = "C", **_: Any) -> ArrayType:
    return ArrayType(np.dtype(dtype), dimensions((N, N if M is None else M)))


def identity_type(n: Any, dtype: Any = None, **_: Any) -> ArrayType:
    return eye_type(n, dtype=dtype)


def tri_type(N: Any, M: Any = None, k: Any = 0, dtype: Any = float, **_: Any) -> ArrayType:
    sides = (N, N if M is None else M)
    # Unlike other functions, `tri` takes less than nothing for nothing.
    return ArrayType(np.dtype(dtype), dimensions([n if is_staged(n) else max(n, 0) for n in sides]))


# --- like another array -----------------------------------------------------------------------


def blank_like_type(
    a: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, **_: Any
) -> ArrayType:
    array = as_array(a)
    return ArrayType(
        array.dtype if dtype is None else np.dtype(dtype),
        array.shape if shape is None else dimensions(shape),
    )


def full_like_type(a: Any, fill_value: Any, dtype: Any = None, *args: Any, **options: Any) -> ArrayType:
    result = blank_like_type(a, dtype, *args, **options)
    check_fill(fill_value, result.shape)
    return result


def converted(a: ArrayType, *_: Any, **__: Any) -> Shape:
    return a.shape


def with_an_axis(a: ArrayType, *_: Any, **__: Any) -> Shape:
    return a.shape or (1,)


def array_type(object: Any, dtype: Any = None, *, ndmin: int = 0, **options: Any) -> ArrayType:
    array = as_array(object)
    shape = (1,) * (ndmin - array.ndim) + array.shape
    if dtype is None:
        return ArrayType(array.dtype, shape)
    return ArrayType(np.asarray(dummy(array), dtype).dtype, shape)


# --- values in order --------------------------------------------------------------------------


def arange_type(
    start: Any = None, stop: Any = None, step: Any = None, dtype: Any = None, **_: Any
) -> ArrayType:
    if start is None:
        raise TypeError("arange() requires stop to be specified.")
    if stop is None:
        start, stop = 0, start
    bounds = [start, stop, 1 if step is None else step]
    for bound in bounds:
        if shape_of(bound):
            raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
    given = bounds if step is not None else bounds[:2]
    # Dummies of both bounds may be equal, and still have the dtype.
    return ArrayType(probe(np.arange, *map(unit, given), dtype=dtype).dtype, (steps(*bounds),))


def unit(value: Any) -> Any:
    """A one of a bound's type: a bound itself might make an array as long as the user's."""
    return dummy(value) if is_staged(value) else type(value)(1)


def steps(start: Any, stop: Any, step: Any) -> Dimension:
    if any(map(is_staged, (start, stop, step))):
        return None
    if not step:
        raise ZeroDivisionError("division by zero")
    return max(0, math.ceil((stop - start) / step))


def spaced(ends: Callable[..., Any], several: tuple[str, ...]) -> Rule:
    """The rule of a function that puts `num` values between two, along a new axis."""

    def rule(start: Any, stop: Any, num: Any = 50, *args: Any, axis: int = 0, **options: Any) -> Any:
        names = ("endpoint", *several, "dtype", "axis")
        options |= dict(zip(names, args, strict=False))
        axis = options.pop("axis", axis)
        ends_given = [weak(v) for v in (start, stop, options.get("base", 10.0))]
        base = broadcast(*map(shape_of, ends_given))
        if not is_staged(num) and num < 0:
            raise ValueError(f"Number of samples, {num}, must be non-negative.")
        place = one_axis(static(axis, "axis"), len(base) + 1)
        result = probe(ends, *ends_given[:2], 2, **options)
        shape = (*base[:place], dimension(num), *base[place:])
        return typed(result, (shape, base) if isinstance(result, tuple) else shape)

    return rule


# --- grids ------------------------------------------------------------------------------------


def meshgrid_type(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> Any:
    arrays = [as_array(x) for x in xi]
    result = probe(np.meshgrid, *arrays, copy=copy, sparse=sparse, indexing=indexing)
    sizes = [product(a.shape) for a in arrays]
    order = list(range(len(arrays)))
    if indexing == "xy":
        order[:2] = order[:2][::-1]
    shapes = [
        tuple(sizes[j] if not static(sparse, "sparse") or i == j else 1 for j in order)
        for i in range(len(arrays))
    ]
    return typed(result, shapes)


# `np.indices` has a parameter of the same name.
sizes_of = dimensions


def indices_type(dimensions: Any, dtype: Any = int, sparse: bool = False) -> Any:
    sizes = sizes_of(dimensions)
    if not sparse:
        return ArrayType(np.dtype(dtype), (len(sizes), *sizes))
    alone = [[d if i == j else 1 for j, d in enumerate(sizes)] for i in range(len(sizes))]
    return tuple(ArrayType(np.dtype(dtype), tuple(shape)) for shape in alone)


def ix_type(*args: Any) -> tuple[ArrayType, ...]:
    """Open grid: a mask counts as the positions where it holds."""
    result = []
    for i, part in enumerate(args):
        array = as_array(part)
        if array.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        length, dtype = array.shape[0], array.dtype
        if dtype.kind == "b":
            length = None if is_staged(part) else int(np.count_nonzero(part))
            dtype = INDEX
        elif length == 0 and not isinstance(part, np.ndarray | ArrayType):
            dtype = INDEX
        before, after = (1,) * i, (1,) * (len(args) - i - 1)
        result.append(ArrayType(dtype, (*before, length, *after)))
    return tuple(result)


def vander_type(x: Any, N: Any = None, increasing: bool = False) -> ArrayType:
    array = as_array(x)
    result = probe(np.vander, array)
    return ArrayType(result.dtype, (array.shape[0], array.shape[0] if N is None else dimension(N)))


RULES: dict[Any, Rule] = {
    **family(converted, "copy", dtype=SAME),
    **family(converted, "asarray asanyarray asarray_chkfinite require astype"),
    **family(with_an_axis, "ascontiguousarray asfortranarray"),
    **named(
        array=array_type,
        zeros=blank_type,
        ones=blank_type,
        empty=blank_type,
        full=full_type,
        eye=eye_type,
        identity=identity_type,
        tri=tri_type,
        zeros_like=blank_like_type,
        ones_like=blank_like_type,
        empty_like=blank_like_type,
        full_like=full_like_type,
        arange=arange_type,
        linspace=spaced(np.linspace, ("retstep",)),
        logspace=spaced(np.logspace, ("base",)),
        geomspace=spaced(np.geomspace, ()),
        meshgrid=meshgrid_type,
        ix_=ix_type,
        indices=indices_type,
        vander=vander_type,
    ),
}


ARRAYS_OF_SCALARS = frozenset(
    (np.array, np.asarray, np.copy, np.full, np.full_like, np.zeros_like, np.ones_like, np.empty_like,
     np.select, np.where)
)  # fmt: skip
"""What makes an array of a scalar, which is written in place, where other functions make NumPy scalars."""
