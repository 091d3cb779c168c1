"""Differences, integrals, polynomials and statistics of samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import UnsupportedFunctionError
from ..types import ArrayType, Shape
from .probing import Rule, family, named, probe
from .shapes import (
    Dimension,
    all_axes,
    as_array,
    broadcast,
    is_staged,
    lift,
    one_axis,
    product,
    replaced,
    static,
    total,
    without,
)

NOT_GIVEN = np._NoValue


def differences(
    a: ArrayType, prepend: ArrayType | None, append: ArrayType | None, n: Any = 1, axis: int = -1
) -> Shape:
    axis = one_axis(axis, a.ndim)
    ends = (x.shape[axis] if x.shape else 1 for x in (prepend, append) if x is not None)
    length = total((a.shape[axis], *ends))
    if is_staged(n):
        return replaced(a.shape, axis, None)
    return replaced(a.shape, axis, lift(lambda length: max(length - n, 0), length))


def diff_type(
    a: Any, n: Any = 1, axis: int = -1, prepend: Any = NOT_GIVEN, append: Any = NOT_GIVEN
) -> ArrayType:
    array = as_array(a)
    if not is_staged(n) and n == 0:
        return array
    ends = {"prepend": prepend, "append": append}
    given = {name: as_array(x) for name, x in ends.items() if x is not NOT_GIVEN}
    # The order settles whether the call is right, and its size would cost time.
    result = probe(np.diff, array, n if is_staged(n) else min(n, 1), axis, **given)
    shape = differences(array, given.get("prepend"), given.get("append"), n, axis)
    return ArrayType(result.dtype, shape)


def all_differences(ary: ArrayType, to_end: Any, to_begin: Any) -> Shape:
    inner = lift(lambda n: max(n - 1, 0), product(ary.shape))
    return (total((inner, *(product(x.shape) for x in (to_end, to_begin) if x is not None))),)


def gradient_type(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    array = as_array(f)
    axes = all_axes(axis, array.ndim)
    if len(varargs) not in (0, 1, len(axes)):
        raise TypeError("invalid number of arguments")
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    for i in axes:
        length = array.shape[i]
        if length is not None and length < edge_order + 1:
            raise ValueError(
                "Shape of array too small to calculate a numerical gradient, "
                "at least (edge_order + 1) elements are required."
            )
    dtype = array.dtype if np.issubdtype(array.dtype, np.inexact) else np.dtype(float)
    results = (ArrayType(dtype, array.shape),) * len(axes)
    return results[0] if len(axes) == 1 else results


def integrated(y: ArrayType, x: ArrayType | None, dx: Any = 1.0, axis: int = -1) -> Shape:
    axis = one_axis(axis, y.ndim)
    if x is None:
        return without(y.shape, (axis,))
    steps = (1,) * axis + x.shape + (1,) * (y.ndim - axis - 1) if x.ndim == 1 else x.shape
    trim = [shorter(shape, axis - y.ndim) for shape in (steps, y.shape)]
    common = broadcast(*trim)
    return without(common, (axis - y.ndim + len(common),))


def shorter(shape: Shape, axis: int) -> Shape:
    """The shape of the differences along an axis."""
    axis += len(shape)
    return replaced(shape, axis, lift(lambda n: max(n - 1, 0), shape[axis]))


# --- polynomials ------------------------------------------------------------------------------


def polyfit_type(
    x: Any, y: Any, deg: Any, rcond: Any = None, full: bool = False, w: Any = None, cov: Any = False
) -> ArrayType:
    if full or cov:
        raise UnsupportedFunctionError(
            "np.polyfit with full or cov cannot be staged",
            why="the graph has a rule for the coefficients alone",
            remedy="leave out `full` and `cov`",
        )
    x, y = as_array(x), as_array(y)
    result = probe(np.polyfit, x, y, static(deg, "deg"))
    return ArrayType(result.dtype, (deg + 1, *y.shape[1:]))


def summed(a1: ArrayType, a2: ArrayType) -> Shape:
    if max(a1.ndim, a2.ndim) > 1:
        raise UnsupportedFunctionError(
            "a staged array of two dimensions or more is used as a polynomial",
            why="a polynomial is a vector of coefficients",
            remedy="use a vector for each polynomial, in a loop",
        )
    return (lift(max, *(x.shape[0] if x.shape else 1 for x in (a1, a2))),)


def derived(p: ArrayType, m: Any = 1) -> Shape:
    return (None if is_staged(m) else lift(lambda n: max(n - m, 0), p.shape[0]),)


# --- statistics -------------------------------------------------------------------------------


def covariance(m: ArrayType, y: ArrayType | None, *_: Any, rowvar: bool = True, **__: Any) -> Shape:
    """One row and column for each variable; a single variable has a plain variance."""
    count = total([variables(x, rowvar) for x in (m, y) if x is not None])
    if count is None:
        raise UnsupportedFunctionError(
            "a covariance of a number of variables that is known only when the graph runs",
            why="that of one variable is a number, and of several a matrix",
            remedy="give the array a known first dimension: x.reshape(3, -1)",
        )
    return () if count == 1 else (count, count)


def variables(x: ArrayType, rowvar: Any) -> Dimension:
    if x.ndim > 2:
        raise ValueError("m has more than 2 dimensions")
    return 1 if x.ndim < 2 else x.shape[0 if static(rowvar, "rowvar") else 1]


RULES: dict[Any, Rule] = {
    **family(all_differences, "ediff1d", arrays=("ary", "to_end", "to_begin")),
    **family(integrated, "trapezoid trapz", arrays=("y", "x")),
    **family(summed, "polyadd polysub", arrays=("a1", "a2")),
    **family(derived, "polyder"),
    **family(covariance, "cov", arrays=("m", "y", "fweights", "aweights")),
    **family(covariance, "corrcoef", arrays=("x", "y")),
    **named(diff=diff_type, gradient=gradient_type, polyfit=polyfit_type),
}
