"""Arithmetic on the counter of a rolled loop, which Python computes exactly and arrays do not.

In an unrolled loop, Python computes `2 ** i` or `i * 0.1` with integers of any size and floats of 64 bits. A
rolled loop computes them with the integers and floats of arrays. A *bound* is the largest magnitude of an
integer computed from the counter and plain numbers; the bound of a float is infinite. Where the result may
differ by more than rounding, the attempt to roll the loop ends: an integer may overflow, or a rounded float
decides a comparison, becomes an integer, or is used with more precision.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...core.rolling_attempts import refuse_rolling

COMPARISONS = frozenset(("lt", "le", "gt", "ge", "eq", "ne"))
MAX_BITS = 128


def _power(base: int, exponent: int) -> float:
    return max(base, 1) ** exponent if exponent * base.bit_length() <= MAX_BITS else math.inf


_BOUNDS: dict[str, Callable[..., float]] = {
    "add": operator.add,
    "sub": operator.add,
    "mul": operator.mul,
    "floordiv": lambda a, _: a,
    "mod": lambda _, b: b,
    "pow": _power,
    "lshift": lambda a, b: a * _power(2, b),
    "rshift": lambda a, _: a,
    **dict.fromkeys(("neg", "pos", "abs", "same"), lambda a: a),
    **dict.fromkeys(("and", "or", "xor"), lambda a, b: 2 * max(a, b) + 1),
    **dict.fromkeys(("max", "min", "select"), max),
}
"""Bounds of integers, by the names of Python's operators."""


@dataclass(frozen=True)
class NumberKind:
    """The kind of a dtype and its size in bytes."""

    is_float: bool = False
    is_bool: bool = False
    size: int = 1

    @property
    def largest(self) -> int:
        return (1 << (8 * self.size - 1)) - 1


def result_bound(name: str, bounds: Sequence[float | None], kind: NumberKind) -> float | None:
    """Return the bound of an operator's result, or end the attempt if the result may be wrong.

    It is None if the bound of an operand is, which then is no number from the counter and plain numbers.
    """
    if None in bounds:
        return None
    has_float = math.inf in bounds
    if kind.is_bool:
        if has_float:
            refuse_rolling()
        return 1
    if kind.is_float:
        return math.inf
    bound = _BOUNDS.get(name)
    largest = math.inf if bound is None or has_float else bound(*bounds)
    if largest > kind.largest:
        refuse_rolling()
    return largest


def bound_of_plain(value: Any) -> float | None:
    """Return the bound of a plain number, or None for other values."""
    if isinstance(value, (bool, int)):
        return abs(value)
    return math.inf if isinstance(value, (float, complex)) else None


def merged_bound(bounds: Sequence[float | None], values: Sequence[Any]) -> float | None:
    """Return the bound of a selection between values, given those of numbers from the counter."""
    filled = [bound_of_plain(v) if b is None else b for b, v in zip(bounds, values, strict=True)]
    known = [bound for bound in filled if bound is not None]
    return max(known) if len(known) == len(filled) else None


def is_from_counter(bounds: Sequence[float | None], values: Sequence[Any]) -> bool:
    """Return whether all values are plain numbers or numbers from the counter, and some are the latter."""
    own = [bound for bound in bounds if bound is not None]
    return bool(own) and all(
        bound is not None or bound_of_plain(value) is not None
        for bound, value in zip(bounds, values, strict=True)
    )


def check_cast(bound: float | None, kind: NumberKind, target: NumberKind) -> None:
    """End the attempt if a cast adds precision to a float, makes it an integer, or overflows an integer."""
    if bound == math.inf:
        is_exact = target.is_float and target.size <= kind.size
    else:
        is_exact = bound is None or target.is_float or target.is_bool or bound <= target.largest
    if not is_exact:
        refuse_rolling()
