"""A loop over a plain `range` is not rolled if its body changes plain state that the loop does not carry."""

from __future__ import annotations

import contextvars
import gc
import sys
from unittest import mock

import numpy as np
import pytest
import rolling_effects as cases
from test_loop_rolling import Outcome, traced

import autograph_rs as ag
from autograph_rs.runtime.staging import loop_rolling

pytestmark = pytest.mark.filterwarnings("ignore::autograph_rs.SideEffectWarning")


def run(f, x):
    cases.reset()
    return f(x), cases.effects()


@pytest.mark.parametrize("name", cases.PROGRAMS)
def test_value_and_effects_are_those_of_python(name):
    f = cases.PROGRAMS[name]
    result, effects = run(ag.function(f), np.float64(0))
    plain, expected = run(f, 0.0)
    assert result == plain
    with mock.patch.object(loop_rolling, "MIN_ROLLED", 1 << 60):
        _, unrolled = run(ag.function(f), np.float64(0))
    assert effects == unrolled
    if (
        "staged" not in unrolled
    ):  # what happens under a staged condition may outlive the trace as a staged value
        assert effects == expected


def helper(x, i):
    values = [x * 0.5, i * 0.1]
    values.append(1.0)
    found = {"a": values[0]}
    return pure(found["a"]) + sum(values[1:])


def pure(x):
    return x * 0.5 if x > 1.0 else x + 0.25


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __add__(self, other):
        return Pair(self.a + other.a, self.b + other.b)

    @property
    def size(self):
        return self.a + self.b


def without_effects(x):
    for i in range(20):
        pair = Pair(x, 1.0) + Pair(0.5, x)
        x = helper(x, i) + pair.size * 0.01
        if x > 1e6:
            break
    return x


def test_bodies_without_effects_are_rolled():
    result, outcomes = traced(without_effects, np.float64(2.0))
    assert outcomes == [Outcome.ROLLED]
    np.testing.assert_allclose(result, without_effects(2.0))


def test_code_that_the_scan_does_not_find_is_refused_before_it_runs():
    """The object comes from a registry that only a library reaches."""
    held = contextvars.ContextVar("held")

    def f(x):
        for _ in range(20):
            x = x + held.get()
            if x > 1e6:
                break
        return x

    cases.reset()
    held.set(cases.Counter())
    result, outcomes = traced(f, np.float64(0))
    assert outcomes == [Outcome.REFUSED]
    assert (result, cases.Counter.total) == (20.0, 20)


def test_no_garbage_is_collected_in_an_attempt():
    """A finalizer of an object that the loop has nothing to do with would end the attempt."""
    collected: list[str] = []

    def abandoned():
        try:
            yield
        finally:
            collected.append("finalized")

    def make_garbage():
        cycle: list[object] = [abandoned()]
        cycle.append(cycle)
        next(cycle[0])

    was_in_attempt = []
    remember = lambda phase, info: was_in_attempt.append(sys.getprofile() is not None)  # noqa: E731
    thresholds = gc.get_threshold()
    gc.collect()
    gc.callbacks.append(remember)
    try:
        make_garbage()
        gc.set_threshold(1, 1, 1)
        _, outcomes = traced(without_effects, np.float64(2.0))
    finally:
        gc.set_threshold(*thresholds)
        gc.callbacks.remove(remember)
    assert outcomes == [Outcome.ROLLED]
    assert collected == ["finalized"]
    assert was_in_attempt and not any(was_in_attempt)
    assert gc.isenabled()
