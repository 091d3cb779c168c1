"""Functions of floats, item by item: roots, exponentials, angles, rounding.

onnxruntime computes some of them in float32 only. Those are composed here of others, so that float64 keeps
its digits.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..builder import BOOL, Builder, Value
from ..call import Call
from ..subgraphs import looped
from .elementwise import Rule, absolute, arrays, guard, operands, options, refuse_pole, safe, true_divide

if TYPE_CHECKING:
    from collections.abc import Callable


def expm1(b: Builder, x: Value) -> Value:
    """`exp(x) - 1` without the loss of digits around zero."""
    u = b.op("Exp", x)
    rest = b.minus(u, 1)
    close = b.over(b.times(rest, x), b.op("Log", b.where(b.equal(u, 1), 2, u)))
    made = b.where(b.less(b.op("Abs", x), b.like(0.5, x)), close, rest)
    return b.where(b.equal(u, 1), x, made)


def log1p(b: Builder, x: Value) -> Value:
    """`log(1 + x)` without the loss of digits around zero."""
    u = b.plus(x, 1)
    none = b.equal(u, 1)
    log = b.op("Log", u)
    close = b.over(b.times(log, x), b.where(none, 1, b.minus(u, 1)))
    made = b.where(b.less(b.op("Abs", x), b.like(0.5, x)), close, log)
    return b.where(none, x, made)


def sinh(b: Builder, x: Value) -> Value:
    rest = expm1(b, b.op("Abs", x))
    small = b.times(0.5, b.plus(rest, b.over(rest, b.plus(rest, 1))))
    half = b.op("Exp", b.times(0.5, b.op("Abs", x)))
    large = b.times(b.times(0.5, half), half)
    made = b.where(b.less(b.op("Abs", x), b.like(20.0, x)), small, large)
    return b.times(b.op("Sign", x), made)


def cosh(b: Builder, x: Value) -> Value:
    half = b.op("Exp", b.times(0.5, b.op("Abs", x)))
    large = b.times(b.times(0.5, half), half)
    return b.plus(large, b.times(0.5, b.op("Exp", b.op("Neg", b.op("Abs", x)))))


def tan(b: Builder, x: Value) -> Value:
    return b.over(b.op("Sin", x), b.op("Cos", x))


def atan(b: Builder, x: Value) -> Value:
    """Beyond 1 by the inverse; then two steps of Newton's from what float32 gives."""
    size = b.op("Abs", x)
    large = b.less(b.like(1.0, x), size)
    t = b.where(large, b.over(1.0, b.where(large, size, 1.0)), size)
    y = b.cast(b.op("Atan", b.cast(t, np.float32)), x.dtype)
    for _ in range(2):
        sine, cosine = b.op("Sin", y), b.op("Cos", y)
        y = b.minus(y, b.times(b.minus(sine, b.times(t, cosine)), cosine))
    return b.times(b.op("Sign", x), b.where(large, b.minus(b.like(math.pi / 2, x), y), y))


def asin(b: Builder, x: Value) -> Value:
    root = b.op("Sqrt", b.times(b.minus(1.0, x), b.plus(1.0, x)))
    return b.times(2.0, atan(b, b.over(x, b.plus(1.0, root))))


def acos(b: Builder, x: Value) -> Value:
    ratio = b.over(b.op("Sqrt", b.minus(1.0, x)), b.op("Sqrt", b.plus(1.0, x)))
    return b.times(2.0, atan(b, ratio))


def asinh(b: Builder, x: Value) -> Value:
    size = b.op("Abs", x)
    huge = b.less(b.like(1e100, x), size)
    a = b.where(huge, 1.0, size)
    square = b.times(a, a)
    small = log1p(b, b.plus(a, b.over(square, b.plus(1.0, b.op("Sqrt", b.plus(square, 1.0))))))
    made = b.where(huge, b.plus(b.op("Log", size), math.log(2)), small)
    return b.times(b.op("Sign", x), made)


