"""ONNX rules for element-wise arithmetic.

A rule is called with the `Call` and the user's own arguments, in which ONNX values replace the staged ones.
The emitter casts the rule's result to the dtype of the node.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np

from ....export.onnx.builder.builder import BOOL, INT, Builder, Value
from ....export.onnx.builder.call import Call
from ....export.onnx.builder.subgraphs import emit_loop
from ....export.onnx.builder.values import check_overflow

Rule = Callable[..., Any]


def cast_operands(c: Call, *arguments: Any) -> list[Value]:
    """Return the operands, cast to the dtype of the result."""
    return [checked_cast(c, v, c.dtype) for v in arrays(c, *arguments)]


def checked_cast(c: Call, x: Value, dtype: np.dtype) -> Value:
    """Cast a value. The run fails where NumPy would raise because a Python int is out of bounds."""
    if x.weak and x.dtype == INT and dtype.kind in "iu" and dtype != INT:
        limits = np.iinfo(dtype)
        if x.constant is not None:
            if not limits.min <= int(x.constant) <= limits.max:
                c.b.fail(f"OverflowError: Python integer {int(x.constant)} out of bounds for {dtype}")
            return c.b.cast(x, dtype)
        outside = c.b.less(x, max(int(limits.min), -(2**63)))
        if limits.max < 2**63 - 1:
            outside = c.b.logical_or(outside, c.b.less(c.b.constant(int(limits.max), INT), x))
        c.b.check(outside, f"OverflowError: a Python integer is out of bounds for {dtype}")
    return c.b.cast(x, dtype)


def is_large(b: Builder, estimate: Value) -> Value:
    """Return whether a float is outside the range of int64, or too close to a limit to be sure."""
    return b.logical_not(b.less(b.op("Abs", estimate), b.constant_like(2.0**63 - 1024, estimate)))


def check_int_overflow(c: Call, kind: str, x: Value, y: Value) -> None:
    """Make the run fail if an operation on Python ints overflows 64 bits, as estimated in floats."""
    if c.is_python and c.dtype == INT:
        floats = (c.b.cast(v, np.float64) for v in (x, y))
        check_overflow(c.b, is_large(c.b, c.b.op(kind, *floats)))


def check_not_negative(b: Builder, x: Value, message: str) -> None:
    if x.dtype.kind == "i" and (x.constant is None or np.any(x.constant < 0)):
        b.check(b.any(b.less(x, 0)), message)


def arrays(c: Call, *arguments: Any) -> list[Value]:
    return [array(c, v) for v in arguments]


def array(c: Call, argument: Any) -> Value:
    """Return an argument as an array. A list or tuple becomes an array of its items."""
    if not isinstance(argument, (list, tuple)):
        result = getattr(argument, "tensor", argument)
        if isinstance(result, Value) and result.is_sequence:
            raise c.unsupported("a list of arrays of different shapes")
        return c.b.value(result)
    if not argument:
        return c.b.constant(np.zeros(0), None)
    parts = c.b.promote(*(array(c, v) for v in argument))
    return c.b.concat([c.b.unsqueeze(p, 0) for p in parts], 0)


def check_options(c: Call, kwargs: dict[str, Any]) -> None:
    """Raise if a ufunc is called with options that affect more than the type of its result."""
    wrong = [name for name, value in kwargs.items() if name not in ("dtype", "casting") and value is not None]
    if wrong:
        raise c.unsupported(", ".join(wrong))


def ufunc_rule(function: Rule, prepare: Callable[..., list[Value]]) -> Rule:
    """Return the rule for a ufunc of one or two operands, which rejects unsupported options."""

    def unary(c: Call, x: Any, **kwargs: Any) -> Any:
        check_options(c, kwargs)
        return function(c, *prepare(c, x))

    def binary(c: Call, x: Any, y: Any, **kwargs: Any) -> Any:
        check_options(c, kwargs)
        return function(c, *prepare(c, x, y))

    return unary if len(signature(function).parameters) == 2 else binary


elementwise = functools.partial(ufunc_rule, prepare=cast_operands)
"""Return the rule for a ufunc, given a function that takes the operands cast to the dtype of the result."""

array_function = functools.partial(ufunc_rule, prepare=arrays)
"""Return the rule for a ufunc, given a function that takes the operands in their own dtypes."""


@elementwise
def add(c: Call, x: Value, y: Value) -> Value:
    if x.dtype.kind == "U":
        return c.b.op("StringConcat", x, y)
    return c.b.op("Or", x, y) if x.dtype == BOOL else add_or_subtract(c, "Add", x, y)


@elementwise
def subtract(c: Call, x: Value, y: Value) -> Value:
    return add_or_subtract(c, "Sub", x, y)


def add_or_subtract(c: Call, kind: str, x: Value, y: Value) -> Value:
    """Add or subtract. Python ints have overflowed if the sign of the result is impossible."""
    b = c.b
    result = b.op(kind, x, y)
    if c.is_python and c.dtype == INT:
        first = b.op("BitwiseXor", result, x)
        second = b.op("BitwiseXor", result if kind == "Add" else x, y)
        check_overflow(c.b, b.less(b.op("BitwiseAnd", first, second), 0))
    return result


@elementwise
def multiply(c: Call, x: Value, y: Value) -> Value:
    if x.dtype == BOOL:
        return c.b.op("And", x, y)
    check_int_overflow(c, "Mul", x, y)
    return c.b.mul(x, y)


def check_divisor(c: Call, y: Value, message: str) -> None:
    """Make the run fail where a Python number is divided by zero."""
    if c.is_python and (y.constant is None or not y.constant):
        c.b.check(c.b.equal(y, 0), f"ZeroDivisionError: {message}")


@elementwise
def true_divide(c: Call, x: Value, y: Value) -> Value:
    check_divisor(c, y, "division by zero")
    return c.b.div(x, y)


def nonzero_divisor(b: Builder, y: Value) -> Value:
    """Replace the integer divisors 0 and -1 with 1, since dividing by them can crash the process."""
    risky = (0, -1) if y.dtype.kind == "i" else (0,)
    if y.constant is not None and not np.isin(y.constant, risky).any():
        return y
    mask = b.equal(y, 0)
    return b.where(b.logical_or(mask, b.equal(y, -1)) if len(risky) > 1 else mask, 1, y)


def division_operands(c: Call, x: Any, y: Any, kwargs: dict[str, Any]) -> tuple[Value, Value]:
    """Return the operands of a division. NumPy divides booleans as int8."""
    check_options(c, kwargs)
    x, y = cast_operands(c, x, y)
    return (c.b.cast(x, np.int8), c.b.cast(y, np.int8)) if x.dtype == BOOL else (x, y)


def floor_divide(c: Call, x: Any, y: Any, **kwargs: Any) -> Value:
    b = c.b
    x, y = division_operands(c, x, y, kwargs)
    check_divisor(c, y, "integer division or modulo by zero" if x.dtype == INT else "division by zero")
    if x.dtype.kind == "f":
        return float_floor_divide(c, x, y)
    divisor = nonzero_divisor(c.b, y)
    result = b.div(x, divisor)
    if x.dtype.kind == "i":
        rest = b.sub(x, b.mul(result, divisor))
        down = b.logical_and(b.cast(rest, BOOL), b.op("Xor", b.less(rest, 0), b.less(divisor, 0)))
        result = b.sub(result, b.cast(down, x.dtype))
    if divisor is y:
        return result
    if x.dtype.kind == "i":
        check_negatable(c, x, b.equal(y, -1))
        result = b.where(b.equal(y, -1), b.op("Neg", x), result)
    return b.where(b.equal(y, 0), 0, result)


def float_floor_divide(c: Call, x: Value, y: Value) -> Value:
    b = c.b
    rest = b.op("Mod", x, y, fmod=1)
    down = b.logical_and(b.cast(rest, BOOL), b.op("Xor", b.less(rest, 0), b.less(y, 0)))
    quotient = b.sub(b.div(b.sub(x, rest), y), b.cast(down, x.dtype))
    floor = b.op("Floor", quotient)
    floor = b.where(b.less(b.constant_like(0.5, x), b.sub(quotient, floor)), b.add(floor, 1), floor)
    return b.where(b.equal(y, 0), b.div(x, y), floor)


def float_remainder(c: Call, x: Value, y: Value) -> Value:
    """Return the remainder, with the sign of `y`."""
    b = c.b
    rest = b.op("Mod", x, y, fmod=1)
    other = b.op("Xor", b.less(rest, 0), b.less(y, 0))
    moved = b.where(b.logical_and(b.cast(rest, BOOL), other), b.add(rest, y), rest)
    return b.where(b.is_nan(rest), rest, moved)


def remainder(c: Call, x: Any, y: Any, **kwargs: Any) -> Value:
    x, y = division_operands(c, x, y, kwargs)
    check_divisor(c, y, "integer modulo by zero" if x.dtype == INT else "float modulo")
    if x.dtype.kind == "f":
        return float_remainder(c, x, y)
    return c.b.op("Mod", x, nonzero_divisor(c.b, y))


@elementwise
def fmod(c: Call, x: Value, y: Value) -> Value:
    b = c.b
    if x.dtype.kind != "f":
        return b.op("Mod", x, nonzero_divisor(c.b, y), fmod=1)
    result = b.op("Mod", x, y, fmod=1)
    if c.is_python:
        check_math_errors(c, result, x, y)
    return result


def power(c: Call, x: Any, y: Any, **kwargs: Any) -> Value:
    check_options(c, kwargs)
    b = c.b
    base, exponent = arrays(c, x, y)
    if c.dtype.kind == "f":
        x, y = b.cast(base, c.dtype), b.cast(exponent, c.dtype)
        if is_constant(exponent, 0.5) and c.node.op == "pow" and x.ndim:  # as NumPy does for arrays
            return b.op("Sqrt", x)
        result = b.mul(x, x) if is_constant(exponent, 2) else b.op("Pow", x, y)
        if c.is_python:
            check_pole(c, x, y)
            check_math_errors(c, result, x, y)
        return result
    x, y = b.cast(base, c.dtype), b.cast(exponent, c.dtype)
    message = "ValueError: Integers to negative integer powers are not allowed."
    check_not_negative(b, y, "a negative power of an int, which is a float" if c.is_python else message)
    check_int_overflow(c, "Pow", x, y)
    if y.constant is not None and not y.ndim and 0 < y.constant <= 3:
        result = x
        for _ in range(int(y.constant) - 1):
            result = b.mul(result, x)
        return result
    zero = b.mul(0, b.add(x, y))
    condition = b.any(b.cast(y, BOOL))
    return emit_loop(b, None, condition, [b.add(zero, 1), b.add(zero, x), b.add(zero, y)], square_step)[0]


def square_step(b: Builder, _: Value, carried: list[Value]) -> tuple[Value, list[Value]]:
    """Build the body of a loop that computes a power by squaring."""
    result, base, left = carried
    result = b.where(b.cast(b.op("Mod", left, b.constant_like(2, left)), BOOL), b.mul(result, base), result)
    left = b.div(left, 2)
    return b.any(b.cast(left, BOOL)), [result, b.mul(base, base), left]


def is_constant(value: Value, number: float) -> bool:
    return value.constant is not None and not value.ndim and bool(value.constant == number)


def check_math_errors(c: Call, result: Value, *argument: Value) -> None:
    """Make the run fail where a function of Python floats raises because it has no finite result."""
    b = c.b
    nan = functools.reduce(b.logical_or, [b.is_nan(v) for v in argument])
    infinite = functools.reduce(b.logical_or, [b.is_inf(v) for v in argument])
    domain, beyond = "ValueError: math domain error", "OverflowError: math range error"
    if c.node.op == "pow":
        domain = "a power of a negative number, which is complex"
        beyond = "OverflowError: (34, 'Numerical result out of range')"
    b.check(b.logical_and(b.is_nan(result), b.logical_not(nan)), domain)
    failed = b.logical_and(b.is_inf(result), b.logical_not(b.logical_or(nan, infinite)))
    b.check(failed, domain if c.node.op in WITH_POLES else beyond)


WITH_POLES = frozenset(("math.log", "math.log2", "math.log10", "math.log1p", "math.atanh"))


def check_pole(c: Call, x: Value, y: Value) -> None:
    """Make the run fail where Python raises for a negative power of zero."""
    try:
        (operator.pow if c.node.op == "pow" else math.pow)(0.0, -1.0)
    except (ArithmeticError, ValueError) as error:
        c.b.check(c.b.logical_and(c.b.equal(x, 0), c.b.less(y, 0)), f"{type(error).__name__}: {error}")


def check_negatable(c: Call, x: Value, where: Value | None = None) -> None:
    """Make the run fail where negating a Python int overflows 64 bits."""
    if c.is_python and c.dtype == INT:
        least = c.b.equal(x, -(2**63))
        check_overflow(c.b, least if where is None else c.b.logical_and(least, where))


@elementwise
def absolute(c: Call, x: Value) -> Value:
    check_negatable(c, x)
    return x if x.dtype == BOOL else c.b.op("Abs", x)


@elementwise
def negative(c: Call, x: Value) -> Value:
    check_negatable(c, x)
    return c.b.op("Neg", x) if x.dtype.kind != "u" else c.b.sub(0, x)


def identity(c: Call, x: Any, *_: Any, **__: Any) -> Value:
    return arrays(c, x)[0]


def imaginary(c: Call, x: Any) -> Value:
    x = array(c, x)
    return c.b.expand(c.b.constant(np.zeros((), c.dtype)), c.b.shape(x), x.ndim)


def minimum_or_maximum(kind: str, *, ignores_nan: bool = False) -> Rule:
    """Return the rule for a binary minimum or maximum that propagates or ignores NaNs."""

    @elementwise
    def rule(c: Call, x: Value, y: Value) -> Value:
        b = c.b
        if x.dtype == BOOL:
            return b.op("Or" if kind == "Max" else "And", x, y)
        result = b.op(kind, x, y)
        if x.dtype.kind != "f":
            return result
        if ignores_nan:
            return b.where(b.is_nan(x), y, b.where(b.is_nan(y), x, result))
        return b.where(b.logical_or(b.is_nan(x), b.is_nan(y)), b.add(x, y), result)

    return rule


def replace_nan(b: Builder, x: Value, kind: str) -> tuple[Value, Value]:
    """Replace NaNs with the infinity that never wins a reduction by `kind`, and return a mask of the NaNs."""
    nan = b.is_nan(x)
    return b.where(nan, -math.inf if kind == "Max" else math.inf, x), nan


@elementwise
def sign(c: Call, x: Value) -> Value:
    result = c.b.op("Sign", x)
    return c.b.where(c.b.is_nan(x), x, result) if x.dtype.kind == "f" else result


def int_array(c: Call, argument: Any) -> Value:
    return c.b.cast(array(c, argument), INT)


FUNCTIONS: dict[Any, Rule] = {
    np.add: add, np.subtract: subtract, np.multiply: multiply, np.true_divide: true_divide,
    np.floor_divide: floor_divide, np.remainder: remainder, np.fmod: fmod, math.fmod: fmod, np.power: power,
    np.float_power: power, np.square: lambda c, x, **k: multiply(c, x, x, **k),
    np.negative: negative, np.positive: identity, np.absolute: absolute, np.fabs: absolute, np.sign: sign,
    np.maximum: minimum_or_maximum("Max"), np.minimum: minimum_or_maximum("Min"),
    np.fmax: minimum_or_maximum("Max", ignores_nan=True),
    np.fmin: minimum_or_maximum("Min", ignores_nan=True),
    np.conjugate: identity, np.real: identity, np.imag: imaginary,
}  # fmt: skip
