"""What functions change that a loop or a comprehension calls: it changes as often as in Python."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import autograph_rs as ag

XS = np.array([1.0, 2.0, 0.0, -1.0, 3.0])


class Counter:
    def __init__(self):
        self.count, self.seen = 0, []

    def is_small(self, x):
        self.count += 1
        self.seen.append(x)
        return x < 2


def broken_loop(xs, counter):
    for x in [xs[0], xs[1], xs[2]]:
        if not counter.is_small(x):
            break


def list_comprehension(xs, counter):
    return [x for x in xs if counter.is_small(x)]


def two_conditions(xs, counter):
    return [x for x in xs if counter.is_small(x) and counter.is_small(x + 1)]


def over_plain_values(xs, counter):
    return [x for x in [xs[0], xs[1], xs[2]] if counter.is_small(x)]


def dict_comprehension(xs, counter):
    return {i: counter.is_small(xs[i]) for i in range(3) if counter.is_small(xs[i])}


def summed(xs, counter):
    return sum(x for x in xs if counter.is_small(x))


def first(xs, counter):
    return next((x for x in [xs[0], xs[1], xs[2]] if not counter.is_small(x)), None)


def decided(xs, counter):
    return any(counter.is_small(x - 1) for x in xs if not counter.is_small(x))


def reduced(xs, counter):
    return functools.reduce(lambda total, x: total + x if counter.is_small(x) else total, xs)


USES = [
    broken_loop, list_comprehension, two_conditions, over_plain_values, dict_comprehension, summed, first,
    decided, reduced,
]  # fmt: skip


@pytest.mark.parametrize("use", USES)
def test_effects_happen_as_often_as_in_python(use):
    def f(xs):
        counter = Counter()
        result = use(xs, counter)
        return result, counter.count, counter.seen

    for xs in (XS, -XS):
        assert ag.function(f)(xs) == f(xs)


def test_writes_to_an_array_happen_once():
    def f(xs):
        total = np.zeros(1)

        def is_small(x):
            total[0] += x
            return x < 2

        return [x for x in xs if is_small(x)], sum(x for x in xs if is_small(x)), total

    assert ag.function(f)(XS) == f(XS)


def printing(x):
    print(x)
    return x < 2


def drawing(x):
    return np.random.random() < x  # noqa: NPY002 - the global generator


@pytest.mark.parametrize("condition", [printing, drawing])
@pytest.mark.parametrize("use", [list, sum])
def test_effects_that_would_be_repeated_are_refused(condition, use):
    def f(xs):
        return [x for x in xs if condition(x)] if use is list else sum(x for x in xs if condition(x))

    with pytest.raises(ag.UnsupportedFunctionError, match="a condition in a comprehension prints, draws"):
        ag.function(f)(XS)


def test_all_of_a_map_is_refused_if_the_function_has_an_effect():
    def f(xs):
        counter = Counter()
        return all(map(counter.is_small, [xs[0], xs[1], xs[2]])), counter.count

    def pure(xs):
        return all(map(np.isfinite, [xs[0], xs[1], xs[2]]))

    with pytest.raises(ag.UnsupportedFunctionError, match="consumes a map object"):
        ag.function(f)(XS)
    assert ag.function(pure)(XS) == pure(XS)
