"""Comparisons of tuples and lists, of which parts are staged, beside those of Python."""

from __future__ import annotations

import enum
from collections import OrderedDict, deque
from types import SimpleNamespace

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


def outcome(a, b):
    return "same" if a == b else "other"


def outcome_of_attributes(a, b):
    both = SimpleNamespace(a=a, b=b)
    return "same" if both.a == both.b else "other"


def pair(x):
    return {"x": x, "y": [x, 1]}


@pytest.mark.parametrize("x", [1.0, 2.0])
@pytest.mark.parametrize("outcome", [outcome, outcome_of_attributes])
@pytest.mark.parametrize("name", ["tuples", "lists", "dicts", "deques", "ordered_dicts", "other_keys"])
def test_containers_from_elsewhere(outcome, name, x):
    """Conversion does not see that the operands are containers: if they are attributes, Python compares."""
    make = {
        "tuples": lambda x: (x, 2), "lists": lambda x: [x, x, (x, 2)], "dicts": pair,
        "deques": lambda x: deque([x, 2]), "ordered_dicts": lambda x: OrderedDict(pair(x)),
        "other_keys": lambda x: {"x": 1.0, "y" if type(x) is float else "z": x},
    }[name]  # fmt: skip
    first, second = make(np.float64(x)), make(1.0)
    assert ag.function(outcome)(first, second) == outcome(first, second)


def test_order_of_keys():
    def f(plain, ordered, turned):
        return plain == turned, ordered == turned, ordered == plain, ordered != turned

    items = [("x", np.float64(1.0)), ("y", np.float64(2.0))]
    dicts = dict(items), OrderedDict(items), OrderedDict(items[::-1])
    assert ag.function(f)(*dicts) == f(*dicts) == (True, False, True, True)


def test_arrays_made_lists():
    def f(a, b):
        a, b = a.tolist(), b.tolist()
        if a == b:
            return -1.0
        return sum(a) / sum(b)

    staged = ag.function(f)
    for other in ([1, 2], [1, 3], [1, 2, 3]):
        assert staged(np.array([1, 2]), np.array(other)) == f(np.array([1, 2]), np.array(other))


def test_containers_from_elsewhere_in_a_try():
    """Nothing can be captured once for each outcome there, and the remedy says what helps."""

    def names(xs, a, b):
        try:
            x = xs[a[0]]
            return x if a == b else -x
        except IndexError:
            return 0.0

    assert ag.function(names)(np.array([1.0, 2.0]), (np.int64(1), 2), (1, 2)) == 2.0

    def f(xs, a, b):
        both = SimpleNamespace(a=a, b=b)
        try:
            x = xs[a[0]]
            return x if both.a == both.b else -x
        except IndexError:
            return 0.0

    with pytest.raises(ag.ValueNeededError, match=r"compare tuple\(a\) == tuple\(b\)"):
        ag.function(f)(np.array([1.0, 2.0]), (np.int64(1), 2), (1, 2))

    def made(xs, a, b):
        try:
            x = xs[a[0]]
            return x if tuple(a) == tuple(b) else -x
        except IndexError:
            return 0.0

    assert ag.function(made)(np.array([1.0, 2.0]), (np.int64(1), 2), (1, 2)) == 2.0


@pytest.mark.slow
def test_a_comparison_of_many_items():
    """The code that follows is captured at most 64 times."""
    xs = list(np.arange(100.0))
    with pytest.raises(ag.ValueNeededError, match="decides a branch that was not converted"):
        ag.function(outcome_of_attributes)({"xs": xs}, {"xs": [*range(100)]})
    assert ag.function(outcome)({"xs": xs}, {"xs": [*range(100)]}) == "same"


def test_comparisons_of_long_lists():
    plain = [*range(5000)]

    def f(x):
        mixed, other = [*plain, (x,)], [*plain, (2.0,)]
        first, second = [*plain, 1], [*plain, 1]
        return first == second, mixed == other, mixed < other

    for x in (1.0, 2.0):
        assert ag.function(f)(np.float64(x)) == f(x)


class Heading(enum.IntEnum):
    LEFT = -1
    STRAIGHT = 0
    RIGHT = 1


class Colour(enum.Enum):
    RED = 1
    GREEN = 2


def turned(x):
    heading = Heading(int(np.sign(x)))
    return "back" if heading is Heading.LEFT else heading.name.lower(), heading + 1


def colour(n):
    try:
        return Colour(int(n)).name
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("x", [-2.5, 0.0, 3.0])
def test_members_of_enumerations_by_value(x):
    assert ag.function(turned)(np.float64(x)) == turned(x)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_values_without_a_member(n):
    assert ag.function(colour)(np.int64(n)) == colour(n)


@pytest.mark.parametrize("engine", ["numpy", "auto"])
def test_results_are_bools(engine):
    def f(x):
        return [x, 1] == [1.0, 1], [x] != [2.0], {"a": x} == {"a": 2.0}

    for x in (1.0, 2.0):
        assert repr(ag.function(f, engine=engine)(np.float64(x))) == repr(f(np.float64(x)))
