"""Type rules for array creation: arrays of a given shape, copies, ranges and grids.

A staged length makes a dimension unknown. The number of dimensions must be known.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...ir.types import ArrayType, Shape
from ...rules import methods
from ...rules.probing import (
    SAME_DTYPE,
    Rule,
    dummy,
    formula_rules,
    named_rules,
    numpy_functions,
    probe,
    type_of_result,
    weak_type,
)
from ...rules.shapes import (
    Dimension,
    as_array,
    broadcast,
    broadcast_to,
    element_count,
    format_shape,
    is_staged,
    normalize_axis,
    requested_dimension,
    requested_shape,
    require_plain,
    shape_of,
)
from ..elementwise.types import same_shape

FLOAT = np.dtype(float)
INDEX = np.dtype(np.intp)


def empty_type(shape: Any, dtype: Any = None, order: str = "C", **_: Any) -> ArrayType:
    return ArrayType(np.dtype(dtype), requested_shape(shape))


def full_type(shape: Any, fill_value: Any, dtype: Any = None, order: str = "C", **_: Any) -> ArrayType:
    target = requested_shape(shape)
    check_fill(fill_value, target)
    selected = as_array(fill_value).dtype if dtype is None else np.dtype(dtype)
    return ArrayType(selected, target)


def check_fill(value: Any, target: Shape) -> None:
    value_shape = shape_of(value)
    shapes = f"from shape {format_shape(value_shape)} into shape {format_shape(target)}"
    error = f"could not broadcast input array {shapes}"
    broadcast_to(value_shape, target, error)


def eye_type(N: Any, M: Any = None, k: Any = 0, dtype: Any = float, order: str = "C", **_: Any) -> ArrayType:
    return ArrayType(np.dtype(dtype), requested_shape((N, N if M is None else M)))


def tri_type(N: Any, M: Any = None, k: Any = 0, dtype: Any = float, **_: Any) -> ArrayType:
    """Return the type of `np.tri`, which accepts negative sizes."""
    rows, columns = (n if is_staged(n) else max(n, 0) for n in (N, N if M is None else M))
    return eye_type(rows, columns, dtype=dtype)


def empty_like_type(
    a: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, **_: Any
) -> ArrayType:
    array = as_array(a)
    return ArrayType(
        array.dtype if dtype is None else np.dtype(dtype),
        array.shape if shape is None else requested_shape(shape),
    )


def full_like_type(a: Any, fill_value: Any, dtype: Any = None, *args: Any, **options: Any) -> ArrayType:
    result = empty_like_type(a, dtype, *args, **options)
    check_fill(fill_value, result.shape)
    return result


def array_type(object: Any, dtype: Any = None, *, ndmin: int = 0, **options: Any) -> ArrayType:
    array = as_array(object)
    shape = (1,) * (ndmin - array.ndim) + array.shape
    if dtype is None:
        return ArrayType(array.dtype, shape)
    return ArrayType(np.asarray(dummy(array), dtype).dtype, shape)


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
    sampled = bounds if step is not None else bounds[:2]
    # Only the dtype of the probe matters. The actual bounds could allocate an array as long as the user's.
    units = [dummy(bound) if is_staged(bound) else type(bound)(1) for bound in sampled]
    return ArrayType(probe(np.arange, *units, dtype=dtype).dtype, (arange_length(*bounds),))


def arange_length(start: Any, stop: Any, step: Any) -> Dimension:
    if any(map(is_staged, (start, stop, step))):
        return None
    if not step:
        raise ZeroDivisionError("division by zero")
    return max(0, math.ceil((stop - start) / step))


def spaced_rule(ends: Callable[..., Any], several: tuple[str, ...]) -> Rule:
    """Return the rule for a function that places `num` values between two bounds, along a new axis."""

    def rule(start: Any, stop: Any, num: Any = 50, *args: Any, axis: int = 0, **options: Any) -> Any:
        names = ("endpoint", *several, "dtype", "axis")
        options |= dict(zip(names, args, strict=False))
        axis = options.pop("axis", axis)
        ends_given = [weak_type(v) for v in (start, stop, options.get("base", 10.0))]
        base = broadcast(*map(shape_of, ends_given))
        if not is_staged(num) and num < 0:
            raise ValueError(f"Number of samples, {num}, must be non-negative.")
        place = normalize_axis(require_plain(axis, "axis"), len(base) + 1)
        result = probe(ends, *ends_given[:2], 2, **options)
        shape = (*base[:place], requested_dimension(num), *base[place:])
        return type_of_result(result, (shape, base) if isinstance(result, tuple) else shape)

    return rule


def meshgrid_type(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> Any:
    arrays = [as_array(x) for x in xi]
    result = probe(np.meshgrid, *arrays, copy=copy, sparse=sparse, indexing=indexing)
    sizes = [element_count(a.shape) for a in arrays]
    order = list(range(len(arrays)))
    if indexing == "xy":
        order[:2] = order[:2][::-1]
    shapes = [
        tuple(sizes[j] if not require_plain(sparse, "sparse") or i == j else 1 for j in order)
        for i in range(len(arrays))
    ]
    return type_of_result(result, shapes)


def indices_type(dimensions: Any, dtype: Any = int, sparse: bool = False) -> Any:
    sizes = requested_shape(dimensions)
    if not sparse:
        return ArrayType(np.dtype(dtype), (len(sizes), *sizes))
    alone = [[d if i == j else 1 for j, d in enumerate(sizes)] for i in range(len(sizes))]
    return tuple(ArrayType(np.dtype(dtype), tuple(shape)) for shape in alone)


def ix_type(*args: Any) -> tuple[ArrayType, ...]:
    """Return the types of an open grid. A mask stands for the indices of its true elements."""
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
    return ArrayType(result.dtype, (array.shape[0], array.shape[0] if N is None else requested_dimension(N)))


def window_type(function: Callable[..., Any], M: Any, *shape_parameter: Any) -> ArrayType:
    number = M if is_staged(M) else min(M, 1)
    result = probe(function, number, *shape_parameter)
    return ArrayType(result.dtype, (None if is_staged(M) or not isinstance(M, int) else max(M, 0),))


def astype_type(array: Any, dtype: Any, *args: Any, **options: Any) -> ArrayType:
    array = as_array(array)
    return ArrayType(probe(methods.astype, array, dtype, *args, **options).dtype, array.shape)


RULES: dict[Any, Rule] = {
    **formula_rules(same_shape, "copy", dtype=SAME_DTYPE),
    **formula_rules(same_shape, "asarray asanyarray asarray_chkfinite require astype"),
    **formula_rules(lambda a, *_, **__: a.shape or (1,), "ascontiguousarray asfortranarray"),
    **named_rules(
        array=array_type,
        zeros=empty_type,
        ones=empty_type,
        empty=empty_type,
        full=full_type,
        eye=eye_type,
        identity=lambda n, dtype=None, **_: eye_type(n, dtype=dtype),
        tri=tri_type,
        zeros_like=empty_like_type,
        ones_like=empty_like_type,
        empty_like=empty_like_type,
        full_like=full_like_type,
        arange=arange_type,
        linspace=spaced_rule(np.linspace, ("retstep",)),
        logspace=spaced_rule(np.logspace, ("base",)),
        geomspace=spaced_rule(np.geomspace, ()),
        meshgrid=meshgrid_type,
        ix_=ix_type,
        indices=indices_type,
        vander=vander_type,
    ),
    **{f: partial(window_type, f) for f in numpy_functions("bartlett blackman hamming hanning kaiser")},
    methods.astype: astype_type,
    methods.copy: lambda array, *_, **__: as_array(array),
}
