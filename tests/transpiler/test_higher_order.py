"""Functions of a module that are given to others, which call them."""

from __future__ import annotations

import functools
import itertools
import types

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


# In a transpiler of one's own, where any value may be a staged one ------------------------------


def own_larger(a, b):
    return "larger", a, b


@pytest.mark.parametrize(
    ("f", "result"),
    [
        (lambda: list(map(max, [1, 2], [3, 0])), [("larger", 1, 3), ("larger", 2, 0)]),
        (lambda: functools.reduce(max, [1, 2]), ("larger", 1, 2)),
        (lambda: list(itertools.accumulate([1, 2], max)), [1, ("larger", 1, 2)]),
        (lambda: sorted([1, 2], key=float), [2, 1]),
        (lambda: list(map(float, [1, 2])), [-1, -2]),
        (lambda: [f.__name__ for f in (max, min)], ["max", "min"]),
        (lambda: max is max, True),
    ],
)
def test_replaced_builtins_are_replaced_there_too(f, result):
    mine = ag.Transpiler(builtins={max: own_larger, float: lambda x: -x})
    assert mine.to_graph(f)() == result


def test_functions_are_converted_for_own_operators():
    asked = []

    def if_stmt(cond, body, orelse, *rest):
        asked.append(cond)
        (body if cond else orelse)()

    mine = ag.Transpiler(operators=types.SimpleNamespace(if_stmt=if_stmt))

    def f():
        scaled = list(map(Scale(2).of, [3]))
        with ag.do_not_convert():
            plain = list(map(size, [-1]))
        return functools.reduce(larger, map(size, [1, -2])), scaled, plain

    assert mine.to_graph(f)() == f() == (2, [6], [1])
    assert asked == [True, True, False, False]
