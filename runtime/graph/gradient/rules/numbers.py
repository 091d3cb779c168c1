"""The functions of `math`, of Python's numbers: as NumPy's, with those that NumPy lacks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import elementwise
from .elementwise import Partial

_LIKE = {
    "acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin, "asinh": np.arcsinh, "atan": np.arctan,
    "atan2": np.arctan2, "atanh": np.arctanh, "cbrt": np.cbrt, "copysign": np.copysign, "cos": np.cos,
    "cosh": np.cosh, "degrees": np.degrees, "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1,
    "fabs": np.fabs, "fmod": np.fmod, "ldexp": np.ldexp, "log1p": np.log1p, "log10": np.log10,
    "log2": np.log2, "pow": np.power, "radians": np.radians, "sin": np.sin, "sinh": np.sinh,
    "sqrt": np.sqrt, "tan": np.tan, "tanh": np.tanh,
}  # fmt: skip


def log_rule(ct: Any, y: Any, x: Any, base: Any = None, /) -> Any:
    if base is None:
        return (ct / x,)
    return ct / (x * np.log(base)), (lambda: -ct * y / (base * np.log(base)))


def hypot_rule(ct: Any, y: Any, *coordinates: Any) -> Any:
    length = np.where(y == 0, 1.0, y)
    return (tuple(ct * x / length for x in coordinates),)


def remainder_rule(ct: Any, y: Any, x: Any, divisor: Any, /) -> Any:
    return ct, (lambda: -ct * np.rint(x / divisor))


def _digamma(x: Any) -> Any:
    """The derivative of `lgamma`: from 10 on by its series, below by recurrence and reflection."""
    is_low = x < 0.5
    z = np.where(is_low, 1 - x, x)
    before: Any = 0.0
    for i in range(10):
        before = before + 1 / (z + i)
    w = z + 10
    v = 1 / (w * w)
    series = v * (1 / 12 - v * (1 / 120 - v * (1 / 252 - v * (1 / 240 - v * (1 / 132 - v * 691 / 32760)))))
    made = np.log(w) - 0.5 / w - series - before
    pole = np.where(is_low, np.tan(math.pi * np.where(is_low, x, 0.25)), 1)
    return np.where(is_low, made - math.pi / pole, made)


def _error(ct: Any, x: Any) -> Any:
    return ct * (2 / math.sqrt(math.pi)) * np.exp(-x * x)


def _prod(values: Any, /, *, start: Any = 1) -> Any:
    return start * np.prod(values)


def _dist(p: Any, q: Any, /) -> Any:
    squares = np.sum((p - q) ** 2)
    return np.where(squares == 0, 0.0, np.sqrt(np.where(squares == 0, 1.0, squares)))


PARTIALS: dict[Any, tuple[Partial, ...]] = {
    getattr(math, name): elementwise.PARTIALS[ufunc] for name, ufunc in _LIKE.items() if hasattr(math, name)
}
RULES: dict[Any, Any] = {
    math.log: log_rule,
    math.hypot: hypot_rule,
    math.remainder: remainder_rule,
    math.erf: lambda ct, y, x, /: (_error(ct, x),),
    math.erfc: lambda ct, y, x, /: (-_error(ct, x),),
    math.gamma: lambda ct, y, x, /: (ct * y * _digamma(x),),
    math.lgamma: lambda ct, y, x, /: (ct * _digamma(x),),
    math.nextafter: lambda ct, y, x, towards, /, **_: (ct, None),
    math.modf: lambda ct, y, x, /: (ct.get(0),),
    math.frexp: lambda ct, y, x, /: (None if 0 not in ct else ct[0] * np.exp2(-y[1]),),
    **({math.fma: lambda ct, y, a, b, c, /: (ct * b, ct * a, ct)} if hasattr(math, "fma") else {}),
}
DEFINITIONS: dict[Any, Any] = {  # of arrays; lists of staged values are refused when they are called
    math.fsum: np.sum,
    math.prod: _prod,
    math.dist: _dist,
    **({math.sumprod: lambda p, q, /: np.sum(p * q)} if hasattr(math, "sumprod") else {}),
}
STEPS = (math.ceil, math.floor, math.trunc, math.ulp)
