"""Type rules for differences, integrals, interpolation, polynomials and statistics of samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import UnsupportedFunctionError
from ...ir.types import ArrayType, Shape
from ...rules.probing import Rule, formula_rules, named_rules, probe, type_of_result
from ...rules.shapes import (
    Dimension,
    as_array,
    broadcast,
    element_count,
    is_staged,
    map_known,
    normalize_axes,
    normalize_axis,
    reduce_axes,
    replace_axis,
    require_plain,
    total,
    unify,
)
from ..elementwise.types import same_shape
from ..searching.types import sort_shape

NO_VALUE = np._NoValue


def diff_shape(
    a: ArrayType, prepend: ArrayType | None, append: ArrayType | None, n: Any = 1, axis: int = -1
) -> Shape:
    axis = normalize_axis(axis, a.ndim)
    ends = (x.shape[axis] if x.shape else 1 for x in (prepend, append) if x is not None)
    length = total((a.shape[axis], *ends))
    if is_staged(n):
        return replace_axis(a.shape, axis, None)
    return replace_axis(a.shape, axis, map_known(lambda length: max(length - n, 0), length))


def diff_type(
    a: Any, n: Any = 1, axis: int = -1, prepend: Any = NO_VALUE, append: Any = NO_VALUE
) -> ArrayType:
    array = as_array(a)
    if not is_staged(n) and n == 0:
        return array
    ends = {"prepend": prepend, "append": append}
    present_ends = {name: as_array(x) for name, x in ends.items() if x is not NO_VALUE}
    # The probe checks the call. A high order would only cost time.
    result = probe(np.diff, array, n if is_staged(n) else min(n, 1), axis, **present_ends)
    shape = diff_shape(array, present_ends.get("prepend"), present_ends.get("append"), n, axis)
    return ArrayType(result.dtype, shape)


def ediff1d_shape(ary: ArrayType, to_end: Any, to_begin: Any) -> Shape:
    inner_shape = map_known(lambda n: max(n - 1, 0), element_count(ary.shape))
    return (total((inner_shape, *(element_count(x.shape) for x in (to_end, to_begin) if x is not None))),)


def gradient_type(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    array = as_array(f)
    axes = normalize_axes(axis, array.ndim)
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


def trapezoid_shape(y: ArrayType, x: ArrayType | None, dx: Any = 1.0, axis: int = -1) -> Shape:
    axis = normalize_axis(axis, y.ndim)
    if x is None:
        return reduce_axes(y.shape, (axis,))
    arange_length = (1,) * axis + x.shape + (1,) * (y.ndim - axis - 1) if x.ndim == 1 else x.shape
    end = axis - y.ndim
    common = broadcast(*(
        replace_axis(shape, end + len(shape), map_known(lambda n: max(n - 1, 0), shape[end]))
        for shape in (arange_length, y.shape)
    ))  # fmt: skip
    return reduce_axes(common, (end + len(common),))


def polyfit_type(
    x: Any, y: Any, deg: Any, rcond: Any = None, full: bool = False, w: Any = None, cov: Any = False
) -> Any:
    x, y = as_array(x), as_array(y)
    full, cov = require_plain(full, "full"), require_plain(cov, "cov")
    terms, several = require_plain(deg, "deg") + 1, y.shape[1:]
    # One point determines a constant only, and with it a covariance that is not scaled.
    result = probe(np.polyfit, x, y, min(deg, 0), full=full, cov="unscaled" if cov else False)
    coefficients = (terms, *several)
    if full:
        return type_of_result(result, (coefficients, (None,), (), (terms,), ()))
    if cov:
        scales = several if cov != "unscaled" else (1,) * len(several)
        return type_of_result(result, (coefficients, (terms, terms, *scales)))
    return type_of_result(result, coefficients)


def added_shape(a1: ArrayType, a2: ArrayType) -> Shape:
    return (map_known(max, *map(coefficient_count, (a1, a2))),)


def coefficient_count(p: ArrayType) -> Dimension:
    if p.ndim > 1:
        raise UnsupportedFunctionError(
            "a staged array of two or more dimensions cannot be used as a polynomial",
            why="a polynomial is a vector of coefficients",
            remedy="loop over the polynomials, and pass each as a vector",
        )
    return p.shape[0] if p.shape else 1


def division_shapes(u: ArrayType, v: ArrayType) -> tuple[Shape, Shape]:
    quotient = map_known(lambda m, n: max(m - n + 1, 1), coefficient_count(u), coefficient_count(v))
    return (quotient,), (None,)


def integral_shape(p: ArrayType, m: Any = 1, k: Any = None) -> Shape:
    return (None if is_staged(m) else map_known(lambda n: n + m, p.shape[0]),)


def poly_type(seq_of_zeros: Any) -> Any:
    """Return the type of `np.poly`, which takes zeros or a matrix that has them as its eigenvalues."""
    zeros = as_array(seq_of_zeros)
    if zeros.dtype.kind == "c":
        raise dtype_of_data("np.poly", "convert the coefficients with astype(complex), or use real zeros")
    length = unify(zeros.shape)[0] if zeros.shape else 1
    result = probe(np.poly, zeros)
    return type_of_result(result, () if result.ndim == 0 else (map_known(lambda n: n + 1, length),))


def real_if_close_type(a: Any, tol: Any = 100) -> ArrayType:
    array = as_array(a)
    if array.dtype.kind == "c":
        raise dtype_of_data("np.real_if_close", "use x.real, after a test such as np.allclose(x.imag, 0)")
    return array


def dtype_of_data(name: str, remedy: str) -> UnsupportedFunctionError:
    return UnsupportedFunctionError(
        f"{name} was called on a staged array",
        why="the result is real or complex depending on the data, but its dtype must be known before the "
        "graph runs",
        remedy=remedy,
    )


def cov_shape(m: ArrayType, y: ArrayType | None, *_: Any, rowvar: bool = True, **__: Any) -> Shape:
    """Return a shape with one row and column for each variable, or `()` for a single variable."""
    count = total([variable_count(x, rowvar) for x in (m, y) if x is not None])
    if count is None:
        raise UnsupportedFunctionError(
            "the covariance of an unknown number of variables cannot be staged",
            why="the result is a number for one variable and a matrix for several, but how many there are "
            "is known only when the graph runs",
            remedy="give the array a known first dimension: x.reshape(3, -1)",
        )
    return () if count == 1 else (count, count)


def variable_count(x: ArrayType, rowvar: Any) -> Dimension:
    if x.ndim > 2:
        raise ValueError("m has more than 2 dimensions")
    return 1 if x.ndim < 2 else x.shape[0 if require_plain(rowvar, "rowvar") else 1]


RULES: dict[Any, Rule] = {
    **formula_rules(ediff1d_shape, "ediff1d", arrays=("ary", "to_end", "to_begin")),
    **formula_rules(trapezoid_shape, "trapezoid trapz", arrays=("y", "x")),
    **formula_rules(added_shape, "polyadd polysub", arrays=("a1", "a2")),
    **formula_rules(lambda a1, a2: (None,), "polymul", arrays=("a1", "a2")),
    **formula_rules(division_shapes, "polydiv", arrays=("u", "v")),
    **formula_rules(integral_shape, "polyint"),
    **formula_rules(
        lambda p, m=1: (None if is_staged(m) else map_known(lambda n: max(n - m, 0), p.shape[0]),), "polyder"
    ),
    **formula_rules(lambda p, x: broadcast(x.shape, p.shape[1:]), "polyval", arrays=("p", "x")),
    **formula_rules(same_shape, "interp", arrays=("x", "xp", "fp")),
    **formula_rules(sort_shape, "unwrap"),
    **formula_rules(cov_shape, "cov", arrays=("m", "y", "fweights", "aweights")),
    **formula_rules(cov_shape, "corrcoef", arrays=("x", "y")),
    **named_rules(
        diff=diff_type,
        gradient=gradient_type,
        polyfit=polyfit_type,
        poly=poly_type,
        real_if_close=real_if_close_type,
    ),
}
