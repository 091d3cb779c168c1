"""Loops whose iterations run in several threads do what one thread does."""

from __future__ import annotations

import numpy as np
import pytest
from native_support import described, engine_of, needs_llvm, outcome

import autograph_rs as ag
from autograph_rs.runtime.graph.native import parallel

pytestmark = needs_llvm
N = np.int64


@pytest.fixture
def parts(monkeypatch):
    """Cut each range into parts, however short, and return those that have run."""
    found = []
    run_parts = parallel.ParallelLoop._run_parts

    def recorded(self, whole, arguments):
        found.append(whole)
        return run_parts(self, whole, arguments)

    monkeypatch.setattr(parallel, "MIN_SECONDS", -1.0)
    monkeypatch.setattr(parallel, "thread_count", lambda: 3)
    monkeypatch.setattr(parallel.ParallelLoop, "_run_parts", recorded)
    return found


def between(x, a, b):
    for i in range(a, b):
        x[i] = x[i] * 2.0 + i
    return x


def backwards(x, a, b):
    for i in range(a, b, -3):
        x[i] = x[i] * 2.0 + i
    return x


def counted(x, a, b):
    count = 5
    for i in range(a, b):
        x[i] = x[i] + 1
        count = count + i * 2**60
    return x, count


@pytest.mark.parametrize("function", [between, backwards, counted])
@pytest.mark.parametrize(
    ("a", "b", "is_cut"),
    [
        (0, 9, True),
        (-9, 0, True),
        (2, 7, True),
        (-4, 4, False),
        (-9, 9, False),
        (-1, 1, False),
        (3, 3, False),
    ],
)
def test_a_range_that_crosses_zero_runs_in_one_thread(parts, function, a, b, is_cut):
    if function is backwards:
        a, b = b - 1, a - 1
    f = ag.function(function, engine="native", parallel=True)
    f(np.arange(9.0), N(0), N(1))
    for _ in range(3):
        assert described(f(np.arange(9.0), N(a), N(b))) == described(function(np.arange(9.0), a, b))
    assert bool(parts) == is_cut
    [loop] = engine_of(f).regions
    assert loop.is_parallel


@pytest.mark.parametrize("bounds", [(0, 12), (-12, 0), (-12, 12), (5, 40)])
@pytest.mark.parametrize("function", [between, counted])
def test_the_line_of_an_error(parts, function, bounds):
    """All is run again in one thread, which raises where NumPy does."""
    arguments = np.arange(9.0), *map(N, bounds)
    f, numpy = ag.function(function, engine="native", parallel=True), ag.function(function, engine="numpy")
    f(np.arange(9.0), N(0), N(1))
    assert outcome(f, arguments) == outcome(numpy, arguments)


def small(x, n):
    for i in range(n):
        x[i] = x[i] * 1e-200
    return x


@pytest.mark.parametrize("errors", [{"under": "raise"}, {"under": "warn"}, {"all": "raise"}, {}])
def test_errstate_of_the_caller(parts, errors):
    arguments = np.full(9, 1e-200), N(9)
    f, numpy = ag.function(small, engine="native", parallel=True), ag.function(small, engine="numpy")
    f(np.ones(9), N(9))
    assert outcome(f, arguments, errors) == outcome(numpy, arguments, errors)
    assert parts
