"""Sorted lists searched between bounds and by a key: bounds, errors and unusual orders are Python's."""

from __future__ import annotations

import bisect
import math

import numpy as np
import pytest

import autograph_rs as ag

XS = np.array([0.0, 1.0, 1.0, 2.0, 5.0])


def in_an_array(xs, x, low, high):
    return bisect.bisect(xs, x, low, high), bisect.bisect_left(xs, x, hi=high)


def in_a_list_of_known_length(xs, x, low, high):
    return bisect.bisect_right(xs.tolist(), x, low, high), bisect.bisect_left(tuple(xs.tolist()), x, lo=low)


def in_a_list_of_staged_length(xs, x, low, high):
    found = [v for v in xs if v >= 0]
    return bisect.bisect(found, x, low, high), bisect.bisect_left(found, x, low, high)


def by_a_key(xs, x, low, high):
    found = [-v for v in xs if v >= 0]
    return bisect.bisect(found, x, low, key=lambda v: -v), bisect.bisect_left(xs, x * x, key=lambda v: v * v)


def of_pairs(xs, x, low, high):
    return bisect.bisect([(v, i) for i, v in enumerate(xs)], (x, 1), low, high)


def inserted(xs, x, low, high):
    found, plain = [v for v in xs if v >= 0], [xs[0], xs[1], xs[2]]
    bisect.insort(found, x, low, high)
    bisect.insort_left(found, x, key=lambda v: v)
    bisect.insort(plain, x, low, min(high, 3))
    return found, plain


def caught(xs, x, low, high):
    try:
        return bisect.bisect([v for v in xs if v >= 0], x, low, high)
    except (ValueError, IndexError) as error:
        return str(error)


BOUNDS = [(1.0, 0, 3), (2.5, 1, 5), (9.0, 0, 4), (0.5, 2, 1), (1.0, 0, -1), (1.0, 0, -2), (math.nan, 0, 3)]
OUTSIDE = [(1.0, -1, 3), (9.0, 0, 9)]


@pytest.mark.parametrize(
    "f",
    [
        in_an_array, in_a_list_of_known_length, in_a_list_of_staged_length, by_a_key, of_pairs, inserted,
        caught,
    ],
)  # fmt: skip
def test_bounds_are_those_of_python(f):
    function = ag.function(f)
    for x, low, high in [*BOUNDS, *OUTSIDE]:
        args = (XS, np.float64(x), np.int64(low), np.int64(high))
        expected, actual = outcome(f, args), outcome(function, args)
        np.testing.assert_equal(actual, expected, f"{args}")


@pytest.mark.parametrize("f", [in_an_array, in_a_list_of_known_length, in_a_list_of_staged_length])
def test_an_empty_list(f):
    function = ag.function(f)
    for low, high in ((0, 0), (0, 1), (1, 1)):
        args = (XS[:0], np.float64(1.0), np.int64(low), np.int64(high))
        assert outcome(function, args) == outcome(f, args)


def outcome(f, args):
    try:
        return f(*args)
    except (ValueError, IndexError) as error:
        return type(error), str(error)


def test_a_bound_must_be_an_int():
    @ag.function
    def f(xs, x):
        return bisect.bisect(xs, x, x)

    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        f(XS, np.float64(1.0))


def test_items_of_ranges():
    def f(n, i):
        return range(n)[i], range(2, 20, 3)[i], range(n, 0, -2)[0], range(n)[-1]

    function = ag.function(f)
    for n, i in ((5, 2), (5, -1), (5, -9), (5, 7), (1, 0)):
        args = np.int64(n), np.int64(i)
        assert outcome(function, args) == outcome(f, args)


def test_a_slice_of_a_staged_range_is_refused():
    @ag.function
    def f(n):
        return list(range(n)[1:3])

    with pytest.raises(ag.ValueNeededError, match="indexed by a slice"):
        f(np.int64(5))
