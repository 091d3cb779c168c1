"""Functions of each element by itself: for each operand the factor between its cotangent and the result's.

A partial is called with the cotangent of the result, the result and the operands. What was broadcast is
summed by the walk.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

LN2, LN10 = math.log(2), math.log(10)
Partial = Callable[..., Any]


def _is_complex(value: Any) -> bool:
    return np.iscomplexobj(value) if not isinstance(value, (int, float, complex)) else type(value) is complex


def _modulus(ct: Any, y: Any, x: Any) -> Any:
    return ct * np.conj(x) / np.where(y == 0, 1, y) if _is_complex(x) else ct * np.sign(x)


def _base(ct: Any, y: Any, a: Any, b: Any) -> Any:
    if type(b) in (int, float):
        return 0 * ct if b == 0 else ct if b == 1 else ct * (b * a) if b == 2 else ct * (b * a ** (b - 1))
    is_zero = b == 0
    return ct * np.where(is_zero, 0, b * a ** np.where(is_zero, 1, b - 1))


def _exponent(ct: Any, y: Any, a: Any, b: Any) -> Any:
    return ct * np.log(np.where(a == 0, 1, a)) * y


def _larger(ct: Any, y: Any, a: Any, b: Any) -> Any:
    """Of two that are equal, each has half."""
    return ct * np.where(a == y, np.where(b == y, 0.5, 1.0), 0.0)


def _same_sign(ct: Any, y: Any, a: Any, b: Any) -> Any:
    return np.where(np.signbit(a) == np.signbit(b), ct, -ct)


def _nothing(*_: Any) -> None:
    return None


def _swapped(partial: Partial) -> Partial:
    """The partial of the second operand of what is the same with operands exchanged."""
    return lambda ct, y, a, b: partial(ct, y, b, a)


def _both(partial: Partial) -> tuple[Partial, Partial]:
    return partial, _swapped(partial)


PARTIALS: dict[Any, tuple[Partial, ...]] = {
    np.add: _both(lambda ct, y, a, b: ct),
    np.subtract: (lambda ct, y, a, b: ct, lambda ct, y, a, b: -ct),
    np.multiply: (lambda ct, y, a, b: ct * b, lambda ct, y, a, b: ct * a),
    np.divide: (lambda ct, y, a, b: ct / b, lambda ct, y, a, b: -ct * y / b),
    np.power: (_base, _exponent),
    np.float_power: (_base, _exponent),
    np.remainder: (lambda ct, y, a, b: ct, lambda ct, y, a, b: -ct * np.floor(a / b)),
    np.fmod: (lambda ct, y, a, b: ct, lambda ct, y, a, b: -ct * np.trunc(a / b)),
    np.negative: (lambda ct, y, x: -ct,),
    np.positive: (lambda ct, y, x: ct,),
    np.absolute: (_modulus,),
    np.fabs: (_modulus,),
    np.conjugate: (lambda ct, y, x: np.conjugate(ct),),
    np.exp: (lambda ct, y, x: ct * y,),
    np.exp2: (lambda ct, y, x: ct * y * LN2,),
    np.expm1: (lambda ct, y, x: ct * (y + 1),),
    np.log: (lambda ct, y, x: ct / x,),
    np.log2: (lambda ct, y, x: ct / (x * LN2),),
    np.log10: (lambda ct, y, x: ct / (x * LN10),),
    np.log1p: (lambda ct, y, x: ct / (x + 1),),
    np.logaddexp: _both(lambda ct, y, a, b: ct * np.exp(a - y)),
    np.logaddexp2: _both(lambda ct, y, a, b: ct * np.exp2(a - y)),
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
    np.hypot: _both(lambda ct, y, a, b: ct * a / np.where(y == 0, 1, y)),
    np.sinh: (lambda ct, y, x: ct * np.cosh(x),),
    np.cosh: (lambda ct, y, x: ct * np.sinh(x),),
    np.tanh: (lambda ct, y, x: ct * (1 - y * y),),
    np.arcsinh: (lambda ct, y, x: ct / np.sqrt(x * x + 1),),
    np.arccosh: (lambda ct, y, x: ct / np.sqrt(x * x - 1),),
    np.arctanh: (lambda ct, y, x: ct / (1 - x * x),),
    **dict.fromkeys((np.degrees, np.rad2deg), (lambda ct, y, x: ct * (180 / math.pi),)),
    **dict.fromkeys((np.radians, np.deg2rad), (lambda ct, y, x: ct * (math.pi / 180),)),
    **dict.fromkeys((np.maximum, np.minimum, np.fmax, np.fmin), _both(_larger)),
    np.copysign: (_same_sign, _nothing),
    np.nextafter: (lambda ct, y, a, b: ct, _nothing),
    np.heaviside: (_nothing, lambda ct, y, a, b: np.where(a == 0, ct, 0)),
    np.ldexp: (lambda ct, y, x, n: ct * np.exp2(n), _nothing),
    np.modf: (lambda ct, y, x: ct.get(0),),
    np.frexp: (lambda ct, y, x: None if 0 not in ct else ct[0] * np.exp2(-y[1]),),
    np.divmod: (
        lambda ct, y, a, b: ct.get(1),
        lambda ct, y, a, b: None if 1 not in ct else -ct[1] * y[0],
    ),
}

STEPS = (
    np.floor_divide, np.floor, np.ceil, np.trunc, np.rint, np.sign, np.signbit, np.spacing,
)  # fmt: skip
"""Functions that are constant wherever they have a derivative."""
