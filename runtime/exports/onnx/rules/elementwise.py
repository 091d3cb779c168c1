"""Arithmetic on numbers and arrays, item by item.

A rule is called with the call and with the user's own arguments, values in the place of staged ones. What it
gives is brought to the dtype of the node.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..builder import BOOL, INT, Builder, Value
from ..call import Call
from ..subgraphs import looped
from ..values import refuse_overflow

Rule = Callable[..., Any]


def operands(c: Call, *given: Any) -> list[Value]:
    """Operands in the dtype of the result."""
    return [converted(c, v, c.dtype) for v in arrays(c, *given)]


def converted(c: Call, x: Value, dtype: np.dtype) -> Value:
    """A value in another dtype. The run fails for a Python int that it has no room for, as NumPy does."""
    if x.weak and x.dtype == INT and dtype.kind in "iu" and dtype != INT:
        limits = np.iinfo(dtype)
        if x.constant is not None:
            if not limits.min <= int(x.constant) <= limits.max:
                c.b.fail(f"OverflowError: Python integer {int(x.constant)} out of bounds for {dtype}")
            return c.b.cast(x, dtype)
        outside = c.b.less(x, max(int(limits.min), -(2**63)))
        if limits.max < 2**63 - 1:
            outside = c.b.either(outside, c.b.less(c.b.constant(int(limits.max), INT), x))
        c.b.check(outside, f"OverflowError: a Python integer is out of bounds for {dtype}")
    return c.b.cast(x, dtype)


def _is_large(b: Builder, estimate: Value) -> Value:
    """Whether a float is no integer of 64 bits, or so near the end that its rounding hides it."""
    return b.negated(b.less(b.op("Abs", estimate), b.like(2.0**63 - 1024, estimate)))


def estimated(c: Call, kind: str, x: Value, y: Value) -> None:
    """Let the run fail where an operation of Python's ints leaves 64 bits, by its floats."""
    if c.is_python and c.dtype == INT:
        floats = (c.b.cast(v, np.float64) for v in (x, y))
        refuse_overflow(c.b, _is_large(c.b, c.b.op(kind, *floats)))


def refuse_negative(b: Builder, x: Value, message: str) -> None:
    if x.dtype.kind == "i" and (x.constant is None or np.any(x.constant < 0)):
        b.check(b.any(b.less(x, 0)), message)


def arrays(c: Call, *given: Any) -> list[Value]:
    return [array(c, v) for v in given]


def array(c: Call, given: Any) -> Value:
    """An argument as an array: a list or tuple is one of its items."""
    if not isinstance(given, (list, tuple)):
        made = getattr(given, "tensor", given)
        if isinstance(made, Value) and made.is_sequence:
            raise c.unsupported("a list of arrays whose shapes differ")
        return c.b.value(made)
    if not given:
        return c.b.constant(np.zeros(0), None)
    parts = c.b.common(*(array(c, v) for v in given))
    return c.b.concat([c.b.unsqueeze(p, 0) for p in parts], 0)


def options(c: Call, given: dict[str, Any]) -> None:
    """Refuse the options of a ufunc, but for those that the type of the result tells."""
    wrong = [name for name, value in given.items() if name not in ("dtype", "casting") and value is not None]
    if wrong:
        raise c.unsupported(", ".join(wrong))


def add(c: Call, x: Any, y: Any, **kwargs: Any) -> Value:
    options(c, kwargs)
    x, y = operands(c, x, y)
    if x.dtype.kind == "U":
        return c.b.op("StringConcat", x, y)
    return c.b.op("Or", x, y) if x.dtype == BOOL else _sum(c, "Add", x, y)


def subtract(c: Call, x: Any, y: Any, **kwargs: Any) -> Value:
    options(c, kwargs)
    return _sum(c, "Sub", *operands(c, x, y))


def _sum(c: Call, kind: str, x: Value, y: Value) -> Value:
    """A sum or difference. One of Python's ints has left 64 bits where its sign cannot be."""
    b = c.b
    made = b.op(kind, x, y)
    if c.is_python and c.dtype == INT:
        first = b.op("BitwiseXor", made, x)
        second = b.op("BitwiseXor", made if kind == "Add" else x, y)
        refuse_overflow(c.b, b.less(b.op("BitwiseAnd", first, second), 0))
    return made


def multiply(c: Call, x: Any, y: Any, **kwargs: Any) -> Value:
    options(c, kwargs)
    x, y = operands(c, x, y)
    if x.dtype == BOOL:
        return c.b.op("And", x, y)
    estimated(c, "Mul", x, y)
    return c.b.times(x, y)


def _refuse_zero(c: Call, y: Value, message: str) -> None:
    """Python's numbers are not divided by zero."""
    if c.is_python and (y.constant is None or not y.constant):
        c.b.check(c.b.equal(y, 0), f"ZeroDivisionError: {message}")


def true_divide(c: Call, x: Any, y: Any, **kwargs: Any) -> Value:
    options(c, kwargs)
    x, y = operands(c, x, y)
    _refuse_zero(c, y, "division by zero")
    return c.b.over(x, y)


