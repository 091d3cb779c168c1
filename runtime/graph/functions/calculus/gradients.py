"""Gradients of differences, integrals, interpolation, polynomials and statistics of samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...gradient.cotangents import ndim_of, shape_of
from ...gradient.unsupported import unsupported_argument
from ...tracing import recording
from ..elementwise.gradients import identity_rule


def _slice_axis(a: Any, axis: int, part: Any) -> Any:
    return a[(slice(None),) * (axis % ndim_of(a)) + (part,)]


def _diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = np._NoValue, append: Any = np._NoValue) -> Any:
    ends: list[list[Any]] = []
    for value in (prepend, append):
        if value is np._NoValue or value is None:
            ends.append([])
        elif ndim_of(value) == 0:
            shape = tuple(1 if i == axis % ndim_of(a) else m for i, m in enumerate(shape_of(a)))
            ends.append([np.broadcast_to(value, shape)])
        else:
            ends.append([value])
    if ends[0] or ends[1]:
        a = np.concatenate([*ends[0], a, *ends[1]], axis)
    for _ in range(n):
        a = _slice_axis(a, axis, slice(1, None)) - _slice_axis(a, axis, slice(None, -1))
    return a


def _ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    result = _diff(np.reshape(ary, (-1,)))
    parts = [] if to_begin is None else [np.reshape(to_begin, (-1,))]
    parts += [result] if to_end is None else [result, np.reshape(to_end, (-1,))]
    return np.concatenate(parts) if len(parts) > 1 else result


def _trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    means = (_slice_axis(y, axis, slice(1, None)) + _slice_axis(y, axis, slice(None, -1))) / 2
    if x is None:
        return np.sum(dx * means, axis)
    if ndim_of(x) == 1:
        widths = np.reshape(_diff(x), (-1,) + (1,) * (ndim_of(y) - 1 - axis % ndim_of(y)))
    else:
        widths = _diff(x, axis=axis)
    return np.sum(widths * means, axis)


def _gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    ndim = ndim_of(f)
    axes = list(range(ndim)) if axis is None else [axis] if isinstance(axis, int) else list(axis)
    spacings = list(varargs) if varargs else [1.0]
    if len(spacings) == 1:
        spacings *= len(axes)
    result = []
    for space, one in zip(spacings, axes, strict=True):
        g = np.moveaxis(f, one, 0)
        if ndim_of(space):
            if edge_order != 1:
                raise unsupported_argument("numpy.gradient", "edge_order=2 and coordinates")
            d = np.reshape(_diff(space), (-1,) + (1,) * (ndim - 1))
            a, b = d[:-1], d[1:]
            inner = -b / (a * (a + b)) * g[:-2] + (b - a) / (a * b) * g[1:-1] + a / (b * (a + b)) * g[2:]
            first, last = (g[1:2] - g[:1]) / d[:1], (g[-1:] - g[-2:-1]) / d[-1:]
        else:
            inner = (g[2:] - g[:-2]) / (2 * space)
            if edge_order == 1:
                first, last = (g[1:2] - g[:1]) / space, (g[-1:] - g[-2:-1]) / space
            else:
                first = (-1.5 * g[:1] + 2 * g[1:2] - 0.5 * g[2:3]) / space
                last = (0.5 * g[-3:-2] - 2 * g[-2:-1] + 1.5 * g[-1:]) / space
        result.append(np.moveaxis(np.concatenate([first, inner, last], 0), 0, one))
    return result[0] if len(result) == 1 else tuple(result)


def _polyadd(a1: Any, a2: Any) -> Any:
    n = max(shape_of(a1)[0], shape_of(a2)[0])
    return np.pad(a1, (n - shape_of(a1)[0], 0)) + np.pad(a2, (n - shape_of(a2)[0], 0))


def _polyder(p: Any, m: int = 1) -> Any:
    for _ in range(m):
        p = p[:-1] * np.arange(shape_of(p)[0] - 1, 0, -1)
    return p


def _polyval(p: Any, x: Any) -> Any:
    result: Any = 0 * x
    for i in range(shape_of(p)[0]):
        result = result * x + p[i]
    return result


def _polyfit(x: Any, y: Any, deg: int, rcond: Any = None, full: bool = False, w: Any = None,
             cov: bool = False) -> Any:  # fmt: skip
    if full or cov or not isinstance(deg, int):
        raise unsupported_argument("numpy.polyfit", "full, cov or a list of degrees")
    matrix = np.reshape(x, (-1, 1)) ** np.arange(deg, -1, -1)
    if w is not None:
        matrix = matrix * np.reshape(w, (-1, 1))
        y = y * (w if ndim_of(y) == 1 else np.reshape(w, (-1, 1)))
    turned = np.swapaxes(matrix, -1, -2)
    return np.linalg.solve(np.matmul(turned, matrix), np.matmul(turned, y))


def _polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    constants = np.reshape(0 if k is None else k, (-1,))
    for i in range(m):
        constant = np.reshape(constants[i if shape_of(constants)[0] > 1 else 0], (1,))
        p = np.concatenate([p / np.arange(shape_of(p)[0], 0, -1), constant])
    return p


def _poly(seq_of_zeros: Any) -> Any:
    if ndim_of(seq_of_zeros) != 1:
        raise unsupported_argument("numpy.poly", "a matrix")
    result = np.ones(1)
    for i in range(shape_of(seq_of_zeros)[0]):
        result = np.convolve(result, np.stack([1.0, -seq_of_zeros[i]]))
    return result


def _cov(m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: Any = None,
         fweights: Any = None, aweights: Any = None, *, dtype: Any = None) -> Any:  # fmt: skip
    if fweights is not None or aweights is not None:
        raise unsupported_argument("numpy.cov", "weights")

    def rows(a: Any) -> Any:
        return np.reshape(a, (1, -1)) if ndim_of(a) < 2 else a if rowvar else np.swapaxes(a, 0, 1)

    both = rows(m) if y is None else np.concatenate([rows(m), rows(y)], 0)
    deviations = both - np.mean(both, 1, keepdims=True)
    dof = shape_of(both)[1] - ((0 if bias else 1) if ddof is None else ddof)
    result = np.matmul(deviations, np.conj(np.swapaxes(deviations, 0, 1))) / dof
    return result[0, 0] if shape_of(result) == (1, 1) else result


def _corrcoef(x: Any, y: Any = None, rowvar: bool = True, *_: Any, **__: Any) -> Any:
    result = _cov(x, y, rowvar)
    if not ndim_of(result):
        return result / result
    size = np.sqrt(np.real(np.diagonal(result)))
    return result / (np.reshape(size, (-1, 1)) * np.reshape(size, (1, -1)))


def _staged_take(array: Any, places: Any) -> Any:
    """Record a call to `np.take`: NumPy itself dispatches on the array, but not on staged indices."""
    return recording.call(np.take, (array, places), {})


def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    if period is not None:
        raise unsupported_argument("numpy.interp", "period")
    n = shape_of(xp)[0]
    if n == 1:
        xp, fp, n = np.concatenate([xp, xp + 1]), np.concatenate([fp, fp]), 2
    low = np.clip(np.searchsorted(xp, x, "right") - 1, 0, n - 2)
    x0, x1 = _staged_take(xp, low), _staged_take(xp, low + 1)
    f0, f1 = _staged_take(fp, low), _staged_take(fp, low + 1)
    result = f0 + (x - x0) * (f1 - f0) / (x1 - x0)
    first = _staged_take(fp, 0) if left is None else left
    last = _staged_take(fp, n - 1) if right is None else right
    return np.where(x < _staged_take(xp, 0), first, np.where(x > _staged_take(xp, n - 1), last, result))


RULES: dict[Any, Any] = {np.unwrap: identity_rule}

DEFINITIONS: dict[Any, Any] = {
    np.diff: _diff,
    np.ediff1d: _ediff1d,
    **dict.fromkeys((np.trapezoid, getattr(np, "trapz", np.trapezoid)), _trapezoid),
    np.gradient: _gradient,
    np.polyadd: _polyadd,
    np.polysub: lambda a1, a2: _polyadd(a1, np.negative(a2)),
    np.polyder: _polyder,
    np.polyval: _polyval,
    np.polyfit: _polyfit,
    np.polyint: _polyint,
    np.poly: _poly,
    np.real_if_close: lambda a, tol=100: a,
    np.cov: _cov,
    np.corrcoef: _corrcoef,
    np.interp: _interp,
}
