"""Functions of NumPy as compositions of others, beside those of `graph.gradient.rules`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


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


COMPOSITIONS: dict[Any, Any] = {
    np.rot90: rot90,
    np.sinc: sinc,
    np.lcm: lcm,
    np.heaviside: heaviside,
    np.logaddexp2: logaddexp2,
    np.divmod: lambda x, y: (np.floor_divide(x, y), np.remainder(x, y)),
}
