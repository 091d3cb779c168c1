"""Type rules for `np.linalg`, whose functions take stacks of matrices.

Dtypes are found by calling the functions on 1x1 matrices of ones, which every decomposition accepts. Named
tuples become plain tuples of the same order. Eigenvalues of a general real matrix are real or complex
depending on the data, so `eig` and `eigvals` of real matrices have no rule.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from ....errors import UnsupportedFunctionError
from ...ir.types import ArrayType, Shape
from ...rules.probing import Rule, formula_rules, named_rules, probe, type_of_result
from ...rules.shapes import as_array, broadcast, element_count, map_known, require_plain, unify
from ...rules.ufuncs import gufunc_shapes


def matrix_shapes(core: str, *, square: bool = False) -> Callable[..., Any]:
    """Return the shape formula for a function of stacks of matrices.

    `core` names the dimensions of each result: `m` for rows, `n` for columns, `k` for the lesser of the two.
    """

    def formula(a: ArrayType, *_: Any, **__: Any) -> Any:
        *loop, rows, columns = square_shape(a) if square else stack_shape(a)
        sizes = {"m": rows, "n": columns, "k": map_known(min, rows, columns)}
        shapes = [(*loop, *(sizes[label] for label in part)) for part in core.split(",")]
        return shapes[0] if len(shapes) == 1 else tuple(shapes)

    return formula


def stack_shape(a: ArrayType) -> Shape:
    """Return the shape of a stack of matrices."""
    if a.ndim < 2:
        raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")
    return a.shape


def square_shape(a: ArrayType) -> Shape:
    *loop, rows, columns = stack_shape(a)
    side, agreed = unify((rows, columns))
    if not agreed:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    return (*loop, side, side)


def svd_shapes(
    a: ArrayType, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    core = "mm,k,nn" if require_plain(full_matrices, "full_matrices") else "mk,k,kn"
    core = core if require_plain(compute_uv, "compute_uv") else "k"
    return matrix_shapes(core, square=require_plain(hermitian, "hermitian"))(a)


QR_CORES = {"r": "kn", "raw": "nm,k", "complete": "mm,mn"}


def cond_shape(x: ArrayType, p: Any = None) -> Shape:
    return (stack_shape if require_plain(p, "p") in (None, 2, -2) else square_shape)(x)[:-2]


def solve_shape(a: ArrayType, b: ArrayType) -> Shape:
    square_shape(a)
    vector = b.ndim == 1
    name, signature = ("solve1", "(m,m),(m)->(m)") if vector else ("solve", "(m,m),(m,n)->(m,n)")
    return gufunc_shapes(name, signature, [a.shape, b.shape])[0]


def lstsq_shapes(a: ArrayType, b: ArrayType, *_: Any, **__: Any) -> tuple[Shape, ...]:
    """Return the shapes of the results. The number of residuals is unknown: it depends on the rank of `a`."""
    for x in (a,) if b.ndim == 1 else (a, b):
        if x.ndim != 2:
            raise LinAlgError(f"{x.ndim}-dimensional array given. Array must be two-dimensional")
    rows, columns = a.shape
    if not unify((rows, b.shape[0]))[1]:
        raise LinAlgError("Incompatible dimensions")
    return (columns, *b.shape[1:]), (None,), (), (map_known(min, rows, columns),)


def tensorinv_shape(a: ArrayType, ind: int = 2) -> Shape:
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    left, right = a.shape[:ind], a.shape[ind:]
    if not unify((element_count(left), element_count(right)))[1]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    return (*right, *left)


def tensorsolve_shape(a: ArrayType, b: ArrayType, axes: Any = None) -> Shape:
    moved = [i % a.ndim for i in require_plain(axes, "axes") or ()]
    shape = tuple(a.shape[i] for i in [*(i for i in range(a.ndim) if i not in moved), *moved])
    left, right = shape[: b.ndim], shape[b.ndim :]
    if not unify((element_count(left), element_count(right)))[1]:
        raise LinAlgError(
            "Input arrays must satisfy the requirement "
            "            prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])"
        )
    return right


def eigen_type(name: str, a: Any) -> Any:
    array = as_array(a)
    side = square_shape(array)
    if array.dtype.kind != "c":
        raise UnsupportedFunctionError(
            f"np.linalg.{name} was called on a staged real matrix",
            why="the result is real or complex depending on the data, but its dtype must be known "
            "before the graph runs",
            remedy=f"use np.linalg.{name.replace('eig', 'eigh')} for a symmetric matrix, "
            "or convert it with astype(complex)",
        )
    shapes = (side[:-1], side) if name == "eig" else side[:-1]
    return type_of_result(probe(getattr(np.linalg, name), array), shapes)


def matrix_rank_type(A: Any, tol: Any = None, hermitian: bool = False, **options: Any) -> Any:
    array = as_array(A)
    shape: Shape = array.shape[:-2]
    if array.ndim >= 2 and require_plain(hermitian, "hermitian"):
        square_shape(array)
    tolerances = [as_array(t).shape for t in (tol, options.get("rtol")) if t is not None]
    result = probe(np.linalg.matrix_rank, np.ones((1,) * array.ndim, array.dtype))
    return type_of_result(result, broadcast(shape, *tolerances))


def matrix_power_type(a: Any, n: Any) -> ArrayType:
    array = as_array(a)
    shape = square_shape(array)
    power = require_plain(n, "n")
    # The sign and type of the exponent determine the dtype. A large exponent would only cost time.
    small = max(-1, min(power, 3)) if isinstance(power, int | np.integer) else power
    return ArrayType(probe(np.linalg.matrix_power, array, small).dtype, shape)


RULES: dict[Any, Rule] = {
    **formula_rules(matrix_shapes("", square=True), "linalg.det"),
    **formula_rules(matrix_shapes(",", square=True), "linalg.slogdet"),
    **formula_rules(matrix_shapes("mm", square=True), "linalg.inv linalg.cholesky"),
    **formula_rules(matrix_shapes("nm"), "linalg.pinv"),
    **formula_rules(matrix_shapes("m,mm", square=True), "linalg.eigh"),
    **formula_rules(matrix_shapes("m", square=True), "linalg.eigvalsh"),
    **formula_rules(matrix_shapes("k"), "linalg.svdvals"),
    **formula_rules(svd_shapes, "linalg.svd"),
    **formula_rules(lambda a, mode="reduced": matrix_shapes(QR_CORES.get(mode, "mk,kn"))(a), "linalg.qr"),
    **formula_rules(cond_shape, "linalg.cond"),
    **formula_rules(solve_shape, "linalg.solve", arrays=("a", "b")),
    **formula_rules(lstsq_shapes, "linalg.lstsq", arrays=("a", "b")),
    **formula_rules(tensorinv_shape, "linalg.tensorinv"),
    **formula_rules(tensorsolve_shape, "linalg.tensorsolve", arrays=("a", "b")),
    **named_rules(
        linalg__eig=partial(eigen_type, "eig"),
        linalg__eigvals=partial(eigen_type, "eigvals"),
        linalg__matrix_rank=matrix_rank_type,
        linalg__matrix_power=matrix_power_type,
    ),
}
