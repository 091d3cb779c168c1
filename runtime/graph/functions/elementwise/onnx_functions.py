"""ONNX rules for functions of floats: roots, exponentials, angles, rounding.

onnxruntime computes some of them in float32 only. For float64, these are composed of other operators to keep
the full precision.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ....export.onnx.builder.builder import BOOL, Builder, Value
from ....export.onnx.builder.call import Call
from ....export.onnx.builder.subgraphs import emit_loop
from .onnx_arithmetic import (
    Rule,
    absolute,
    array_function,
    arrays,
    cast_operands,
    check_math_errors,
    elementwise,
    nonzero_divisor,
    power,
    true_divide,
)

if TYPE_CHECKING:
    from collections.abc import Callable


def expm1(b: Builder, x: Value) -> Value:
    """Compute `exp(x) - 1` without cancellation around zero."""
    u = b.op("Exp", x)
    rest = b.sub(u, 1)
    close = b.div(b.mul(rest, x), b.op("Log", b.where(b.equal(u, 1), 2, u)))
    result = b.where(b.less(b.op("Abs", x), b.constant_like(0.5, x)), close, rest)
    return b.where(b.equal(u, 1), x, result)


def log1p(b: Builder, x: Value) -> Value:
    """Compute `log(1 + x)` without cancellation around zero."""
    u = b.add(x, 1)
    none = b.equal(u, 1)
    log = b.op("Log", u)
    close = b.div(b.mul(log, x), b.where(none, 1, b.sub(u, 1)))
    result = b.where(b.less(b.op("Abs", x), b.constant_like(0.5, x)), close, log)
    return b.where(none, x, result)


def sinh(b: Builder, x: Value) -> Value:
    rest = expm1(b, b.op("Abs", x))
    small = b.mul(0.5, b.add(rest, b.div(rest, b.add(rest, 1))))
    half = b.op("Exp", b.mul(0.5, b.op("Abs", x)))
    large = b.mul(b.mul(0.5, half), half)
    result = b.where(b.less(b.op("Abs", x), b.constant_like(20.0, x)), small, large)
    return b.mul(b.op("Sign", x), result)


def cosh(b: Builder, x: Value) -> Value:
    half = b.op("Exp", b.mul(0.5, b.op("Abs", x)))
    large = b.mul(b.mul(0.5, half), half)
    return b.add(large, b.mul(0.5, b.op("Exp", b.op("Neg", b.op("Abs", x)))))


def atan(b: Builder, x: Value) -> Value:
    """Refine the float32 result by two Newton steps. For arguments above 1, use the reciprocal."""
    size = b.op("Abs", x)
    large = b.less(b.constant_like(1.0, x), size)
    t = b.where(large, b.div(1.0, b.where(large, size, 1.0)), size)
    y = b.cast(b.op("Atan", b.cast(t, np.float32)), x.dtype)
    for _ in range(2):
        sine, cosine = b.op("Sin", y), b.op("Cos", y)
        y = b.sub(y, b.mul(b.sub(sine, b.mul(t, cosine)), cosine))
    return b.mul(b.op("Sign", x), b.where(large, b.sub(b.constant_like(math.pi / 2, x), y), y))


def asin(b: Builder, x: Value) -> Value:
    root = b.op("Sqrt", b.mul(b.sub(1.0, x), b.add(1.0, x)))
    return b.mul(2.0, atan(b, b.div(x, b.add(1.0, root))))


def acos(b: Builder, x: Value) -> Value:
    ratio = b.div(b.op("Sqrt", b.sub(1.0, x)), b.op("Sqrt", b.add(1.0, x)))
    return b.mul(2.0, atan(b, ratio))


def asinh(b: Builder, x: Value) -> Value:
    size = b.op("Abs", x)
    huge = b.less(b.constant_like(1e100, x), size)
    a = b.where(huge, 1.0, size)
    square = b.mul(a, a)
    small = log1p(b, b.add(a, b.div(square, b.add(1.0, b.op("Sqrt", b.add(square, 1.0))))))
    result = b.where(huge, b.add(b.op("Log", size), math.log(2)), small)
    return b.mul(b.op("Sign", x), result)


def acosh(b: Builder, x: Value) -> Value:
    huge = b.less(b.constant_like(1e100, x), x)
    t = b.sub(b.where(huge, 1.0, x), 1.0)
    small = log1p(b, b.add(t, b.op("Sqrt", b.add(b.mul(2.0, t), b.mul(t, t)))))
    return b.where(huge, b.add(b.op("Log", x), math.log(2)), small)


def atanh(b: Builder, x: Value) -> Value:
    size = b.op("Abs", x)
    result = b.mul(0.5, log1p(b, b.div(b.mul(2.0, size), b.sub(1.0, size))))
    return b.mul(b.op("Sign", x), result)


def cbrt(b: Builder, x: Value) -> Value:
    size = b.op("Abs", x)
    root = b.op("Pow", size, b.constant_like(1 / 3, x))
    plain = b.logical_or(b.equal(size, 0), b.is_inf(size))
    square = b.where(plain, 1.0, b.mul(root, root))
    better = b.sub(root, b.div(b.sub(root, b.div(size, square)), 3.0))
    return b.mul(b.op("Sign", x), b.where(plain, size, better))


def trunc(b: Builder, x: Value) -> Value:
    return b.where(b.less(x, 0), b.op("Ceil", x), b.op("Floor", x))


def native_except_float64(
    kind: str, other: Callable[[Builder, Value], Value]
) -> Callable[[Builder, Value], Value]:
    """Return a function that uses ONNX's operator for all dtypes except float64."""
    return lambda b, x: other(b, x) if x.dtype == np.float64 else b.op(kind, x)