def acosh(b: Builder, x: Value) -> Value:
    huge = b.less(b.like(1e100, x), x)
    t = b.minus(b.where(huge, 1.0, x), 1.0)
    small = log1p(b, b.plus(t, b.op("Sqrt", b.plus(b.times(2.0, t), b.times(t, t)))))
    return b.where(huge, b.plus(b.op("Log", x), math.log(2)), small)


def atanh(b: Builder, x: Value) -> Value:
    size = b.op("Abs", x)
    made = b.times(0.5, log1p(b, b.over(b.times(2.0, size), b.minus(1.0, size))))
    return b.times(b.op("Sign", x), made)


def log_to(base: int) -> Callable[[Builder, Value], Value]:
    return lambda b, x: b.over(b.op("Log", x), math.log(base))


def cbrt(b: Builder, x: Value) -> Value:
    size = b.op("Abs", x)
    root = b.op("Pow", size, b.like(1 / 3, x))
    plain = b.either(b.equal(size, 0), b.op("IsInf", size, dtype=BOOL))
    square = b.where(plain, 1.0, b.times(root, root))
    better = b.minus(root, b.over(b.minus(root, b.over(size, square)), 3.0))
    return b.times(b.op("Sign", x), b.where(plain, size, better))


def exp2(b: Builder, x: Value) -> Value:
    return b.op("Pow", b.like(2.0, x), x)


def trunc(b: Builder, x: Value) -> Value:
    return b.where(b.less(x, 0), b.op("Ceil", x), b.op("Floor", x))


def simple(kind: str) -> Callable[[Builder, Value], Value]:
    return lambda b, x: b.op(kind, x)


def kept(kind: str, other: Callable[[Builder, Value], Value]) -> Callable[[Builder, Value], Value]:
    """ONNX's operator, but for float64."""
    return lambda b, x: other(b, x) if x.dtype == np.float64 else b.op(kind, x)


_FORMULAS: dict[str, Any] = {
    "sqrt": simple("Sqrt"), "exp": simple("Exp"), "log": simple("Log"), "sin": simple("Sin"),
    "cos": simple("Cos"), "tanh": simple("Tanh"), "tan": kept("Tan", tan), "sinh": kept("Sinh", sinh),
    "cosh": kept("Cosh", cosh), "asin": kept("Asin", asin), "acos": kept("Acos", acos),
    "atan": kept("Atan", atan), "asinh": kept("Asinh", asinh), "acosh": kept("Acosh", acosh),
    "atanh": kept("Atanh", atanh), "expm1": expm1, "log1p": log1p, "exp2": exp2, "cbrt": cbrt,
    "log2": log_to(2), "log10": log_to(10),
    "degrees": lambda b, x: b.times(180 / math.pi, x), "radians": lambda b, x: b.times(math.pi / 180, x),
}  # fmt: skip


def formula(name: str) -> Rule:
    made = _FORMULAS[name]

    def rule(c: Call, x: Any, **kwargs: Any) -> Value:
        options(c, kwargs)
        [x] = operands(c, x)
        result = made(c.b, x)
        if c.is_python:
            guard(c, result, x)
        return result

    return rule


def math_log(c: Call, x: Any, base: Any = None) -> Value:
    made = formula("log")(c, x)
    return made if base is None else true_divide(c, made, formula("log")(c, base))


def rounding(kind: str) -> Rule:
    """NumPy's roundings keep integers, and Python's give them."""

    def rule(c: Call, x: Any, **kwargs: Any) -> Value:
        options(c, kwargs)
        [x] = arrays(c, x)
        if x.dtype.kind in "iub":
            return x
        if c.is_python:
            refuse_infinite(c, x)
        return trunc(c.b, x) if kind == "Trunc" else c.b.op(kind, x)

    return rule


