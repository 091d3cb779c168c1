"""Gradients of element-wise functions of NumPy and `math`.

A *partial* maps the cotangent of the result, the result and the operands to the cotangent of one operand. The
reverse pass sums this cotangent over broadcast axes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...gradient.cotangents import ndim_of
from ...rules import methods

LN2, LN10 = math.log(2), math.log(10)
Partial = Callable[..., Any]


def _is_complex(value: Any) -> bool:
    return np.iscomplexobj(value) if not isinstance(value, (int, float, complex)) else type(value) is complex


def _absolute(ct: Any, y: Any, x: Any) -> Any:
    return ct * np.conj(x) / np.where(y == 0, 1, y) if _is_complex(x) else ct * np.sign(x)


def _power_base(ct: Any, y: Any, a: Any, b: Any) -> Any:
    if type(b) in (int, float):
        return 0 * ct if b == 0 else ct if b == 1 else ct * (b * a) if b == 2 else ct * (b * a ** (b - 1))
    is_zero = b == 0
    return ct * np.where(is_zero, 0, b * a ** np.where(is_zero, 1, b - 1))


def _power_exponent(ct: Any, y: Any, a: Any, b: Any) -> Any:
    return ct * np.log(np.where(a == 0, 1, a)) * y


def _extreme(ct: Any, y: Any, a: Any, b: Any) -> Any:
    """Split the cotangent equally between equal operands, in its own dtype."""
    half, one = (ct.dtype.type(n) if hasattr(ct, "dtype") else n for n in (0.5, 1.0))
    return ct * ((a == y) * (one - half * (b == y)))


def _copysign(ct: Any, y: Any, a: Any, b: Any) -> Any:
    return np.where(np.signbit(a) == np.signbit(b), ct, -ct)


def _no_cotangent(*_: Any) -> None:
    return None


def _symmetric(partial: Partial) -> tuple[Partial, Partial]:
    return partial, lambda ct, y, a, b: partial(ct, y, b, a)


def identity_rule(ct: Any, y: Any, a: Any, *_: Any, **__: Any) -> Any:
    return (ct,)


def sinc_rule(ct: Any, y: Any, x: Any) -> Any:
    """Use a Taylor series near 0, so that higher derivatives are accurate too."""
    is_near = np.abs(x) < SERIES_BOUND
    far_x, near_x = np.where(is_near, 1, x), np.where(is_near, x, 0)
    square = (math.pi * near_x) ** 2
    series: Any = 0.0
    for k in range(9, 0, -1):
        series = series * square + (-1) ** k * 2 * k / math.factorial(2 * k + 1)
    far = (np.cos(math.pi * far_x) - np.sinc(far_x)) / far_x
    return (ct * np.where(is_near, math.pi**2 * near_x * series, far),)


SERIES_BOUND = 0.3
"""The bound below which the series for the derivative of sinc is accurate to the last digits."""


QUADRATURE_NODES = 256


def i0_rule(ct: Any, y: Any, x: Any) -> Any:
    """Compute the derivative, the Bessel function I1, as a mean over a half circle, which converges fast."""
    angles = (np.arange(QUADRATURE_NODES) + 0.5) * (math.pi / QUADRATURE_NODES)
    ring = np.reshape(np.cos(angles), (-1,) + (1,) * ndim_of(x))
    return (ct * np.mean(np.exp(np.expand_dims(x, 0) * ring) * ring, 0),)


_UFUNC_OF = {
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


def _digamma(x: Any) -> Any:
    """Return the derivative of `lgamma`: reflect and shift the argument to at least 10, then use a series."""
    is_low = x < 0.5
    z = np.where(is_low, 1 - x, x)
    before: Any = 0.0
    for i in range(10):
        before = before + 1 / (z + i)
    w = z + 10
    v = 1 / (w * w)
    series = v * (1 / 12 - v * (1 / 120 - v * (1 / 252 - v * (1 / 240 - v * (1 / 132 - v * 691 / 32760)))))
    result = np.log(w) - 0.5 / w - series - before
    pole = np.where(is_low, np.tan(math.pi * np.where(is_low, x, 0.25)), 1)
    return np.where(is_low, result - math.pi / pole, result)


def _erf(ct: Any, x: Any) -> Any:
    return ct * (2 / math.sqrt(math.pi)) * np.exp(-x * x)


def _dist(p: Any, q: Any, /) -> Any:
    squares = np.sum((p - q) ** 2)
    return np.where(squares == 0, 0.0, np.sqrt(np.where(squares == 0, 1.0, squares)))


def _clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, **options: Any) -> Any:
    low, high = options.get("min", a_min), options.get("max", a_max)
    result = a if low is None or low is np._NoValue else np.maximum(a, low)
    return result if high is None or high is np._NoValue else np.minimum(result, high)


PARTIALS: dict[Any, tuple[Partial, ...]] = {
    np.add: _symmetric(lambda ct, y, a, b: ct),
    np.subtract: (lambda ct, y, a, b: ct, lambda ct, y, a, b: -ct),
    np.multiply: (lambda ct, y, a, b: ct * b, lambda ct, y, a, b: ct * a),
    np.divide: (lambda ct, y, a, b: ct / b, lambda ct, y, a, b: -ct * y / b),
    np.power: (_power_base, _power_exponent),
    np.float_power: (_power_base, _power_exponent),
    np.remainder: (lambda ct, y, a, b: ct, lambda ct, y, a, b: -ct * np.floor(a / b)),
    np.fmod: (lambda ct, y, a, b: ct, lambda ct, y, a, b: -ct * np.trunc(a / b)),
    np.negative: (lambda ct, y, x: -ct,),
    np.positive: (lambda ct, y, x: ct,),
    np.absolute: (_absolute,),
    np.fabs: (_absolute,),
    np.conjugate: (lambda ct, y, x: np.conjugate(ct),),
    np.exp: (lambda ct, y, x: ct * y,),
    np.exp2: (lambda ct, y, x: ct * y * LN2,),
    np.expm1: (lambda ct, y, x: ct * (y + 1),),
    np.log: (lambda ct, y, x: ct / x,),
    np.log2: (lambda ct, y, x: ct / (x * LN2),),
    np.log10: (lambda ct, y, x: ct / (x * LN10),),
    np.log1p: (lambda ct, y, x: ct / (x + 1),),
    np.logaddexp: _symmetric(lambda ct, y, a, b: ct * np.exp(a - y)),
    np.logaddexp2: _symmetric(lambda ct, y, a, b: ct * np.exp2(a - y)),
    np.sqrt: (lambda ct, y, x: 0.5 * ct / y,),
    np.square: (lambda ct, y, x: 2 * ct * x,),
    np.cbrt: (lambda ct, y, x: ct / (3 * y * y),),
    np.reciprocal: (lambda ct, y, x: -ct * y * y,),
    np.sin: (lambda ct, y, x: ct * np.cos(x),),
    np.cos: (lambda ct, y, x: -ct * np.sin(x),),
    np.tan: (lambda ct, y, x: ct * (1 + y * y),),
    np.arcsin: (lambda ct, y, x: ct / np.sqrt(1 - x * x),),
    np.arccos: (lambda ct, y, x: -ct / np.sqrt(1 - x * x),),
    np.arctan: (lambda ct, y, x: ct / (1 + x * x),),
    np.arctan2: (
        lambda ct, y, a, b: ct * b / (a * a + b * b),
        lambda ct, y, a, b: -ct * a / (a * a + b * b),
    ),
    np.hypot: _symmetric(lambda ct, y, a, b: ct * a / np.where(y == 0, 1, y)),
    np.sinh: (lambda ct, y, x: ct * np.cosh(x),),
    np.cosh: (lambda ct, y, x: ct * np.sinh(x),),
    np.tanh: (lambda ct, y, x: ct * (1 - y * y),),
    np.arcsinh: (lambda ct, y, x: ct / np.sqrt(x * x + 1),),
    np.arccosh: (lambda ct, y, x: ct / np.sqrt(x * x - 1),),
    np.arctanh: (lambda ct, y, x: ct / (1 - x * x),),
    **dict.fromkeys((np.degrees, np.rad2deg), (lambda ct, y, x: ct * (180 / math.pi),)),
    **dict.fromkeys((np.radians, np.deg2rad), (lambda ct, y, x: ct * (math.pi / 180),)),
    **dict.fromkeys((np.maximum, np.minimum, np.fmax, np.fmin), _symmetric(_extreme)),
    np.copysign: (_copysign, _no_cotangent),
    np.nextafter: (lambda ct, y, a, b: ct, _no_cotangent),
    np.heaviside: (_no_cotangent, lambda ct, y, a, b: np.where(a == 0, ct, 0)),
    np.ldexp: (lambda ct, y, x, n: ct * np.exp2(n), _no_cotangent),
    np.modf: (lambda ct, y, x: ct.get(0),),
    np.frexp: (lambda ct, y, x: None if 0 not in ct else ct[0] * np.exp2(-y[1]),),
    np.divmod: (
        lambda ct, y, a, b: ct.get(1),
        lambda ct, y, a, b: None if 1 not in ct else -ct[1] * y[0],
    ),
}

PARTIALS |= {getattr(math, name): PARTIALS[u] for name, u in _UFUNC_OF.items() if hasattr(math, name)}

CONSTANT = (
    np.floor_divide, np.floor, np.ceil, np.trunc, np.rint, np.sign, np.signbit, np.spacing,
    math.ceil, math.floor, math.trunc, math.ulp,
)  # fmt: skip
"""Functions whose derivative is 0 wherever it exists."""

RULES: dict[Any, Any] = {
    np.real: identity_rule,
    np.imag: lambda ct, y, val: (-1j * ct,),
    np.angle: lambda ct, y, z, deg=False: (ct * (180 / math.pi if deg else 1) * -1j / z,),
    np.nan_to_num: lambda ct, y, x, *_, **__: (np.where(np.isfinite(x), ct, 0),),
    np.sinc: sinc_rule,
    np.i0: i0_rule,
    math.log: log_rule,
    math.hypot: lambda ct, y, *coordinates: (tuple(ct * x / np.where(y == 0, 1.0, y) for x in coordinates),),
    math.remainder: lambda ct, y, x, divisor, /: (ct, lambda: -ct * np.rint(x / divisor)),
    math.erf: lambda ct, y, x, /: (_erf(ct, x),),
    math.erfc: lambda ct, y, x, /: (-_erf(ct, x),),
    math.gamma: lambda ct, y, x, /: (ct * y * _digamma(x),),
    math.lgamma: lambda ct, y, x, /: (ct * _digamma(x),),
    math.nextafter: lambda ct, y, x, towards, /, **_: (ct, None),
    math.modf: lambda ct, y, x, /: (ct.get(0),),
    math.frexp: lambda ct, y, x, /: (None if 0 not in ct else ct[0] * np.exp2(-y[1]),),
    **({math.fma: lambda ct, y, a, b, c, /: (ct * b, ct * a, ct)} if hasattr(math, "fma") else {}),
}

DEFINITIONS: dict[Any, Any] = {  # for arrays; a call with a list of staged values fails in NumPy
    np.clip: _clip,
    methods.clip: lambda array, min=None, max=None, **_: _clip(array, min, max),
    math.fsum: np.sum,
    math.prod: lambda values, /, *, start=1: start * np.prod(values),
    math.dist: _dist,
    **({math.sumprod: lambda p, q, /: np.sum(p * q)} if hasattr(math, "sumprod") else {}),
}
