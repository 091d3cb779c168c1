"""Comparisons of tuples and lists, of which parts are staged, beside those of Python."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_rs as ag


def array_and_tuple(xs, n):
    pair = (1.0, n)
    return xs == pair, pair == xs, xs < pair


def equal_prefix(xs, n):
    return (xs[0], "a") < (1.0, "b"), (xs[0], "b") <= (1.0, "a")


def decided_early(xs, n):
    """The second items have no order, and are not compared."""
    return (0, xs[0]) < (1, None), (n, None) < (n, None)


def not_a_number(xs, n):
    x = xs[0] * np.nan
    return (x, 1) == (x, 1), (xs[0] * np.nan, 1) == (x, 1), (x, 1) <= (x, 1), (x,) < (xs[0],)


def nested(xs, n):
    return ((xs[0], [n]), 2) == ((1.0, [5]), 2), [(n, xs[1])] > [(5, 2.0)], [xs[0]] > [], (n,) == ()


@pytest.mark.parametrize(
    "f", [array_and_tuple, equal_prefix, decided_early, not_a_number, nested], ids=lambda f: f.__name__
)
@pytest.mark.parametrize("n", [5, 6])
def test_comparisons_are_those_of_python(f, n):
    xs = np.array([1.0, 2.0])
    for staged, plain in zip(ag.function(f)(xs, np.int64(n)), f(xs, np.int64(n)), strict=True):
        assert np.array_equal(staged, plain)


def test_arrays_in_tuples_have_no_truth():
    def f(xs):
        return (xs, 1) == (xs + 1, 1)

    for call in (f, ag.function(f)):
        with pytest.raises(ValueError, match="truth value of an array"):
            call(np.array([1.0, 2.0]))


def test_unlike_items_have_no_order():
    def f(x):
        return (x, 1) < (1.0, "a")

    for call in (f, ag.function(f)):
        with pytest.raises(TypeError, match="not supported between instances of 'int' and 'str'"):
            call(np.float64(1.0))


def test_tuples_from_elsewhere():
    """Conversion does not see that the operands are tuples, and the remedy says how it would."""

    def f(a, b):
        return 1 if a == b else 2

    with pytest.raises(ag.ValueNeededError, match=r"compare tuple\(a\) == tuple\(b\)"):
        ag.function(f)((np.float64(1.0), 2), (1.0, 2))

    def made(a, b):
        return 1 if tuple(a) == tuple(b) else 2

    assert ag.function(made)((np.float64(1.0), 2), (1.0, 2)) == 1