def refuse_infinite(c: Call, x: Value) -> None:
    """Python makes no int of NaN or infinity. Those that int64 has no room for cannot be made here."""
    b = c.b
    b.check(b.op("IsNaN", x, dtype=BOOL), "ValueError: cannot convert float NaN to integer")
    inside = b.less(b.op("Abs", x), b.like(2.0**63, x))
    b.check(b.negated(inside), f"OverflowError: cannot convert this float to an integer in {c.node.op}")


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
        return b.over(b.op("Round", b.times(factor, x)), factor)
    return b.times(factor, b.op("Round", b.over(x, factor)))


def is_finite(c: Call, x: Any, **kwargs: Any) -> Value:
    options(c, kwargs)
    [x] = arrays(c, x)
    return c.b.negated(c.b.either(_test(c, x, "IsNaN"), _test(c, x, "IsInf")))


def _test(c: Call, x: Value, kind: str) -> Value:
    x = x if x.dtype.kind == "f" else c.b.cast(x, np.float32)
    return c.b.op(kind, x, dtype=BOOL)


def tested(kind: str) -> Rule:
    def rule(c: Call, x: Any, **kwargs: Any) -> Value:
        options(c, kwargs)
        return _test(c, arrays(c, x)[0], kind)

    return rule


def signed_infinity(kind: str) -> Rule:
    attrs: dict[str, Any] = {
        "detect_negative": int(kind == "negative"),
        "detect_positive": int(kind == "positive"),
    }

    def rule(c: Call, x: Any, out: Any = None) -> Value:
        [x] = arrays(c, x)
        x = x if x.dtype.kind == "f" else c.b.cast(x, np.float32)
        return c.b.op("IsInf", x, dtype=BOOL, **attrs)

    return rule


def is_negative(b: Builder, x: Value) -> Value:
    """Whether a float has a minus, as -0.0 has."""
    return b.either(b.less(x, 0), b.less(b.over(1.0, x), 0))


def signbit(c: Call, x: Any, **kwargs: Any) -> Value:
    options(c, kwargs)
    [x] = arrays(c, x)
    return is_negative(c.b, x) if x.dtype.kind == "f" else c.b.less(x, 0)


def copysign(c: Call, x: Any, y: Any, **kwargs: Any) -> Value:
    options(c, kwargs)
    x, y = operands(c, x, y)
    size = c.b.op("Abs", x)
    return c.b.where(is_negative(c.b, y), c.b.op("Neg", size), size)


def arctan2(c: Call, y: Any, x: Any, **kwargs: Any) -> Value:
    options(c, kwargs)
    b = c.b
    y, x = operands(c, y, x)
    both = b.both(b.op("IsInf", y, dtype=BOOL), b.op("IsInf", x, dtype=BOOL))
    none = b.both(b.equal(y, 0), b.equal(x, 0))
    ratio = b.over(b.op("Abs", y), b.where(none, 1.0, b.op("Abs", x)))
    angle = _FORMULAS["atan"](b, b.where(both, 1.0, ratio))
    angle = b.where(is_negative(b, x), b.minus(b.like(math.pi, x), angle), angle)
    made = b.where(is_negative(b, y), b.op("Neg", angle), angle)
    return b.where(b.either(b.is_nan(x), b.is_nan(y)), b.plus(x, y), made)


def hypot(c: Call, x: Any, y: Any, **kwargs: Any) -> Value:
    options(c, kwargs)
    b = c.b
    x, y = (b.op("Abs", v) for v in operands(c, x, y))
    large, small = b.op("Max", x, y), b.op("Min", x, y)
    infinite = b.either(b.op("IsInf", x, dtype=BOOL), b.op("IsInf", y, dtype=BOOL))
    ratio = b.over(b.where(infinite, 0.0, small), b.where(b.either(infinite, b.equal(large, 0)), 1.0, large))
    made = b.times(large, b.op("Sqrt", b.plus(1.0, b.times(ratio, ratio))))
    made = b.where(b.either(b.is_nan(x), b.is_nan(y)), b.plus(x, y), made)
    return b.where(infinite, float("inf"), made)


def math_hypot(c: Call, *numbers: Any) -> Value:
    given = operands(c, *numbers)
    made = functools.reduce(functools.partial(hypot, c), given, c.b.constant(0.0))
    guard(c, made, *given)
    return made


