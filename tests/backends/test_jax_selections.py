"""Conditions that JAX computes as selections, where computing both branches is faster than a `cond`."""

from __future__ import annotations

import pytest
from support import required

import autograph_rs as ag

jax = required("jax")
jnp = jax.numpy


def until_large(xs, rounds, function):
    count = 0
    while count < rounds and not function(xs):
        xs = xs * 2
        count += 1
    return xs, count


def has_conditions(size, function):
    staged = ag.convert(lambda xs, rounds: until_large(xs, rounds, function))
    return " cond[" in str(jax.make_jaxpr(staged)(jnp.ones(size), 9))


TESTS = [
    lambda xs: jnp.all(xs > 5),
    lambda xs: jnp.any(xs > 5),
    lambda xs: jnp.max(jnp.abs(xs)) > 5,
    lambda xs: jnp.sum(xs) - jnp.min(xs) > 5,
]


@pytest.mark.parametrize("function", TESTS)
def test_a_loop_tests_small_arrays_without_a_condition(function):
    """A larger array is tested only if the first operand of `and` is true."""
    assert not has_conditions(4, function)
    assert has_conditions(5000, function)


@pytest.mark.parametrize("function", TESTS)
@pytest.mark.parametrize(("rounds", "start"), [(9, 0.3), (2, 0.3), (0, 0.3), (9, 30.0)])
def test_results(function, rounds, start):
    xs = jnp.array([start, start / 2])
    staged = jax.jit(ag.convert(lambda xs, rounds: until_large(xs, rounds, function)))
    found, expected = staged(xs, rounds), until_large(xs, rounds, function)
    assert (found[0].tolist(), int(found[1])) == (expected[0].tolist(), expected[1])


def test_what_may_raise_stays_under_its_condition():
    def checked(xs):
        assert xs[0] > 0
        return jnp.all(xs > 5)

    xs = jnp.array([-1.0, 9.0])
    assert int(jax.jit(ag.convert(lambda xs: until_large(xs, 0, checked)))(xs)[1]) == 0
