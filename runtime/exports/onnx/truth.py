"""Whether a value is true, as `if` and `bool` ask."""

from __future__ import annotations

from typing import Any

import numpy as np

from .builder import BOOL, INT, Builder, Value
from .values import Columns, Empty, Items, Iterable


def length(b: Builder, value: Any) -> Value:
    """The length of an array, list or iterable."""
    if isinstance(value, Iterable):
        return value.length
    if isinstance(value, Empty):
        return b.constant(0, INT)
    if isinstance(value, Columns):
        return length(b, value.parts[0])
    if isinstance(value, Items):
        return b.dim(value.tensor, 0)
    if value.is_sequence:
        return b.node("SequenceLength", [value], INT, 0)
    return b.dim(value, 0)


def nonzero(b: Builder, value: Value) -> Value:
    """Item by item whether it is true."""
    if value.dtype.kind == "U":
        return b.negated(b.equal(value, b.constant(np.array("", "U"))))
    return b.cast(value, BOOL)


def truth(b: Builder, value: Any) -> Value:
    """Whether a value is true; an array of several items has no truth value."""
    if not isinstance(value, Value) or value.is_sequence:
        return b.op("Greater", length(b, value), b.constant(0, INT), dtype=BOOL)
    return b.scalar(nonzero(b, value))
