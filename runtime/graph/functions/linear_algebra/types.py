"""`np.linalg`: stacks of matrices.

The dtypes are those of one-by-one matrices of ones, which every decomposition takes. Named
tuples are plain tuples here, in the same order. Eigenvalues of a real matrix that is not known
to be symmetric are real or complex as its data have it, so they have no rule.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from ...errors import UnsupportedFunctionError
from ..types import ArrayType, Shape
from .probing import Rule, family, named, probe, typed
from .shapes import (
    Dimension,
    as_array,
    broadcast,
    lift,
    product,
    same,
    static,
)
from .ufuncs import stacked_shapes


def stack(a: ArrayType) -> Shape:
    """The shape of a stack of matrices, which every function here wants."""
    if a.ndim < 2:
        raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")
    return a.shape


def square(a: ArrayType, *_: Any, **__: Any) -> Shape:
    *loop, rows, columns = stack(a)
    side, agreed = same((rows, columns))
    if not agreed:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    return (*loop, side, side)


def single_matrix(a: ArrayType) -> Shape:
    if a.ndim != 2:
        raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be two-dimensional")
    return a.shape


def shorter(rows: Dimension, columns: Dimension) -> Dimension:
    return lift(min, rows, columns)


# --- shape formulas ---------------------------------------------------------------------------


def per_matrix(a: ArrayType, *_: Any, **__: Any) -> Shape:
    return square(a)[:-2]


def sign_and_log(a: ArrayType) -> tuple[Shape, Shape]:
    return per_matrix(a), per_matrix(a)


def inverse_of_any(a: ArrayType, *_: Any, **__: Any) -> Shape:
    *loop, rows, columns = stack(a)
    return (*loop, columns, rows)


def decomposed(a: ArrayType, *_: Any, **__: Any) -> tuple[Shape, Shape]:
    """Eigenvalues and eigenvectors."""
    shape = square(a)
    return shape[:-1], shape


def values_only(a: ArrayType, *_: Any, **__: Any) -> Shape:
    return square(a)[:-1]


def singular_values(x: ArrayType, *_: Any, **__: Any) -> Shape:
    *loop, rows, columns = stack(x)
    return (*loop, shorter(rows, columns))


def svd(a: ArrayType, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    *loop, rows, columns = square(a) if static(hermitian, "hermitian") else stack(a)
    rank = shorter(rows, columns)
    if not static(compute_uv, "compute_uv"):
        return (*loop, rank)
    left, right = (rows, columns) if static(full_matrices, "full_matrices") else (rank, rank)
    return (*loop, rows, left), (*loop, rank), (*loop, right, columns)


def qr(a: ArrayType, mode: str = "reduced") -> Any:
    *loop, rows, columns = stack(a)
    rank = shorter(rows, columns)
    if mode == "r":
        return (*loop, rank, columns)
    if mode == "raw":
        return (*loop, columns, rows), (*loop, rank)
    side = rows if mode == "complete" else rank
    return (*loop, rows, side), (*loop, side, columns)


def conditioned(x: ArrayType, p: Any = None) -> Shape:
    return stack(x)[:-2] if static(p, "p") in (None, 2, -2) else per_matrix(x)


def solve(a: ArrayType, b: ArrayType) -> Shape:
    square(a)
    vector = b.ndim == 1
    name, signature = ("solve1", "(m,m),(m)->(m)") if vector else ("solve", "(m,m),(m,n)->(m,n)")
    return stacked_shapes(name, signature, [a.shape, b.shape])[0]


def least_squares(a: ArrayType, b: ArrayType, *_: Any, **__: Any) -> tuple[Shape, ...]:
    """The residuals are there or not, as the rank of the data has it."""
    rows, columns = single_matrix(a)
    if b.ndim != 1:
        single_matrix(b)
    if not same((rows, b.shape[0]))[1]:
        raise LinAlgError("Incompatible dimensions")
    return (columns, *b.shape[1:]), (None,), (), (shorter(rows, columns),)


def tensor_inverse(a: ArrayType, ind: int = 2) -> Shape:
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    left, right = a.shape[:ind], a.shape[ind:]
    if not same((product(left), product(right)))[1]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    return (*right, *left)


def tensor_solution(a: ArrayType, b: ArrayType, axes: Any = None) -> Shape:
    moved = [i % a.ndim for i in static(axes, "axes") or ()]
    shape = tuple(a.shape[i] for i in [*(i for i in range(a.ndim) if i not in moved), *moved])
    left, right = shape[: b.ndim], shape[b.ndim :]
    if not same((product(left), product(right)))[1]:
        raise LinAlgError(
            "Input arrays must satisfy the requirement "
            "            prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])"
        )
    return right


# --- rules in full ----------------------------------------------------------------------------


def eigen(formula: Any, function: str) -> Rule:
    def rule(a: Any) -> Any:
        array = as_array(a)
        shape = formula(array)
        if array.dtype.kind != "c":
            raise UnsupportedFunctionError(
                f"np.linalg.{function} was called on a staged real matrix",
                why="its result is real or complex as the data have it, and a graph knows "
                "the dtype before it runs",
                remedy=f"use np.linalg.{function.replace('eig', 'eigh')} for a symmetric matrix, "
                "or convert it with astype(complex)",
            )
        return typed(probe(getattr(np.linalg, function), array), shape)

    return rule


def matrix_rank_type(A: Any, tol: Any = None, hermitian: bool = False, **options: Any) -> Any:
    array = as_array(A)
    shape: Shape = array.shape[:-2]
    if array.ndim >= 2 and static(hermitian, "hermitian"):
        square(array)
    tolerances = [as_array(t).shape for t in (tol, options.get("rtol")) if t is not None]
    result = probe(np.linalg.matrix_rank, np.ones((1,) * array.ndim, array.dtype))
    return typed(result, broadcast(shape, *tolerances))


def matrix_power_type(a: Any, n: Any) -> ArrayType:
    array = as_array(a)
    shape = square(array)
    power = static(n, "n")
    # The sign and the type of the exponent settle the dtype; its size would cost time.
    small = max(-1, min(power, 3)) if isinstance(power, int | np.integer) else power
    return ArrayType(probe(np.linalg.matrix_power, array, small).dtype, shape)


RULES: dict[Any, Rule] = {
    **family(per_matrix, "linalg.det"),
    **family(sign_and_log, "linalg.slogdet"),
    **family(square, "linalg.inv linalg.cholesky"),
    **family(inverse_of_any, "linalg.pinv"),
    **family(decomposed, "linalg.eigh"),
    **family(values_only, "linalg.eigvalsh"),
    **family(singular_values, "linalg.svdvals"),
    **family(svd, "linalg.svd"),
    **family(qr, "linalg.qr"),
    **family(conditioned, "linalg.cond"),
    **family(solve, "linalg.solve", arrays=("a", "b")),
    **family(least_squares, "linalg.lstsq", arrays=("a", "b")),
    **family(tensor_inverse, "linalg.tensorinv"),
    **family(tensor_solution, "linalg.tensorsolve", arrays=("a", "b")),
    **named(
        linalg__eig=eigen(decomposed, "eig"),
        linalg__eigvals=eigen(values_only, "eigvals"),
        linalg__matrix_rank=matrix_rank_type,
        linalg__matrix_power=matrix_power_type,
    ),
}
