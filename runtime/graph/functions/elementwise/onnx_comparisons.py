"""ONNX rules for comparisons, logical functions and bitwise functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....export.onnx.builder.builder import BOOL, INT, Value
from ....export.onnx.builder.call import Call
from .onnx_arithmetic import (
    Rule,
    array,
    array_function,
    arrays,
    check_int_overflow,
    check_options,
    elementwise,
)


def comparable_operands(c: Call, x: Value, y: Value) -> list[Value]:
    kinds = {x.dtype.kind, y.dtype.kind}
    if kinds <= set("biu") and np.uint64 not in (x.dtype, y.dtype) and kinds != {"b"}:
        return [c.b.cast(x, INT), c.b.cast(y, INT)]
    if np.uint64 in (x.dtype, y.dtype) and "i" in kinds:
        signed = x if x.dtype.kind == "i" else y
        if not signed.weak or signed.constant is None or signed.constant < 0:
            raise c.unsupported("a mix of uint64 and signed integers")
    if "U" in kinds and len(kinds) > 1:
        raise c.unsupported("a mix of strings and numbers")
    return c.b.promote(x, y)


def comparison(kind: str, *, negated: bool = False) -> Rule:
    @array_function
    def rule(c: Call, x: Value, y: Value) -> Value:
        x, y = comparable_operands(c, x, y)
        if x.dtype.kind == "U" and kind != "Equal":
            raise c.unsupported("text")
        result = c.b.binary(kind, x, y)
        return c.b.logical_not(result) if negated else result

    return rule


def bitwise(kind: str) -> Rule:
    logical = {"BitwiseAnd": "And", "BitwiseOr": "Or", "BitwiseXor": "Xor"}[kind]

    @elementwise
    def rule(c: Call, x: Value, y: Value) -> Value:
        return c.b.op(logical if x.dtype == BOOL else kind, x, y)

    return rule


@elementwise
def invert(c: Call, x: Value) -> Value:
    return c.b.op("Not" if x.dtype == BOOL else "BitwiseNot", x)


def logical(kind: str) -> Rule:
    def rule(c: Call, *arguments: Any, **kwargs: Any) -> Value:
        check_options(c, kwargs)
        return c.b.op(kind, *(c.b.cast(v, BOOL) for v in arrays(c, *arguments)))

    return rule


def shift(direction: str) -> Rule:
    """Return the rule for a bit shift.

    ONNX shifts only unsigned integers, so a right shift of a negative number shifts its complement.
    """

    @elementwise
    def rule(c: Call, x: Value, y: Value) -> Value:
        b = c.b
        width = x.dtype.itemsize * 8
        if c.is_python and y.constant is None:
            b.check(b.less(y, 0), "ValueError: negative shift count")
        bits = np.dtype(f"u{x.dtype.itemsize}")
        is_signed = x.dtype.kind == "i"
        negative = b.less(x, 0) if is_signed and direction == "RIGHT" else None
        source = x if negative is None else b.where(negative, b.op("BitwiseNot", x), x)
        if direction == "LEFT":
            power = b.op("Pow", b.constant(2.0, np.float64), b.cast(y, np.float64))
            check_int_overflow(c, "Mul", x, power)
        far = b.op("GreaterOrEqual", y, b.constant_like(width, y), dtype=BOOL)
        by = b.cast(b.where(far, 0, y), bits)
        result = b.cast(b.op("BitShift", b.cast(source, bits), by, direction=direction), x.dtype)
        result = b.where(far, 0, result)
        return result if negative is None else b.where(negative, b.op("BitwiseNot", result), result)

    return rule


def isclose(c: Call, a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Value:
    g = c.b
    x, y = (g.cast(v, np.float64) if v.dtype.kind != "f" else v for v in arrays(c, a, b))
    x, y = g.promote(x, y)
    bound = g.add(g.cast(g.value(atol), y.dtype), g.mul(g.cast(g.value(rtol), y.dtype), g.op("Abs", y)))
    near = g.op("LessOrEqual", g.op("Abs", g.sub(x, y)), bound, dtype=BOOL)
    finite = g.logical_not(g.is_inf(y))
    result = g.logical_or(g.logical_and(near, finite), g.equal(x, y))
    return g.logical_or(result, g.logical_and(g.is_nan(x), g.is_nan(y))) if equal_nan else result


def math_isclose(c: Call, a: Any, b: Any, *, rel_tol: Any = 1e-09, abs_tol: Any = 0.0) -> Value:
    g = c.b
    x, y = (g.cast(v, np.float64) for v in arrays(c, a, b))
    size = g.op("Max", g.op("Abs", x), g.op("Abs", y))
    bound = g.op(
        "Max", g.mul(g.cast(g.value(rel_tol), np.float64), size), g.cast(g.value(abs_tol), np.float64)
    )
    near = g.op("LessOrEqual", g.op("Abs", g.sub(x, y)), bound, dtype=BOOL)
    return g.logical_or(g.equal(x, y), g.logical_and(near, g.logical_not(g.is_inf(size))))


def allclose(c: Call, *args: Any, **kwargs: Any) -> Value:
    return c.b.all(isclose(c, *args, **kwargs))


def array_equal(c: Call, a1: Any, a2: Any, equal_nan: bool = False) -> Value:
    """Return whether two arrays have the same shape and elements."""
    b = c.b
    x, y = b.promote(*arrays(c, a1, a2))
    if x.ndim != y.ndim:
        return b.constant(False, BOOL)
    identity = b.all(b.equal(b.shape(x), b.shape(y)))
    if x.ndim:  # compare the common part, even if the shapes differ
        short, axes = b.op("Min", b.shape(x), b.shape(y)), b.ints(*range(x.ndim))
        x, y = (b.slice(v, b.ints(*[0] * x.ndim), short, axes) for v in (x, y))
    equal = b.equal(x, y)
    if equal_nan and x.dtype.kind == "f":
        equal = b.logical_or(equal, b.logical_and(b.is_nan(x), b.is_nan(y)))
    return b.logical_and(identity, b.all(equal))


def nan_to_num(
    c: Call, x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Value:
    b, x = c.b, array(c, x)
    if x.dtype.kind != "f":
        return x
    limits = np.finfo(x.dtype)
    result = x
    for kind, argument, default in (("positive", posinf, limits.max), ("negative", neginf, limits.min)):
        test = b.is_inf(x, detect_positive=int(kind == "positive"),
                    detect_negative=int(kind == "negative"))  # fmt: skip
        value = b.cast(b.value(default if argument is None else argument), x.dtype)
        result = b.where(test, value, result)
    return b.where(b.is_nan(x), b.cast(b.value(nan), x.dtype), result)


FUNCTIONS: dict[Any, Rule] = {
    np.less: comparison("Less"), np.less_equal: comparison("LessOrEqual"), np.greater: comparison("Greater"),
    np.greater_equal: comparison("GreaterOrEqual"), np.equal: comparison("Equal"),
    np.not_equal: comparison("Equal", negated=True),
    np.bitwise_and: bitwise("BitwiseAnd"), np.bitwise_or: bitwise("BitwiseOr"),
    np.bitwise_xor: bitwise("BitwiseXor"), np.invert: invert,
    np.left_shift: shift("LEFT"), np.right_shift: shift("RIGHT"),
    np.logical_and: logical("And"), np.logical_or: logical("Or"), np.logical_xor: logical("Xor"),
    np.logical_not: logical("Not"), np.isclose: isclose, np.allclose: allclose, math.isclose: math_isclose,
    np.array_equal: array_equal, np.nan_to_num: nan_to_num,
}  # fmt: skip