def logaddexp(c: Call, x: Any, y: Any, **kwargs: Any) -> Value:
    options(c, kwargs)
    b = c.b
    x, y = operands(c, x, y)
    apart = b.op("Neg", b.op("Abs", b.minus(x, y)))
    made = b.plus(b.op("Max", x, y), log1p(b, b.op("Exp", apart)))
    return b.where(b.equal(x, y), b.plus(x, math.log(2)), made)


def modf(c: Call, x: Any, **kwargs: Any) -> tuple[Value, Value]:
    options(c, kwargs)
    b = c.b
    [x] = arrays(c, x)
    x = x if x.dtype.kind == "f" else b.cast(x, np.float64)
    whole = trunc(b, x)
    infinite = b.op("IsInf", x, dtype=BOOL)
    rest = b.where(infinite, 0.0, b.minus(x, b.where(infinite, 0.0, whole)))
    return rest, whole


def power_of_floats(c: Call, x: Any, y: Any) -> Value:
    x, y = operands(c, x, y)
    made = c.b.op("Pow", x, y)
    refuse_pole(c, x, y)
    guard(c, made, x, y)
    return made


def reciprocal(c: Call, x: Any, **kwargs: Any) -> Value:
    options(c, kwargs)
    if c.dtype.kind != "f":
        raise c.unsupported("integers")
    return c.b.over(1, *operands(c, x))


def gcd(c: Call, x: Any, y: Any, **kwargs: Any) -> Value:
    """Euclid's."""
    options(c, kwargs)
    x, y = operands(c, x, y)
    x, y = c.b.plus(x, c.b.times(0, y)), c.b.plus(y, c.b.times(0, x))

    def body(b: Builder, _: Value, carried: list[Value]) -> tuple[Value, list[Value]]:
        a, d = carried
        rest = b.op("Mod", a, safe(b, d))
        return b.any(b.cast(rest, BOOL)), [b.where(b.equal(d, 0), a, d), rest]

    return absolute(c, looped(c.b, None, c.b.constant(True, BOOL), [x, y], body)[0])


def math_gcd(c: Call, *numbers: Any) -> Value:
    if len(numbers) == 1:
        return absolute(c, *numbers)
    return functools.reduce(functools.partial(gcd, c), numbers)


_NAMES = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh",
          "atanh": "arctanh"}  # fmt: skip

FUNCTIONS: dict[Any, Rule] = {
    **{getattr(np, _NAMES.get(name, name)): formula(name) for name in _FORMULAS},
    **{getattr(math, name): formula(name) for name in _FORMULAS},
    math.log: math_log,
    np.deg2rad: formula("radians"), np.rad2deg: formula("degrees"),
    np.floor: rounding("Floor"), np.ceil: rounding("Ceil"), np.trunc: rounding("Trunc"),
    np.rint: rounding("Round"), np.fix: rounding("Trunc"), np.round: around, np.around: around,
    math.floor: rounding("Floor"), math.ceil: rounding("Ceil"), math.trunc: rounding("Trunc"),
    np.isnan: tested("IsNaN"), np.isinf: tested("IsInf"), np.isfinite: is_finite,
    math.isnan: tested("IsNaN"), math.isinf: tested("IsInf"), math.isfinite: is_finite,
    np.isposinf: signed_infinity("positive"), np.isneginf: signed_infinity("negative"),
    np.signbit: signbit, np.copysign: copysign, math.copysign: copysign,
    np.arctan2: arctan2, math.atan2: arctan2, np.hypot: hypot, math.hypot: math_hypot,
    np.logaddexp: logaddexp, np.modf: modf, math.modf: modf, math.pow: power_of_floats,
    np.gcd: gcd, math.gcd: math_gcd,
    math.fabs: lambda c, x: c.b.op("Abs", *operands(c, x)),
    np.reciprocal: reciprocal,
}  # fmt: skip
