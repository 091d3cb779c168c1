"""A branch that gives one array two names: later writes would have to be seen by both."""

from __future__ import annotations

import collections
import types

import numpy as np
import pytest

import autograph_rs as ag

X = np.array([1.0, 2.0])


def assigned_together(x, n):
    if n == 7:
        a = b = 1 * x
    else:
        a = b = 2 * x
    a[0] = n
    return a, b


def plain_and_together(x, n):
    if n == 7:
        a = b = np.zeros(2)
    else:
        a = b = np.ones(2)
    a[0] = x[0]
    return a, b


def replaced_or_named(x, n):
    a, b = 1 * x, 2 * x
    if n == 7:
        a = a + 1
    else:
        b = a
    a[0] = n
    return a, b


def replaced_or_viewed(x, n):
    a = 1 * x
    if n == 7:
        a, part = a + 1, a * 2
    else:
        part = a[:1]
    a[0] = n
    return a, part


def replaced_or_stored(x, n):
    a = 1 * x
    held = {"key": 2 * x}
    if n == 7:
        a = a + 1
    else:
        held["key"] = a
    a[0] = n
    return a, held["key"]


def replaced_or_an_attribute(x, n):
    a = 1 * x
    buffer = types.SimpleNamespace(array=2 * x)
    if n == 7:
        a = a + 1
    else:
        buffer.array = a
    a[0] = n
    return a, buffer.array


def deques_together(x, n):
    if n == 7:
        a = b = collections.deque([x[0]])
    else:
        a = b = collections.deque([x[1]])
    a.append(x[0])
    return list(a), list(b)


TOGETHER = [
    assigned_together,
    plain_and_together,
    replaced_or_named,
    replaced_or_viewed,
    replaced_or_stored,
    replaced_or_an_attribute,
    deques_together,
]


@pytest.mark.parametrize("f", TOGETHER, ids=lambda f: f.__name__)
def test_an_array_to_which_a_branch_gives_two_names_cannot_be_written_to(f):
    with pytest.raises(ag.AliasError, match="the 'if' may leave another name for the same array"):
        ag.function(f)(X.copy(), np.int64(5))


@pytest.mark.parametrize("n", [5, 7])
def test_an_array_to_which_a_branch_gives_two_names_can_be_read(n):
    def f(x, n):
        if n == 7:
            a = b = 1 * x
        else:
            a, b = x, x[:1]
        return a.sum() + b.sum()

    assert ag.function(f)(X.copy(), np.int64(n)) == f(X.copy(), n)


@pytest.mark.parametrize("n", [5, 7])
def test_an_attribute_to_which_both_branches_give_an_array_can_be_written_to(n):
    class Buffer:
        def fill(self, x, n):
            if n == 7:
                self.array = 1 * x
            else:
                self.array = np.zeros(2)
            self.array[0] = n

    def f(x, n):
        buffer = Buffer()
        buffer.fill(x, n)
        return buffer.array

    assert np.array_equal(ag.function(f)(X.copy(), np.int64(n)), f(X.copy(), n))
