"""Comparisons, truth values and bits, item by item."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..builder import BOOL, INT, Value
from ..call import Call
from .elementwise import Rule, arrays, estimated, operands, options


def _comparable(c: Call, x: Any, y: Any) -> list[Value]:
    x, y = arrays(c, x, y)
    kinds = {x.dtype.kind, y.dtype.kind}
    if kinds <= set("biu") and np.uint64 not in (x.dtype, y.dtype) and kinds != {"b"}:
        return [c.b.cast(x, INT), c.b.cast(y, INT)]
    if np.uint64 in (x.dtype, y.dtype) and "i" in kinds:
        signed = x if x.dtype.kind == "i" else y
        if not signed.weak or signed.constant is None or signed.constant < 0:
            raise c.unsupported("uint64 beside signed integers")
    if "U" in kinds and len(kinds) > 1:
        raise c.unsupported("text beside numbers")
    return c.b.common(x, y)


def compared(kind: str, *, negated: bool = False) -> Rule:
    def rule(c: Call, x: Any, y: Any, **kwargs: Any) -> Value:
        options(c, kwargs)
        x, y = _comparable(c, x, y)
        if x.dtype.kind == "U" and kind != "Equal":
            raise c.unsupported("text")
        made = c.b.binary(kind, x, y)
        return c.b.negated(made) if negated else made

    return rule


# Bits and truth


def bitwise(kind: str) -> Rule:
    logical = {"BitwiseAnd": "And", "BitwiseOr": "Or", "BitwiseXor": "Xor"}[kind]

    def rule(c: Call, x: Any, y: Any, **kwargs: Any) -> Value:
        options(c, kwargs)
        x, y = operands(c, x, y)
        return c.b.op(logical if x.dtype == BOOL else kind, x, y)

    return rule


def invert(c: Call, x: Any, **kwargs: Any) -> Value:
    options(c, kwargs)
    [x] = operands(c, x)
    return c.b.op("Not" if x.dtype == BOOL else "BitwiseNot", x)


def logical(kind: str) -> Rule:
    def rule(c: Call, *given: Any, **kwargs: Any) -> Value:
        options(c, kwargs)
        return c.b.op(kind, *(c.b.cast(v, BOOL) for v in arrays(c, *given)))

    return rule


def shifted(direction: str) -> Rule:
    """A shift of integers, bit by bit, as their unsigned bits; a negative one is shifted to the right as its
    complement.
    """

    def rule(c: Call, x: Any, y: Any, **kwargs: Any) -> Value:
        options(c, kwargs)
        b = c.b
        x, y = operands(c, x, y)
        width = x.dtype.itemsize * 8
        if c.is_python and y.constant is None:
            b.check(b.less(y, 0), "ValueError: negative shift count")
        bits = np.dtype(f"u{x.dtype.itemsize}")
        is_signed = x.dtype.kind == "i"
        negative = b.less(x, 0) if is_signed and direction == "RIGHT" else None
        source = x if negative is None else b.where(negative, b.op("BitwiseNot", x), x)
        if direction == "LEFT":
            estimated(
                c,
                "Mul",
                x,
                b.cast(b.op("Pow", b.constant(2.0, np.float64), b.cast(y, np.float64)), np.float64),
            )
        far = b.op("GreaterOrEqual", y, b.like(width, y), dtype=BOOL)
        by = b.cast(b.where(far, 0, y), bits)
        made = b.cast(b.op("BitShift", b.cast(source, bits), by, direction=direction), x.dtype)
        made = b.where(far, 0, made)
        return made if negative is None else b.where(negative, b.op("BitwiseNot", made), made)

    return rule


FUNCTIONS: dict[Any, Rule] = {
    np.less: compared("Less"), np.less_equal: compared("LessOrEqual"), np.greater: compared("Greater"),
    np.greater_equal: compared("GreaterOrEqual"), np.equal: compared("Equal"),
    np.not_equal: compared("Equal", negated=True),
    np.bitwise_and: bitwise("BitwiseAnd"), np.bitwise_or: bitwise("BitwiseOr"),
    np.bitwise_xor: bitwise("BitwiseXor"), np.invert: invert,
    np.left_shift: shifted("LEFT"), np.right_shift: shifted("RIGHT"),
    np.logical_and: logical("And"), np.logical_or: logical("Or"), np.logical_xor: logical("Xor"),
    np.logical_not: logical("Not"),
}  # fmt: skip
