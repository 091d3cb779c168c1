"""Functions of a module that are given to others, which call them."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest

import autograph_rs as ag


def size(x):
    if x > 0:
        return x * 2
    return -x


def larger(a, b):
    if a > b:
        return a
    return b


class Scale:
    def __init__(self, factor):
        self.factor = factor

    def of(self, x):
        if x > 0:
            return x * self.factor
        return x


CALLS = {
    "map": lambda a, b: list(map(size, [a, b])),
    "map over an array": lambda a, b: sum(map(size, np.stack([a, b]))),
    "map of two": lambda a, b: list(map(larger, [a, b], [b, a])),
    "reduce": lambda a, b: functools.reduce(larger, [a, b, a]),
    "accumulate": lambda a, b: list(itertools.accumulate([a, b], larger)),
    "starmap": lambda a, b: list(itertools.starmap(larger, [(a, b), (b, a)])),
    "partial": lambda a, b: functools.partial(larger, a)(b),
    "map of a partial": lambda a, b: list(map(functools.partial(larger, a), [a, b])),
    "map of a method": lambda a, b: list(map(Scale(3).of, [a, b])),
    "a lambda": lambda a, b: functools.reduce(lambda x, y: larger(x, y) + size(y), [a, b, a]),
}


@pytest.mark.parametrize("call", CALLS)
def test_they_are_converted(call: str):
    for a, b in ((1.0, -2.0), (-1.0, 2.0)):
        arguments = np.float64(a), np.float64(b)
        assert ag.function(CALLS[call])(*arguments) == CALLS[call](*arguments)


def test_functions_that_are_only_kept_stay_the_same():
    kept = []

    @ag.function
    def f(x):
        kept.append(size)
        return x

    f(np.float64(1))
    assert kept == [size]
