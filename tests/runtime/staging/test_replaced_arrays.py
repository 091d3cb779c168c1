"""A staged loop writes to a plain array and replaces it; what else refers to the array sees some writes.

No graph can follow that, so such a write is refused. Where nothing else refers to the array, it is staged.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import autograph_rs as ag

XS = np.array([3.0, -1.0, 4.0])
TABLE = np.zeros(2)


def another_name(xs):
    v = w = np.zeros(2)
    for x in xs:
        v[0] += x
        v = v / 3
    return v, w


def another_name_and_a_condition(xs):
    v = w = np.zeros(2)
    for x in xs:
        if x > 3:
            v = v / 3
        v[0] += x
    return v, w


def a_list(xs):
    v = np.zeros(2)
    kept = [v]
    while v[0] < xs[0]:
        v[0] += 1
        v = v * 2
    return v, kept


def a_view(xs):
    v = np.zeros(4)
    w = v[:1]
    for x in xs:
        v[0] += x
        v = v / 3
    return v, w


def an_attribute(xs):
    model = SimpleNamespace(v=np.zeros(2))
    kept = model.v
    for x in xs:
        model.v[0] += x
        model.v = model.v / 3
    return model.v, kept


def the_caller(xs):
    def summed(v):
        for x in xs:
            v[0] += x
            v = v / 3
        return v

    v = np.zeros(2)
    return summed(v), v


def a_global(xs):
    v = TABLE
    for x in xs:
        v[0] += x
        v = v * 1
    return v


@pytest.mark.parametrize(
    "f",
    [another_name, another_name_and_a_condition, a_list, a_view, an_attribute, the_caller, a_global],
    ids=lambda f: f.__name__,
)
def test_what_else_refers_to_it(f):
    with pytest.raises(
        ag.AliasError, match=r"refers to the array too|another name for an array created before"
    ):
        ag.function(f)(XS)
    assert not TABLE.any()


def nothing_else(xs):
    v = np.zeros(6).reshape(2, 3)
    for x in xs:
        v[0, 1] += x
        v = v / 3
    return v


def an_attribute_alone(xs):
    model = SimpleNamespace(v=np.zeros(2))
    for x in xs:
        model.v[0] += x
        model.v = model.v / 3
    return model.v


def replaced_first(xs):
    v = TABLE
    for x in xs:
        v = v + x
        v[0] = 1
    return v


@pytest.mark.parametrize("f", [nothing_else, an_attribute_alone, replaced_first], ids=lambda f: f.__name__)
def test_staged_where_nothing_else_does(f):
    np.testing.assert_array_equal(ag.function(f)(XS), f(XS))
    assert not TABLE.any()
