"""`set_loop_options`: what it may be given, and where it may stand."""

from __future__ import annotations

import numpy as np
import pytest
from backends.support import required

import autograph_rs as ag


@pytest.mark.parametrize("limit", [-1, "3", 2.5, True, np.float64(3), np.ones(2), [3]])
def test_a_limit_is_a_count(limit):
    def f(n):
        i = 0
        while i < n:
            ag.set_loop_options(maximum_iterations=limit)
            i += 1
        return i

    with pytest.raises(ag.OptionError, match="maximum_iterations must be an int"):
        ag.function(f)(np.int64(5))
    assert ag.to_graph(f)(5) == ag.convert(f)(5) == 5


@pytest.mark.parametrize(("limit", "left"), [(None, 5), (0, 0), (3, 3), (np.int64(3), 3), (np.array(3), 3)])
def test_limits(limit, left):
    @ag.function
    def f(n):
        i = 0
        for _ in range(n):
            ag.set_loop_options(maximum_iterations=limit)
            i += 1
        return i

    assert f(np.int64(5)) == left


@pytest.mark.parametrize(
    ("name", "value"),
    [("bogus", 1), ("parallel_iterations", 0), ("swap_memory", "no"), ("shape_invariants", 3)],
)
def test_other_options(name, value):
    @ag.function
    def f(n):
        while n > 0:
            ag.set_loop_options(**{"maximum_iterations": 3, name: value})
            n -= 1
        return n

    @ag.function
    def g(n):
        while n > 0:
            ag.set_loop_options(parallel_iterations=2, swap_memory=False, shape_invariants=[(n, None)])
            n -= 1
        return n

    assert g(np.int64(3)) == 0
    with pytest.raises(ag.OptionError, match=name):
        f(np.int64(3))


def test_behind_a_jump():
    @ag.function
    def f(n):
        i = 0
        while i < n:
            if i == 7:
                break
            ag.set_loop_options(maximum_iterations=3)
            i += 1
        return i

    assert f(np.int64(9)) == 3


def test_in_the_body_of_no_loop():
    def f(n):
        for i in range(3):
            if i < 3:
                ag.set_loop_options(maximum_iterations=1)
            n += 1
        return n

    def g(n):
        def numbers():
            for i in range(3):
                ag.set_loop_options(maximum_iterations=1)  # the loop stays, as it yields
                yield i

        return n + sum(numbers())

    @ag.do_not_convert
    def left(n):
        ag.set_loop_options(maximum_iterations=1)
        return n

    with pytest.raises(ag.OptionError, match="outside the body of a loop"):
        ag.function(f)(np.int64(1))
    assert ag.to_graph(f)(1) == 4
    assert ag.function(g)(np.int64(1)) == 4
    assert ag.function(lambda n: left(n) + 0)(np.int64(1)) == 1


def test_options_of_jax():
    jax = required("jax")

    def f(x):
        while x < 30:
            ag.set_loop_options(maximum_iteration=3)
            x = x + 1
        return x

    with pytest.raises(ag.OptionError, match="'maximum_iteration'"):
        jax.jit(ag.convert(f))(1.0)
