"""A third-party package that `shapes` calls."""

import warnings


def clamp(x, low, high):
    if x < low:
        return low + x * 0
    if x > high:
        return high + x * 0
    return x


def constant(n):
    """Count to `n`, which no staged value reaches."""
    total = 0
    while total < n:
        total += 1
    return total


class Limits:
    def __init__(self, low, high):
        self.low, self.high = low, high

    def apply(self, x):
        return x if self.low < x else x * 0 + self.low


def excluded(x):
    if x > 0:
        return x
    return -x


def total(values):
    """Add the positive items of an iterable."""
    result = 0
    for value in values:
        if value > 0:
            result = result + value
    return result


def warns(x):
    warnings.warn("clamps.warns is deprecated", DeprecationWarning, stacklevel=2)
    return x if x > 0 else -x


STATE = {}


def stored():
    return 1 if STATE["x"] > 0 else 2
