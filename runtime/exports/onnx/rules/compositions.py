"""Functions of NumPy as compositions of others, beside those of `graph.gradient.rules`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....graph.gradient.rules import DEFINITIONS
from ....graph.gradient.values import shape_of


def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    first, second = (a % np.ndim(m) for a in axes)
    turns = k % 4
    if turns == 2:
        return np.flip(np.flip(m, first), second)
    if turns == 1:
        return np.swapaxes(np.flip(m, second), first, second)
    return np.flip(np.swapaxes(m, first, second), second) if turns == 3 else m


def sinc(x: Any) -> Any:
    y = np.pi * np.where(x == 0, 1.0e-20, x)
    return np.sin(y) / y


def lcm(x: Any, y: Any) -> Any:
    common = np.gcd(x, y)
    return np.where(common == 0, 0, np.abs(x) // np.where(common == 0, 1, common) * np.abs(y))


def heaviside(x: Any, y: Any) -> Any:
    side = np.where(x > 0, np.ones_like(x), np.zeros_like(x))
    return np.where(np.isnan(x), x, np.where(x == 0, y, side))


def logaddexp2(x: Any, y: Any) -> Any:
    unit = math.log(2.0)
    return np.logaddexp(x * unit, y * unit) / unit


def quantile(a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False,
             method: str = "linear", keepdims: Any = False, **options: Any) -> Any:  # fmt: skip
    """That of gradients, which knows no NaN: one makes all quantiles NaN."""
    made = DEFINITIONS[np.quantile](a, q, axis, method=method, keepdims=keepdims, **options)
    return np.where(np.any(np.isnan(a), axis, keepdims=keepdims is True), math.nan, made)


def percentile(a: Any, q: Any, *args: Any, **kwargs: Any) -> Any:
    return quantile(a, np.asarray(q) / 100 if isinstance(q, (list, tuple)) else q / 100, *args, **kwargs)


def median(
    a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: Any = False
) -> Any:
    """The mean of the two in the middle, which may be one; NaNs are sorted to the end."""
    if isinstance(axis, tuple) or (keepdims is True and axis is None):
        raise TypeError(axis)
    flat, along = (np.reshape(a, (-1,)), 0) if axis is None else (a, axis)
    ordered = np.moveaxis(np.sort(flat, along), along, 0)
    size = shape_of(ordered)[0]
    low, high, last = (ordered[n] for n in ((size - 1) // 2, size // 2, -1))
    made = np.where(low == high, low, (low + high) / 2)
    made = np.where(np.isnan(last), math.nan, made)
    return np.expand_dims(made, along) if keepdims is True else made


COMPOSITIONS: dict[Any, Any] = {
    np.rot90: rot90,
    np.sinc: sinc,
    np.lcm: lcm,
    np.median: median,
    np.quantile: quantile,
    np.percentile: percentile,
    np.heaviside: heaviside,
    np.logaddexp2: logaddexp2,
    np.divmod: lambda x, y: (np.floor_divide(x, y), np.remainder(x, y)),
}
