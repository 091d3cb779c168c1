"""Recursion that changes what outer functions refer to: what is staged, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_rs as ag

N = np.int64(5)


class Tree:
    def __init__(self):
        self.last, self.sizes, self.total = np.zeros(2), [0, 0], 0.0


def test_an_array_that_an_attribute_gets():
    def fresh(xs, n):
        tree = Tree()

        def go(n, array):
            tree.last = tree.last + array
            if n > 0:
                go(n - 1, array)

        go(n, xs)
        tree.last[0] = 9.0
        return xs, tree.last

    def shared(xs, n):
        tree = Tree()

        def go(n, array):
            tree.last = array
            if n > 0:
                go(n - 1, array)

        go(n, xs)
        return tree.last

    xs = np.array([1.0, 2.0])
    np.testing.assert_array_equal(ag.function(fresh)(xs, N), fresh(xs, 5))
    np.testing.assert_array_equal(ag.function(shared)(xs, N), xs)


def test_an_array_is_not_both_written_to_and_replaced():
    def f(n):
        tree = Tree()
        first = tree.last

        def go(n):
            tree.last[0] += 1
            tree.last = tree.last * 2
            if n > 0:
                go(n - 1)

        go(n)
        return first, tree.last

    with pytest.raises(ag.StagedRecursionError, match=r"writes to an array in Tree\.last, and assigns"):
        ag.function(f)(N)


def test_a_new_list_that_an_attribute_gets():
    def f(n):
        tree = Tree()

        def go(n):
            tree.sizes = [n, 1]
            if n > 0:
                go(n - 1)

        go(n)
        return tree.sizes

    assert ag.function(f)(N) == f(N) == [0, 1]


def test_a_list_with_two_names_is_not_changed():
    def f(xs):
        items = [x for x in xs if x > 1]

        def go(n, first, second):
            if n == 0:
                return len(second)
            first.append(n)
            return go(n - 1, first, second)

        return go(N * xs[0], items, items)

    with pytest.raises(ag.AliasError, match="changes a list that has another name"):
        ag.function(f)(np.arange(3))


def test_a_call_sees_a_value_that_is_restored_after_it():
    def f(n):
        level, highest = 0, 0

        def go(n):
            nonlocal level, highest
            before = level
            level = level + n
            highest = max(highest, level)
            if n > 0:
                go(n - 1)
            level = before

        go(n)
        return level, highest

    assert ag.function(f)(N) == f(5)


def test_an_exception_that_leaves_a_call_skips_the_rest():
    def f(n):
        calls = 0

        def go(n):
            nonlocal calls
            calls += 1
            if n == 1:
                raise KeyError(calls)
            if n < 0:
                return 0
            return go(n - 2) + go(n - 1) + 1

        try:
            return go(n), calls
        except KeyError as error:
            return error.args[0], calls

    assert [ag.function(f)(np.int64(n)) for n in (5, 4, 0)] == [f(5), f(4), f(0)]


def test_a_try_around_a_call_of_the_function_itself_is_refused():
    def f(n):
        left = []

        def go(n):
            if n == 0:
                raise KeyError
            try:
                go(n - 1)
            finally:
                left.append(n)

        try:
            go(n)
        except KeyError:
            return left
        return None

    with pytest.raises(ag.StagedRecursionError, match="it calls itself in a 'try' or 'with'"):
        ag.function(f)(N)


@pytest.mark.slow
def test_a_try_that_catches_what_many_calls_raise_is_refused():
    def f(xs, wanted):
        def search(i, total):
            if total == wanted:
                raise KeyError(i)
            if i == len(xs) or total > wanted:
                return
            search(i + 1, total + xs[i])
            search(i + 1, total)

        try:
            search(0, 0)
        except KeyError as error:
            return error.args[0]
        return None

    with pytest.raises(ag.RaiseInTryError, match="statements may raise"):
        ag.function(f)(np.arange(6), N)
