"""Type rules for `scipy.special` and `scipy.linalg`, by name: SciPy is not imported here.

The functions of `scipy.special` that are ufuncs need no rule. Eigenvectors of a real matrix, `logm` and
`sqrtm` are real or complex depending on the data, so they have none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...ir.types import ArrayType, Shape
from ...rules.probing import Rule, probe, rule_from_formula
from ...rules.shapes import Dimension, as_array, map_known, require_plain, total
from ...rules.tables import rules_by_name
from ..elementwise.types import broadcast_shape, same_shape
from ..linear_algebra.types import matrix_shapes, solve_shape
from ..reductions.types import reduce_shape


def matrices(core: str, *, square: bool = True) -> Callable[..., Any]:
    return matrix_shapes(core, square=square)


def log_sum_shapes(
    a: ArrayType, b: ArrayType | None, axis: Any = None, keepdims: bool = False, return_sign: bool = False
) -> Any:
    both = a if b is None else ArrayType(a.dtype, broadcast_shape(a, b))
    shape = reduce_shape(both, axis=axis, keepdims=keepdims)
    return (shape, shape) if require_plain(return_sign, "return_sign") else shape


def eigh_shapes(a: ArrayType, *, eigvals_only: bool = False, **options: Any) -> Any:
    subset = any(options.get(name) is not None for name in ("subset_by_index", "subset_by_value"))
    values, vectors = matrices("m,mm")(a)
    if subset:
        values, vectors = (*values[:-1], None), (*vectors[:-1], None)
    return values if require_plain(eigvals_only, "eigvals_only") else (values, vectors)


def lu_shapes(a: ArrayType, permute_l: bool = False, *_: Any, p_indices: bool = False, **__: Any) -> Any:
    core = "mk,kn" if permute_l else "m,mk,kn" if p_indices else "mm,mk,kn"
    return matrices(core, square=False)(a)


def qr_shapes(a: ArrayType, *_: Any, mode: str = "full", pivoting: bool = False, **__: Any) -> Any:
    core = {"full": "mm,mn", "r": "mn", "economic": "mk,kn", "raw": "mn,k,kn"}[mode]
    shapes = matrices(core + ",n" * bool(pivoting), square=False)(a)
    return shapes if "," in core or pivoting else (shapes,)


def svd_shapes(a: ArrayType, full_matrices: bool = True, compute_uv: bool = True, **_: Any) -> Any:
    core = ("mm,k,nn" if full_matrices else "mk,k,kn") if compute_uv else "k"
    return matrices(core, square=False)(a)


def norm_shape(a: ArrayType, ord: Any = None, axis: Any = None, keepdims: bool = False, **_: Any) -> Shape:
    return reduce_shape(a, axis=axis, keepdims=keepdims)


def toeplitz_shape(c: ArrayType, r: ArrayType | None) -> Shape:
    return (*c.shape[:-1], c.shape[-1], (c if r is None else r).shape[-1])


def circulant_shape(c: ArrayType) -> Shape:
    return (*c.shape, c.shape[-1])


def block_diagonal_type(function: Callable[..., Any]) -> Rule:
    def rule(*arrs: Any) -> ArrayType:
        shapes = [(1,) * (2 - a.ndim) + a.shape for a in map(as_array, arrs)]
        sides: list[Dimension] = [total([s[i] for s in shapes]) for i in (-2, -1)]
        return ArrayType(probe(function, *arrs).dtype, tuple(sides))

    return rule


def factored_solution_type(function: Callable[..., Any]) -> Rule:
    """Return the rule of a function that solves equations whose matrix is factored."""

    def rule(factors: Any, b: Any, *_: Any, **__: Any) -> ArrayType:
        kinds = as_array(factors[0]), as_array(b)
        # A solution has the dtype of a product in the precision of LAPACK.
        dtype = np.result_type(*(np.linalg.inv(np.ones((1, 1), kind.dtype)) for kind in kinds))
        return ArrayType(dtype, kinds[1].shape)

    return rule


def banded_solution_type(function: Callable[..., Any]) -> Rule:
    def rule(l_and_u: Any, ab: Any, b: Any, *_: Any, **__: Any) -> ArrayType:
        lower, upper = require_plain(l_and_u, "l_and_u")
        width, kinds = lower + upper + 1, (as_array(ab), as_array(b))
        bands = np.ones((width, width), kinds[0].dtype)
        bands[upper] = 2 * width
        return ArrayType(
            function((lower, upper), bands, np.ones(width, kinds[1].dtype)).dtype, kinds[1].shape
        )

    return rule


def by_formula(formula: Callable[..., Any], *arrays: str) -> Callable[[Callable[..., Any]], Rule]:
    return lambda function: rule_from_formula(function, formula, *arrays)


SCIPY_RULES = {
    **rules_by_name("scipy.special", by_formula(log_sum_shapes, "a", "b"), "logsumexp"),
    **rules_by_name("scipy.special", by_formula(same_shape), "softmax log_softmax sinc factorial factorial2"),
    **rules_by_name("scipy.special", by_formula(broadcast_shape, "n", "x"), "polygamma"),
    **rules_by_name("scipy.special", by_formula(broadcast_shape, "x", "q"), "zeta"),
    **rules_by_name("scipy.special", by_formula(broadcast_shape, "N", "k"), "comb perm"),
    **rules_by_name(
        "scipy.linalg",
        by_formula(matrices("mm")),
        "inv expm cosm sinm tanm coshm sinhm tanhm cholesky",
    ),
    **rules_by_name("scipy.linalg", by_formula(matrices("")), "det"),
    **rules_by_name("scipy.linalg", by_formula(matrices("m")), "eigvals eigvalsh"),
    **rules_by_name("scipy.linalg", by_formula(eigh_shapes), "eigh"),
    **rules_by_name("scipy.linalg", by_formula(lambda a, **_: (matrices("mm")(a), ())), "cho_factor"),
    **rules_by_name("scipy.linalg", by_formula(matrices("mn,k", square=False)), "lu_factor"),
    **rules_by_name("scipy.linalg", by_formula(lu_shapes), "lu"),
    **rules_by_name("scipy.linalg", by_formula(qr_shapes), "qr"),
    **rules_by_name("scipy.linalg", by_formula(svd_shapes), "svd"),
    **rules_by_name("scipy.linalg", by_formula(matrices("k", square=False)), "svdvals"),
    **rules_by_name("scipy.linalg", by_formula(matrices("nm", square=False)), "pinv"),
    **rules_by_name(
        "scipy.linalg",
        by_formula(norm_shape),
        "norm",
    ),
    **rules_by_name(
        "scipy.linalg", by_formula(lambda a, b, **_: solve_shape(a, b), "a", "b"), "solve solve_triangular"
    ),
    **rules_by_name("scipy.linalg", factored_solution_type, "lu_solve cho_solve"),
    **rules_by_name("scipy.linalg", banded_solution_type, "solve_banded"),
    **rules_by_name("scipy.linalg", by_formula(toeplitz_shape, "c", "r"), "toeplitz hankel"),
    **rules_by_name("scipy.linalg", by_formula(circulant_shape), "circulant"),
    **rules_by_name("scipy.linalg", block_diagonal_type, "block_diag"),
    **rules_by_name(
        "scipy.linalg", by_formula(lambda A, *_, **__: (map_known(int, A.shape[-1]), None)), "null_space"
    ),
    **rules_by_name("scipy.linalg", by_formula(lambda A, *_, **__: (A.shape[0], None)), "orth"),
}
"""For the public name of each function, a function that returns its rule."""
