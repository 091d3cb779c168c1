"""Gradients of array creation: arrays of a given shape, copies, ranges and grids."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...gradient.cotangents import ndim_of, shape_of, unbroadcast
from ...rules import methods
from ..elementwise.gradients import identity_rule


def array_rule(ct: Any, y: Any, object: Any, dtype: Any = None, *, ndmin: int = 0, **_: Any) -> Any:
    def parts(ct: Any, value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [parts(ct[i], part) for i, part in enumerate(value)]
        return ct

    while ndim_of(ct) > _ndim(object):
        ct = ct[0]
    return (parts(ct, object),)


def _ndim(value: Any) -> int:
    """Return the rank of an array, or of the array that a nested list converts to."""
    return 1 + max(map(_ndim, value), default=0) if isinstance(value, (list, tuple)) else ndim_of(value)


def _linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False,
              dtype: Any = None, axis: int = 0) -> Any:  # fmt: skip
    parts = (num - 1) if endpoint else num
    step = (stop - start) / parts if parts else (stop - start) * np.nan
    ndim = max(ndim_of(start), ndim_of(stop))
    ramp = np.reshape(np.arange(num), (num,) + (1,) * ndim)
    result = start + ramp * (step if parts else 0.0 * (stop - start))
    result = np.moveaxis(result, 0, axis) if axis else result
    return (result, step) if retstep else result


def _geomspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None,
               axis: int = 0) -> Any:  # fmt: skip
    sign = np.sign(start)
    return sign * np.exp(_linspace(np.log(start * sign), np.log(stop * sign), num, endpoint, axis=axis))


def arange_rule(ct: Any, y: Any, *bounds: Any, dtype: Any = None, **_: Any) -> Any:
    """Differentiate element n as `start + n * step`, with the number of elements held constant."""
    steps = np.cumsum(np.ones_like(ct)) - 1
    start, step = np.sum(ct), np.sum(ct * steps)
    return ((None,) if len(bounds) == 1 else (start, None, step)[: len(bounds)],)


def _meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> Any:
    ndim = len(xi)
    result = [np.reshape(x, (1,) * i + (-1,) + (1,) * (ndim - 1 - i)) for i, x in enumerate(xi)]
    if indexing == "xy" and ndim > 1:
        result[0] = np.swapaxes(result[0], 0, 1)
        result[1] = np.swapaxes(result[1], 0, 1)
    return tuple(result) if sparse else tuple(np.broadcast_arrays(*result))


def _vander(x: Any, N: Any = None, increasing: bool = False) -> Any:
    count = shape_of(x)[0] if N is None else N
    powers = np.arange(count) if increasing else np.arange(count - 1, -1, -1)
    return np.reshape(x, (-1, 1)) ** powers


RULES: dict[Any, Any] = {
    np.array: array_rule,
    **dict.fromkeys(
        (np.copy, np.asarray, np.asanyarray, np.require, np.ascontiguousarray, np.asfortranarray,
         methods.copy, methods.astype), identity_rule,
    ),
    **({np.astype: identity_rule} if hasattr(np, "astype") else {}),
    **dict.fromkeys(
        (np.full, np.full_like),
        lambda ct, y, shape, fill_value, *_, **__: (None, unbroadcast(ct, fill_value)),
    ),
    np.arange: arange_rule,
}  # fmt: skip

DEFINITIONS: dict[Any, Any] = {
    np.linspace: _linspace,
    np.logspace: lambda start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0: np.power(
        base, _linspace(start, stop, num, endpoint, axis=axis)
    ),
    np.geomspace: _geomspace,
    np.meshgrid: _meshgrid,
    np.vander: _vander,
}