def safe(b: Builder, y: Value) -> Value:
    """An integer divisor with 1 in the place of 0 and -1, by which processors do not divide all integers."""
    risky = (0, -1) if y.dtype.kind == "i" else (0,)
    if y.constant is not None and not np.isin(y.constant, risky).any():
        return y
    found = b.equal(y, 0)
    return b.where(b.either(found, b.equal(y, -1)) if len(risky) > 1 else found, 1, y)


def _divided(c: Call, x: Any, y: Any, kwargs: dict[str, Any]) -> tuple[Value, Value]:
    """The operands of a division; truth values as the small integers that NumPy divides."""
    options(c, kwargs)
    x, y = operands(c, x, y)
    return (c.b.cast(x, np.int8), c.b.cast(y, np.int8)) if x.dtype == BOOL else (x, y)


def floor_divide(c: Call, x: Any, y: Any, **kwargs: Any) -> Value:
    b = c.b
    x, y = _divided(c, x, y, kwargs)
    _refuse_zero(c, y, "integer division or modulo by zero" if x.dtype == INT else "division by zero")
    if x.dtype.kind == "f":
        return _floor_of_floats(c, x, y)
    divisor = safe(c.b, y)
    made = b.over(x, divisor)
    if x.dtype.kind == "i":
        rest = b.minus(x, b.times(made, divisor))
        down = b.both(b.cast(rest, BOOL), b.op("Xor", b.less(rest, 0), b.less(divisor, 0)))
        made = b.minus(made, b.cast(down, x.dtype))
    if divisor is y:
        return made
    if x.dtype.kind == "i":
        _refuse_least(c, x, b.equal(y, -1))
        made = b.where(b.equal(y, -1), b.op("Neg", x), made)
    return b.where(b.equal(y, 0), 0, made)


def _floor_of_floats(c: Call, x: Value, y: Value) -> Value:
    b = c.b
    rest = b.op("Mod", x, y, fmod=1)
    down = b.both(b.cast(rest, BOOL), b.op("Xor", b.less(rest, 0), b.less(y, 0)))
    exact = b.minus(b.over(b.minus(x, rest), y), b.cast(down, x.dtype))
    floor = b.op("Floor", exact)
    floor = b.where(b.less(b.like(0.5, x), b.minus(exact, floor)), b.plus(floor, 1), floor)
    return b.where(b.equal(y, 0), b.over(x, y), floor)


def _remainder_of_floats(c: Call, x: Value, y: Value) -> Value:
    """What is left of `x`, with the sign of `y`."""
    b = c.b
    rest = b.op("Mod", x, y, fmod=1)
    other = b.op("Xor", b.less(rest, 0), b.less(y, 0))
    moved = b.where(b.both(b.cast(rest, BOOL), other), b.plus(rest, y), rest)
    return b.where(b.is_nan(rest), rest, moved)


def remainder(c: Call, x: Any, y: Any, **kwargs: Any) -> Value:
    x, y = _divided(c, x, y, kwargs)
    _refuse_zero(c, y, "integer modulo by zero" if x.dtype == INT else "float modulo")
    if x.dtype.kind == "f":
        return _remainder_of_floats(c, x, y)
    return c.b.op("Mod", x, safe(c.b, y))


def fmod(c: Call, x: Any, y: Any, **kwargs: Any) -> Value:
    options(c, kwargs)
    b = c.b
    x, y = operands(c, x, y)
    if x.dtype.kind != "f":
        return b.op("Mod", x, safe(c.b, y), fmod=1)
    made = b.op("Mod", x, y, fmod=1)
    if c.is_python:
        guard(c, made, x, y)
    return made


def power(c: Call, x: Any, y: Any, **kwargs: Any) -> Value:
    options(c, kwargs)
    b = c.b
    base, exponent = arrays(c, x, y)
    if c.dtype.kind == "f":
        x, y = b.cast(base, c.dtype), b.cast(exponent, c.dtype)
        if _is(exponent, 0.5) and c.node.op == "pow" and x.ndim:  # as NumPy has it for arrays
            return b.op("Sqrt", x)
        made = b.times(x, x) if _is(exponent, 2) else b.op("Pow", x, y)
        if c.is_python:
            refuse_pole(c, x, y)
            guard(c, made, x, y)
        return made
    x, y = b.cast(base, c.dtype), b.cast(exponent, c.dtype)
    message = "ValueError: Integers to negative integer powers are not allowed."
    refuse_negative(b, y, "an int to a negative power, a float" if c.is_python else message)
    estimated(c, "Pow", x, y)
    if y.constant is not None and not y.ndim and 0 < y.constant <= 3:
        made = x
        for _ in range(int(y.constant) - 1):
            made = b.times(made, x)
        return made
    zero = b.times(0, b.plus(x, y))
    going = b.any(b.cast(y, BOOL))
    return looped(b, None, going, [b.plus(zero, 1), b.plus(zero, x), b.plus(zero, y)], _squared)[0]


