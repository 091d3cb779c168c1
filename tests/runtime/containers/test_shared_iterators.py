"""Iterators that several places refer to: each takes what the others leave, or the loop is refused."""

# ruff: noqa: B905, PYI024, UP028 - as people write it

import functools
import operator
from collections import deque, namedtuple
from functools import reduce
from itertools import islice, takewhile

import numpy as np
import pytest

import autograph_rs as ag

XS = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
Held = namedtuple("Held", "items n")


def doubled(xs):
    for v in xs:
        yield v * 2


def two_of(items):
    for v in islice(items, 2):
        yield v


def small_of(items):
    for v in takewhile(lambda v: v < 5, items):
        yield v


def zipped_of(items):
    for v, _ in zip(items, [1, 2]):
        yield v


def until_large(items):
    for v in items:
        if v > 5:
            return
        yield v


def after(take):
    def f(xs):
        items = doubled(xs)
        return sum(take(items)), sum(items)

    return f


def after_any(xs):
    items = iter(xs)
    return any(v > 2 for v in items), sum(items)


def after_all(xs):
    items = doubled(xs)
    return all(v < 5 for v in items), next(items, -1)


def kept(keep, use):
    def f(xs):
        items = doubled(xs)
        held, total = keep(items), 0.0
        for v in items:
            if v > 4:
                break
            total += v
        return total, use(held)

    return f


def failed_unpacking(xs):
    items = iter(xs)
    try:
        a, b = items
    except ValueError:
        a = b = 0.0
    return a, b, sum(items)


EITHER = {
    **{take.__name__: after(take) for take in (two_of, small_of, zipped_of, until_large)},
    "any": after_any,
    "all": after_all,
    "tuple": kept(lambda g: (g, 1), lambda held: sum(held[0])),
    "namedtuple": kept(lambda g: Held(g, 1), lambda held: sum(held.items)),
    "deque": kept(lambda g: deque([g]), lambda held: sum(held[0])),
    "partial": kept(lambda g: functools.partial(sum, g), lambda held: held()),
    "method": kept(lambda g: g.__next__, lambda held: held()),
    "default": kept(lambda g: lambda h=g: sum(h), lambda held: held()),
    "failed_unpacking": failed_unpacking,
}


@pytest.mark.parametrize("name", EITHER)
def test_right_or_refused(name):
    f = EITHER[name]
    try:
        actual = ag.function(f)(XS)
    except ag.AutographError:
        return
    assert actual == f(XS)


def extended(xs):
    out = list(xs)
    out += map(abs, xs)
    out[1:2] = map(abs, xs)
    out.extend(map(abs, xs))
    return out


def inspected(xs):
    items, others = iter([xs[0], xs[1]]), map(abs, xs)
    return isinstance(items, list), type(others) is list, hasattr(others, "append"), next(items), next(others)


def reduced(xs):
    return (
        reduce(lambda a, b: a * 10 + b, reversed(xs)),
        reduce(lambda a, b: (a[0] + b[0], a[1] * b[1]), zip(xs, xs)),
        reduce(operator.add, {1.0: xs[0], 2.0: xs[1]}),
        reduce(operator.add, [xs[0], *xs]),
    )


@pytest.mark.parametrize("f", [extended, inspected, reduced], ids=lambda f: f.__name__)
def test_equal_to_python(f):
    assert ag.function(f)(XS) == f(XS)


class Proxy:
    """An object with all attributes."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: (9, 9)

    def __iter__(self):
        return iter((1, 2))

    def __contains__(self, item):
        return item == 1


def test_attributes_of_users_objects_are_not_asked():
    def f(x):
        a, b = Proxy()
        return x + a + b, 1 in Proxy()

    assert ag.function(f)(np.float64(1.0)) == f(np.float64(1.0))
