"""Gradients of inverses, determinants, decompositions and solutions of linear systems."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...gradient.cotangents import ndim_of, shape_of, unbroadcast, zeros_like
from ...gradient.unsupported import unsupported_argument


def _t(x: Any) -> Any:
    return np.swapaxes(x, -1, -2)


def _h(x: Any) -> Any:
    return np.conj(_t(x))


def _eye(x: Any) -> Any:
    n = shape_of(x)[-1]
    if not isinstance(n, int):
        raise unsupported_argument("a factorization", "a matrix of unknown size")
    return np.eye(n)


def solve_rule(ct: Any, y: Any, a: Any, b: Any) -> Any:
    is_vector = ndim_of(b) == 1
    back = np.linalg.solve(_t(a), np.expand_dims(ct, -1) if is_vector else ct)
    column = np.expand_dims(y, -1) if is_vector else y
    return (
        lambda: unbroadcast(-np.matmul(back, _t(column)), a),
        lambda: unbroadcast(back[..., 0] if is_vector else back, b),
    )


def _as_matrices(x: Any) -> Any:
    """Reshape scalars, one for each matrix of a stack, so that they broadcast against the matrices."""
    return np.expand_dims(x, (-2, -1)) if ndim_of(x) else x


def det_rule(ct: Any, y: Any, a: Any) -> Any:
    """Use the adjugate for small matrices: it is a polynomial, defined for singular matrices too."""
    n = shape_of(a)[-1]
    if not isinstance(n, int) or n > MAX_ADJUGATE_SIZE:
        return (_as_matrices(ct * y) * _t(np.linalg.inv(a)),)
    eye = adjugate = np.eye(n)
    for k in range(1, n):  # Faddeev-LeVerrier recursion
        product = np.matmul(a, adjugate)
        trace = np.sum(np.diagonal(product, 0, -2, -1), -1)
        adjugate = _as_matrices(trace / k) * eye - product
    return (_as_matrices(ct) * (_t(adjugate) if n > 1 else np.ones_like(a)),)


MAX_ADJUGATE_SIZE = 4


def slogdet_rule(ct: Any, y: Any, a: Any) -> Any:
    if 0 in ct and np.iscomplexobj(a):
        raise unsupported_argument("numpy.linalg.slogdet", "the sign of complex matrices")
    if 1 not in ct:
        return (None,)
    return (_as_matrices(ct[1]) * _t(np.linalg.inv(a)),)


def cholesky_rule(ct: Any, y: Any, a: Any, /, *, upper: bool = False) -> Any:
    factor = _h(y) if upper else y
    ct_conj = np.conj(_t(ct)) if upper else np.conj(ct)
    inner = np.matmul(_h(factor), ct_conj)
    half = np.tril(inner) - 0.5 * np.expand_dims(np.diagonal(inner, 0, -2, -1), -1) * _eye(a)
    right = np.linalg.inv(factor)
    result = np.matmul(np.matmul(_h(right), half), right)
    return (np.conj(0.5 * (result + _h(result))),)


def _reciprocal_differences(values: Any) -> Any:
    """Return the reciprocals of all pairwise differences, with 0 on the diagonal."""
    gaps = np.expand_dims(values, -2) - np.expand_dims(values, -1)
    eye = _eye(gaps)
    return (1 - eye) / (gaps + eye)


def eigh_rule(ct: Any, y: Any, a: Any, UPLO: Any = "L") -> Any:
    w, v = y[0], y[1]
    inner = 0.0
    if 0 in ct:
        inner = np.expand_dims(ct[0], -2) * _eye(v)
    if 1 in ct:
        inner = inner + _reciprocal_differences(w) * np.matmul(_h(v), np.conj(ct[1]))
    result = np.matmul(np.matmul(v, inner), _h(v))
    return (np.conj(0.5 * (result + _h(result))),)


def eig_rule(ct: Any, y: Any, a: Any) -> Any:
    w, v = y[0], y[1]
    inner: Any = 0.0
    if 0 in ct:
        inner = np.expand_dims(ct[0], -2) * _eye(v)
    if 1 in ct:
        ct_conj = np.conj(ct[1])
        vt = _h(v)
        along = np.real(np.sum(np.conj(v) * ct_conj, -2))
        gaps = np.conj(_reciprocal_differences(w)) * (
            np.matmul(vt, ct_conj) - np.matmul(vt, v * np.expand_dims(along, -2))
        )
        inner = inner + np.conj(gaps)
    return (np.matmul(np.matmul(np.linalg.inv(_t(v)), inner), _t(v)),)


def svd_rule(ct: Any, y: Any, a: Any, full_matrices: bool = True, compute_uv: bool = True,
             hermitian: bool = False) -> Any:  # fmt: skip
    if not compute_uv:
        u, _, vh = np.linalg.svd(a, full_matrices=False)
        return (np.conj(np.matmul(u * np.expand_dims(ct, -2), vh)),)
    rows, columns = shape_of(a)[-2:]
    if full_matrices and rows != columns:
        raise unsupported_argument("numpy.linalg.svd", "full_matrices=True of a non-square matrix")
    u, s, vh = y[0], y[1], y[2]
    v = _h(vh)
    reciprocal = _reciprocal_differences(s * s)
    sv = np.expand_dims(s, -2)
    inner: Any = 0.0
    if 1 in ct:
        inner = np.expand_dims(ct[1], -2) * _eye(reciprocal)
    result: Any = 0.0
    if 0 in ct:
        gu = np.conj(ct[0])
        skew = np.matmul(_h(u), gu)
        inner = inner + reciprocal * (skew - _h(skew)) * sv
        rest = gu - np.matmul(u, skew)
        result = result + np.matmul(rest / sv, vh)
    if 2 in ct:
        gv = _h(np.conj(ct[2]))
        skew = np.matmul(_h(v), gv)
        inner = inner + np.expand_dims(s, -1) * (reciprocal * (skew - _h(skew)))
        rest = gv - np.matmul(v, skew)
        result = result + _h(np.matmul(rest / sv, _h(u)))
    return (np.conj(np.matmul(np.matmul(u, inner), vh) + result),)


def qr_rule(ct: Any, y: Any, a: Any, mode: str = "reduced") -> Any:
    rows, columns = shape_of(a)[-2:]
    if mode not in ("reduced", "complete") or rows < columns or (mode == "complete" and rows != columns):
        raise unsupported_argument("numpy.linalg.qr", f"mode={mode!r}, or more columns than rows")
    if np.iscomplexobj(a):
        raise unsupported_argument("numpy.linalg.qr", "complex matrices")
    q, r = y[0], y[1]
    gq = np.conj(ct[0]) if 0 in ct else zeros_like(q)
    gr = np.conj(ct[1]) if 1 in ct else zeros_like(r)
    inner = np.matmul(r, _h(gr)) - np.matmul(_h(gq), q)
    lower = np.tril(inner, -1)
    symmetric = lower + _h(lower) + np.expand_dims(np.diagonal(inner, 0, -2, -1), -1) * _eye(inner)
    result = np.matmul(gq + np.matmul(q, symmetric), _h(np.linalg.inv(r)))
    return (np.conj(result),)


def pinv_rule(ct: Any, y: Any, a: Any, *_: Any, **__: Any) -> Any:
    ct_conj, ph, gh = np.conj(ct), _h(y), _h(np.conj(ct))
    rows, columns = shape_of(a)[-2:]
    left = np.matmul(np.eye(rows) - np.matmul(a, y), np.matmul(gh, np.matmul(y, ph)))
    right = np.matmul(np.matmul(ph, y), np.matmul(gh, np.eye(columns) - np.matmul(y, a)))
    return (np.conj(left + right - np.matmul(np.matmul(ph, ct_conj), ph)),)


def _lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    """Return the solution and the residuals. The rank and the singular values have no gradient."""
    inverse = np.linalg.pinv(a) if rcond is None or rcond < 0 else np.linalg.pinv(a, rcond)
    solution = np.matmul(inverse, b)
    rows, columns = shape_of(a)
    if isinstance(rows, int) and isinstance(columns, int) and rows <= columns:
        return solution, np.zeros(0)
    rest = np.matmul(a, solution) - b
    squares = np.real(rest * np.conj(rest))
    total = np.sum(squares, 0)
    return solution, np.reshape(total, (1,)) if ndim_of(b) == 1 else total


def _cond(x: Any, p: Any = None) -> Any:
    if p in (None, 2, -2):
        s = np.linalg.svd(x, compute_uv=False)
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    inverse = np.linalg.inv(x)
    return np.linalg.norm(x, p, (-2, -1)) * np.linalg.norm(inverse, p, (-2, -1))


def _tensorinv(a: Any, ind: int = 2) -> Any:
    shape = shape_of(a)
    rows = int(np.prod(shape[ind:]))
    return np.reshape(np.linalg.inv(np.reshape(a, (rows, -1))), (*shape[ind:], *shape[:ind]))


def _tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    ndim = ndim_of(a)
    if axes is not None:
        rest = [i for i in range(ndim) if i not in axes]
        a = np.transpose(a, (*rest, *axes))
    shape = shape_of(a)[ndim_of(b) :]
    size = int(np.prod(shape))
    return np.reshape(np.linalg.solve(np.reshape(a, (-1, size)), np.reshape(b, (-1,))), shape)


def _matrix_power(a: Any, n: int) -> Any:
    if n == 0:
        return a * 0 + _eye(a)
    base, n = (np.linalg.inv(a), -n) if n < 0 else (a, n)
    result = None
    while n:
        if n % 2:
            result = base if result is None else np.matmul(result, base)
        n //= 2
        base = np.matmul(base, base) if n else base
    return result


RULES: dict[Any, Any] = {
    np.linalg.inv: lambda ct, y, a: (-np.matmul(np.matmul(_t(y), ct), _t(y)),),
    np.linalg.solve: solve_rule,
    np.linalg.det: det_rule,
    np.linalg.slogdet: slogdet_rule,
    np.linalg.cholesky: cholesky_rule,
    np.linalg.eigh: eigh_rule,
    np.linalg.eig: eig_rule,
    np.linalg.svd: svd_rule,
    np.linalg.qr: qr_rule,
    np.linalg.pinv: pinv_rule,
}

DEFINITIONS: dict[Any, Any] = {
    np.linalg.eigvalsh: lambda a, UPLO="L": np.linalg.eigh(a, UPLO)[0],
    np.linalg.eigvals: lambda a: np.linalg.eig(a)[0],
    np.linalg.lstsq: _lstsq,
    np.linalg.cond: _cond,
    np.linalg.tensorinv: _tensorinv,
    np.linalg.tensorsolve: _tensorsolve,
    np.linalg.matrix_power: _matrix_power,
}
if hasattr(np.linalg, "svdvals"):
    DEFINITIONS[np.linalg.svdvals] = lambda x, /: np.linalg.svd(x, compute_uv=False)