FORMULAS: dict[str, Any] = {
    **{name.lower(): lambda b, x, kind=name: b.op(kind, x)
       for name in ("Sqrt", "Exp", "Log", "Sin", "Cos", "Tanh")},
    "tan": native_except_float64("Tan", lambda b, x: b.div(b.op("Sin", x), b.op("Cos", x))),
    **{f.__name__: native_except_float64(f.__name__.capitalize(), f)
       for f in (sinh, cosh, asin, acos, atan, asinh, acosh, atanh)},
    **{f.__name__: f for f in (expm1, log1p, cbrt)},
    "exp2": lambda b, x: b.op("Pow", b.constant_like(2.0, x), x),
    "log2": lambda b, x: b.div(b.op("Log", x), math.log(2)),
    "log10": lambda b, x: b.div(b.op("Log", x), math.log(10)),
    "degrees": lambda b, x: b.mul(180 / math.pi, x), "radians": lambda b, x: b.mul(math.pi / 180, x),
}  # fmt: skip


def float_function(name: str) -> Rule:
    formula = FORMULAS[name]

    @elementwise
    def rule(c: Call, x: Value) -> Value:
        result = formula(c.b, x)
        if c.is_python:
            check_math_errors(c, result, x)
        return result

    return rule


def rounding(kind: str) -> Rule:
    """Return the rule for a function of NumPy or `math` that rounds floats and leaves integers unchanged."""

    @array_function
    def rule(c: Call, x: Value) -> Value:
        if x.dtype.kind in "iub":
            return x
        if c.is_python:
            check_finite(c, x)
        return trunc(c.b, x) if kind == "Trunc" else c.b.op(kind, x)

    return rule


def check_finite(c: Call, x: Value) -> None:
    """Make the run fail where Python cannot convert a float to an int, or the int exceeds 64 bits."""
    b = c.b
    b.check(b.is_nan(x), "ValueError: cannot convert float NaN to integer")
    inside = b.less(b.op("Abs", x), b.constant_like(2.0**63, x))
    b.check(b.logical_not(inside), f"OverflowError: cannot convert this float to an integer in {c.node.op}")


def around(c: Call, a: Any, decimals: Any = 0, out: Any = None) -> Value:
    b = c.b
    [x], digits = arrays(c, a), c.plain("number of decimals", decimals)
    if x.dtype.kind in "iub":
        if digits < 0:
            raise c.unsupported("integers and negative decimals")
        return x
    factor = 10.0 ** abs(digits)
    if digits == 0:
        return b.op("Round", x)
    if digits > 0:
        return b.div(b.op("Round", b.mul(factor, x)), factor)
    return b.mul(factor, b.op("Round", b.div(x, factor)))


@array_function
def is_finite(c: Call, x: Value) -> Value:
    return c.b.logical_not(c.b.logical_or(float_predicate(c, x, "IsNaN"), float_predicate(c, x, "IsInf")))


def float_predicate(c: Call, x: Value, kind: str, **attrs: Any) -> Value:
    x = x if x.dtype.kind == "f" else c.b.cast(x, np.float32)
    return c.b.op(kind, x, dtype=BOOL, **attrs)


def predicate(kind: str, **attrs: Any) -> Rule:
    return array_function(lambda c, x: float_predicate(c, x, kind, **attrs))


def is_negative(b: Builder, x: Value) -> Value:
    """Return whether the sign bit of a float is set, as for -0.0."""
    return b.logical_or(b.less(x, 0), b.less(b.div(1.0, x), 0))


@array_function
def signbit(c: Call, x: Value) -> Value:
    return is_negative(c.b, x) if x.dtype.kind == "f" else c.b.less(x, 0)


@elementwise
def copysign(c: Call, x: Value, y: Value) -> Value:
    size = c.b.op("Abs", x)
    return c.b.where(is_negative(c.b, y), c.b.op("Neg", size), size)


@elementwise
def arctan2(c: Call, y: Value, x: Value) -> Value:
    b = c.b
    both = b.logical_and(b.is_inf(y), b.is_inf(x))
    none = b.logical_and(b.equal(y, 0), b.equal(x, 0))
    ratio = b.div(b.op("Abs", y), b.where(none, 1.0, b.op("Abs", x)))
    angle = FORMULAS["atan"](b, b.where(both, 1.0, ratio))
    angle = b.where(is_negative(b, x), b.sub(b.constant_like(math.pi, x), angle), angle)
    result = b.where(is_negative(b, y), b.op("Neg", angle), angle)
    return b.where(b.logical_or(b.is_nan(x), b.is_nan(y)), b.add(x, y), result)


