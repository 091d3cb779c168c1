"""Differences, sums of strips, polynomials, statistics of rows; and functions of one element with cases."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import record
from ...rules import methods
from ..refused import refusing
from ..values import ndim_of, shape_of
from .joining import same_rule


def _along(a: Any, axis: int, part: Any) -> Any:
    return a[(slice(None),) * (axis % ndim_of(a)) + (part,)]


def _diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = np._NoValue, append: Any = np._NoValue) -> Any:
    given: list[list[Any]] = []
    for value in (prepend, append):
        if value is np._NoValue or value is None:
            given.append([])
        elif ndim_of(value) == 0:
            shape = tuple(1 if i == axis % ndim_of(a) else m for i, m in enumerate(shape_of(a)))
            given.append([np.broadcast_to(value, shape)])
        else:
            given.append([value])
    if given[0] or given[1]:
        a = np.concatenate([*given[0], a, *given[1]], axis)
    for _ in range(n):
        a = _along(a, axis, slice(1, None)) - _along(a, axis, slice(None, -1))
    return a


def _ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    made = _diff(np.reshape(ary, (-1,)))
    parts = [] if to_begin is None else [np.reshape(to_begin, (-1,))]
    parts += [made] if to_end is None else [made, np.reshape(to_end, (-1,))]
    return np.concatenate(parts) if len(parts) > 1 else made


def _trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    means = (_along(y, axis, slice(1, None)) + _along(y, axis, slice(None, -1))) / 2
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
    made = []
    for space, one in zip(spacings, axes, strict=True):
        g = np.moveaxis(f, one, 0)
        if ndim_of(space):
            if edge_order != 1:
                raise refusing("numpy.gradient", "edge_order=2 and places")
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
        made.append(np.moveaxis(np.concatenate([first, inner, last], 0), 0, one))
    return made[0] if len(made) == 1 else tuple(made)


def _polyadd(a1: Any, a2: Any) -> Any:
    n = max(shape_of(a1)[0], shape_of(a2)[0])
    return np.pad(a1, (n - shape_of(a1)[0], 0)) + np.pad(a2, (n - shape_of(a2)[0], 0))


def _polysub(a1: Any, a2: Any) -> Any:
    return _polyadd(a1, -a2 if not isinstance(a2, (list, tuple)) else -np.asarray(a2))


def _polyder(p: Any, m: int = 1) -> Any:
    for _ in range(m):
        p = p[:-1] * np.arange(shape_of(p)[0] - 1, 0, -1)
    return p


def _polyval(p: Any, x: Any) -> Any:
    made: Any = 0 * x
    for i in range(shape_of(p)[0]):
        made = made * x + p[i]
    return made


def _polyfit(x: Any, y: Any, deg: int, rcond: Any = None, full: bool = False, w: Any = None,
             cov: bool = False) -> Any:  # fmt: skip
    if full or cov or not isinstance(deg, int):
        raise refusing("numpy.polyfit", "full, cov or a list of degrees")
    matrix = np.reshape(x, (-1, 1)) ** np.arange(deg, -1, -1)
    if w is not None:
        matrix = matrix * np.reshape(w, (-1, 1))
        y = y * (w if ndim_of(y) == 1 else np.reshape(w, (-1, 1)))
    turned = np.swapaxes(matrix, -1, -2)
    return np.linalg.solve(np.matmul(turned, matrix), np.matmul(turned, y))


def _cov(m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: Any = None,
         fweights: Any = None, aweights: Any = None, *, dtype: Any = None) -> Any:  # fmt: skip
    if fweights is not None or aweights is not None:
        raise refusing("numpy.cov", "weights")

    def rows(a: Any) -> Any:
        return np.reshape(a, (1, -1)) if ndim_of(a) < 2 else a if rowvar else np.swapaxes(a, 0, 1)

    both = rows(m) if y is None else np.concatenate([rows(m), rows(y)], 0)
    apart = both - np.mean(both, 1, keepdims=True)
    free = shape_of(both)[1] - ((0 if bias else 1) if ddof is None else ddof)
    made = np.matmul(apart, np.conj(np.swapaxes(apart, 0, 1))) / free
    return made[0, 0] if shape_of(made) == (1, 1) else made


def _corrcoef(x: Any, y: Any = None, rowvar: bool = True, *_: Any, **__: Any) -> Any:
    made = _cov(x, y, rowvar)
    if not ndim_of(made):
        return made / made
    size = np.sqrt(np.real(np.diagonal(made)))
    return made / (np.reshape(size, (-1, 1)) * np.reshape(size, (1, -1)))


def _taken(array: Any, places: Any) -> Any:
    """Items of an array that may be plain, at staged places: of those NumPy does not ask what to call."""
    return record.call(np.take, (array, places), {})


def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    if period is not None:
        raise refusing("numpy.interp", "period")
    n = shape_of(xp)[0]
    if n == 1:
        xp, fp, n = np.concatenate([xp, xp + 1]), np.concatenate([fp, fp]), 2
    low = np.clip(np.searchsorted(xp, x, "right") - 1, 0, n - 2)
    x0, x1 = _taken(xp, low), _taken(xp, low + 1)
    f0, f1 = _taken(fp, low), _taken(fp, low + 1)
    made = f0 + (x - x0) * (f1 - f0) / (x1 - x0)
    first = _taken(fp, 0) if left is None else left
    last = _taken(fp, n - 1) if right is None else right
    return np.where(x < _taken(xp, 0), first, np.where(x > _taken(xp, n - 1), last, made))


def nan_to_num_rule(ct: Any, y: Any, x: Any, *_: Any, **__: Any) -> Any:
    return (np.where(np.isfinite(x), ct, 0),)


def imag_rule(ct: Any, y: Any, val: Any) -> Any:
    return (-1j * ct,)


def angle_rule(ct: Any, y: Any, z: Any, deg: bool = False) -> Any:
    return (ct * (180 / math.pi if deg else 1) * -1j / z,)


def sinc_rule(ct: Any, y: Any, x: Any) -> Any:
    """Near 0 by the series, of which higher derivatives are right too."""
    is_near = np.abs(x) < NEAR
    there, near = np.where(is_near, 1, x), np.where(is_near, x, 0)
    square = (math.pi * near) ** 2
    series: Any = 0.0
    for k in range(9, 0, -1):
        series = series * square + (-1) ** k * 2 * k / math.factorial(2 * k + 1)
    far = (np.cos(math.pi * there) - np.sinc(there)) / there
    return (ct * np.where(is_near, math.pi**2 * near * series, far),)


NEAR = 0.3
"""Where the series of the slope of sinc is exact to the last digits."""


NODES = 256


def i0_rule(ct: Any, y: Any, x: Any) -> Any:
    """The Bessel function of the first order, as a mean over a half circle, which converges fast."""
    angles = (np.arange(NODES) + 0.5) * (math.pi / NODES)
    ring = np.reshape(np.cos(angles), (-1,) + (1,) * ndim_of(x))
    return (ct * np.mean(np.exp(np.expand_dims(x, 0) * ring) * ring, 0),)


def bincount_rule(ct: Any, y: Any, x: Any, /, weights: Any = None, minlength: int = 0) -> Any:
    return None, np.take(ct, x)


RULES: dict[Any, Any] = {
    np.nan_to_num: nan_to_num_rule,
    np.real: same_rule,
    np.imag: imag_rule,
    np.angle: angle_rule,
    np.sinc: sinc_rule,
    np.i0: i0_rule,
    np.unwrap: same_rule,
    np.bincount: bincount_rule,
    **dict.fromkeys(
        (np.copy, np.asarray, np.asanyarray, np.require, np.ascontiguousarray,
         np.asfortranarray, methods.copy), same_rule,
    ),
    methods.astype: same_rule,
    **({np.astype: same_rule} if hasattr(np, "astype") else {}),
}  # fmt: skip

DEFINITIONS: dict[Any, Any] = {
    np.diff: _diff,
    np.ediff1d: _ediff1d,
    np.trapezoid: _trapezoid,
    np.gradient: _gradient,
    np.polyadd: _polyadd,
    np.polysub: _polysub,
    np.polyder: _polyder,
    np.polyval: _polyval,
    np.polyfit: _polyfit,
    np.cov: _cov,
    np.corrcoef: _corrcoef,
    np.interp: _interp,
}