def _squared(b: Builder, _: Value, carried: list[Value]) -> tuple[Value, list[Value]]:
    """A round of powers by squares: for the last bit of what is left of the exponents."""
    made, base, left = carried
    made = b.where(b.cast(b.op("Mod", left, b.like(2, left)), BOOL), b.times(made, base), made)
    left = b.over(left, 2)
    return b.any(b.cast(left, BOOL)), [made, b.times(base, base), left]


def _is(value: Value, number: float) -> bool:
    return value.constant is not None and not value.ndim and bool(value.constant == number)


def guard(c: Call, made: Value, *given: Value) -> None:
    """Let the run fail where a function of Python's floats raises: for what it has no finite result."""
    b = c.b
    nan = functools.reduce(b.either, [b.is_nan(v) for v in given])
    infinite = functools.reduce(b.either, [b.op("IsInf", v, dtype=BOOL) for v in given])
    domain, beyond = "ValueError: math domain error", "OverflowError: math range error"
    if c.node.op == "pow":
        domain = "a power of a negative number, which is complex"
        beyond = "OverflowError: (34, 'Numerical result out of range')"
    b.check(b.both(b.is_nan(made), b.negated(nan)), domain)
    failed = b.both(b.op("IsInf", made, dtype=BOOL), b.negated(b.either(nan, infinite)))
    b.check(failed, domain if c.node.op in _WITH_POLES else beyond)


_WITH_POLES = frozenset(("math.log", "math.log2", "math.log10", "math.log1p", "math.atanh"))


def refuse_pole(c: Call, x: Value, y: Value) -> None:
    """Python has no negative power of zero."""
    try:
        (operator.pow if c.node.op == "pow" else math.pow)(0.0, -1.0)
    except (ArithmeticError, ValueError) as error:
        c.b.check(c.b.both(c.b.equal(x, 0), c.b.less(y, 0)), f"{type(error).__name__}: {error}")


# Signs and extremes


def _refuse_least(c: Call, x: Value, where: Value | None = None) -> None:
    """The negative of the least int of 64 bits is none."""
    if c.is_python and c.dtype == INT:
        least = c.b.equal(x, -(2**63))
        refuse_overflow(c.b, least if where is None else c.b.both(least, where))


def absolute(c: Call, x: Any, **kwargs: Any) -> Value:
    options(c, kwargs)
    [x] = operands(c, x)
    _refuse_least(c, x)
    return x if x.dtype == BOOL else c.b.op("Abs", x)


def negative(c: Call, x: Any, **kwargs: Any) -> Value:
    options(c, kwargs)
    [x] = operands(c, x)
    _refuse_least(c, x)
    return c.b.op("Neg", x) if x.dtype.kind != "u" else c.b.minus(0, x)


def same(c: Call, x: Any, *_: Any, **__: Any) -> Value:
    return arrays(c, x)[0]


def imaginary(c: Call, x: Any) -> Value:
    x = array(c, x)
    return c.b.expand(c.b.constant(np.zeros((), c.dtype)), c.b.shape(x), x.ndim)


def extreme(kind: str, *, ignores_nan: bool = False) -> Rule:
    """The greater or smaller of two: a NaN wins, or loses."""

    def rule(c: Call, x: Any, y: Any, **kwargs: Any) -> Value:
        options(c, kwargs)
        b = c.b
        x, y = operands(c, x, y)
        if x.dtype == BOOL:
            return b.op("Or" if kind == "Max" else "And", x, y)
        made = b.op(kind, x, y)
        if x.dtype.kind != "f":
            return made
        if ignores_nan:
            return b.where(b.is_nan(x), y, b.where(b.is_nan(y), x, made))
        return b.where(b.either(b.is_nan(x), b.is_nan(y)), b.plus(x, y), made)

    return rule


def without_nan(b: Builder, x: Value, kind: str) -> tuple[Value, Value]:
    """Floats with the worst for an extreme in the place of NaNs, and which these are."""
    nan = b.is_nan(x)
    return b.where(nan, -math.inf if kind == "Max" else math.inf, x), nan


def sign(c: Call, x: Any, **kwargs: Any) -> Value:
    options(c, kwargs)
    [x] = operands(c, x)
    made = c.b.op("Sign", x)
    return c.b.where(c.b.is_nan(x), x, made) if x.dtype.kind == "f" else made


FUNCTIONS: dict[Any, Rule] = {
    np.add: add, np.subtract: subtract, np.multiply: multiply, np.true_divide: true_divide,
    np.floor_divide: floor_divide, np.remainder: remainder, np.fmod: fmod, math.fmod: fmod, np.power: power,
    np.float_power: power, np.square: lambda c, x, **k: multiply(c, x, x, **k),
    np.negative: negative, np.positive: same, np.absolute: absolute, np.fabs: absolute, np.sign: sign,
    np.maximum: extreme("Max"), np.minimum: extreme("Min"),
    np.fmax: extreme("Max", ignores_nan=True), np.fmin: extreme("Min", ignores_nan=True),
    np.conjugate: same, np.real: same, np.imag: imaginary,
}  # fmt: skip