@elementwise
def hypot(c: Call, x: Value, y: Value) -> Value:
    b = c.b
    x, y = b.op("Abs", x), b.op("Abs", y)
    large, small = b.op("Max", x, y), b.op("Min", x, y)
    infinite = b.logical_or(b.is_inf(x), b.is_inf(y))
    ratio = b.div(
        b.where(infinite, 0.0, small), b.where(b.logical_or(infinite, b.equal(large, 0)), 1.0, large)
    )
    result = b.mul(large, b.op("Sqrt", b.add(1.0, b.mul(ratio, ratio))))
    result = b.where(b.logical_or(b.is_nan(x), b.is_nan(y)), b.add(x, y), result)
    return b.where(infinite, float("inf"), result)


def math_hypot(c: Call, *numbers: Any) -> Value:
    argument = cast_operands(c, *numbers)
    result = functools.reduce(functools.partial(hypot, c), argument, c.b.constant(0.0))
    check_math_errors(c, result, *argument)
    return result


@elementwise
def logaddexp(c: Call, x: Value, y: Value) -> Value:
    b = c.b
    distance = b.op("Neg", b.op("Abs", b.sub(x, y)))
    result = b.add(b.op("Max", x, y), log1p(b, b.op("Exp", distance)))
    return b.where(b.equal(x, y), b.add(x, math.log(2)), result)


@array_function
def modf(c: Call, x: Value) -> tuple[Value, Value]:
    b = c.b
    x = x if x.dtype.kind == "f" else b.cast(x, np.float64)
    whole = trunc(b, x)
    infinite = b.is_inf(x)
    rest = b.where(infinite, 0.0, b.sub(x, b.where(infinite, 0.0, whole)))
    return rest, whole


@elementwise
def reciprocal(c: Call, x: Value) -> Value:
    if c.dtype.kind != "f":
        raise c.unsupported("integers")
    return c.b.div(1, x)


@elementwise
def gcd(c: Call, x: Value, y: Value) -> Value:
    """Compute the greatest common divisor with Euclid's algorithm."""
    x, y = c.b.add(x, c.b.mul(0, y)), c.b.add(y, c.b.mul(0, x))

    def body(b: Builder, _: Value, carried: list[Value]) -> tuple[Value, list[Value]]:
        a, d = carried
        rest = b.op("Mod", a, nonzero_divisor(b, d))
        return b.any(b.cast(rest, BOOL)), [b.where(b.equal(d, 0), a, d), rest]

    return absolute(c, emit_loop(c.b, None, c.b.constant(True, BOOL), [x, y], body)[0])


def math_gcd(c: Call, *numbers: Any) -> Value:
    if len(numbers) == 1:
        return absolute(c, *numbers)
    return functools.reduce(functools.partial(gcd, c), numbers)


NUMPY_NAMES = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh",
          "atanh": "arctanh"}  # fmt: skip


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


FUNCTIONS: dict[Any, Rule] = {
    **{getattr(np, NUMPY_NAMES.get(name, name)): float_function(name) for name in FORMULAS},
    **{getattr(math, name): float_function(name) for name in FORMULAS},
    math.log: lambda c, x, base=None: (
        float_function("log")(c, x) if base is None
        else true_divide(c, float_function("log")(c, x), float_function("log")(c, base))
    ),
    np.deg2rad: float_function("radians"), np.rad2deg: float_function("degrees"),
    np.floor: rounding("Floor"), np.ceil: rounding("Ceil"), np.trunc: rounding("Trunc"),
    np.rint: rounding("Round"), np.fix: rounding("Trunc"), np.round: around, np.around: around,
    math.floor: rounding("Floor"), math.ceil: rounding("Ceil"), math.trunc: rounding("Trunc"),
    np.isnan: predicate("IsNaN"), np.isinf: predicate("IsInf"), np.isfinite: is_finite,
    math.isnan: predicate("IsNaN"), math.isinf: predicate("IsInf"), math.isfinite: is_finite,
    np.isposinf: predicate("IsInf", detect_negative=0, detect_positive=1),
    np.isneginf: predicate("IsInf", detect_negative=1, detect_positive=0),
    np.signbit: signbit, np.copysign: copysign, math.copysign: copysign,
    np.arctan2: arctan2, math.atan2: arctan2, np.hypot: hypot, math.hypot: math_hypot,
    np.logaddexp: logaddexp, np.modf: modf, math.modf: modf, math.pow: power,
    np.gcd: gcd, math.gcd: math_gcd,
    math.fabs: lambda c, x: c.b.op("Abs", *cast_operands(c, x)),
    np.reciprocal: reciprocal,
}  # fmt: skip

COMPOSITIONS: dict[Any, Any] = {
    np.sinc: sinc,
    np.lcm: lcm,
    np.heaviside: heaviside,
    np.logaddexp2: logaddexp2,
    np.divmod: lambda x, y: (np.floor_divide(x, y), np.remainder(x, y)),
}
