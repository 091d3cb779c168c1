"""Loops over a plain `range` that a staged condition ends, on the graph: rolled, or unrolled as before."""

from __future__ import annotations

import functools
import sys
from unittest import mock

import numpy as np
import pytest

import autograph_rs as ag
from autograph_rs.runtime.staging import loop_rolling, loop_unrolling
from autograph_rs.runtime.staging.loop_rolling import Outcome

N = 12
X = np.array([1.0, 2.0, 1.5, 0.5], np.float32)


def traced(f, *arguments):
    """Call a function as a graph; return its result, and the outcomes of the attempts to roll its loops."""
    outcomes = []

    def roll(*args):
        outcomes.append(loop_rolling.roll(*args))
        return outcomes[-1]

    roll.__code__ = roll.__code__.replace(co_filename=loop_rolling.__file__)  # not code of an outer body
    with mock.patch.object(loop_unrolling, "roll", roll):
        return ag.function(f)(*arguments), outcomes


def unrolled(f, *arguments):
    with mock.patch.object(loop_rolling, "MIN_ROLLED", 1 << 60):
        return ag.function(f)(*arguments)


def check_same(first, second):
    assert type(first) is type(second)
    if isinstance(first, (tuple, list)):
        assert len(first) == len(second)
        for a, b in zip(first, second, strict=True):
            check_same(a, b)
    else:
        assert getattr(first, "dtype", None) == getattr(second, "dtype", None)
        np.testing.assert_allclose(first, second, rtol=1e-6)


def checked_outcomes(f):
    """Check a graph against the unrolled one and against Python; return the outcomes of the attempts."""
    result, outcomes = traced(f, X)
    check_same(result, unrolled(f, X))
    plain = f(X)
    for a, b in zip(*([v if isinstance(v, tuple) else (v,) for v in (result, plain)]), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)
    return outcomes


def decay(x, n=N):
    for _ in range(n):
        x = x * 0.8
        if x.sum() < 1.0:
            break
    return x


def counters(x):
    k, last, weight = np.int8(3), 0, 1.0
    for i in range(30, 30 - 2 * N, -2):
        k = k + 1
        last, weight = i, weight * 0.5
        x = x * 0.8 + i * 0.001
        if x.sum() < 1.0:
            return x, k, last, weight, i
    return x, k, last, weight, i


def nested(x):
    count = 0
    for i in range(N):
        for j in range(i + 10):
            x = x * 0.99
            count += j
            if x.sum() < 2.0:
                break
        if x.sum() < 1.0:
            break
    return x, count


def under_a_condition(x):
    if x.sum() > 1.0:
        x = decay(x)
    while x.sum() > 0.5:
        for i in range(N):
            x = x * 0.9 + i * 0.001
            if x.sum() < 0.8:
                break
        x = x * 0.7
    return x


def constant_in_each_iteration(x):
    for _ in range(N):
        size = len(X)
        x = x * 0.8
        if x.sum() < 1.0:
            break
    return x.reshape(size, 1)


def first_value_after_one_iteration(x):
    best = None
    for _ in range(N):
        x = x * 0.8
        if best is None or x.sum() < 3.0:
            best = x
        if x.sum() < 1.0:
            break
    return best


class Counted:
    def __init__(self):
        self.calls = 0


def attribute(x):
    counted = Counted()
    for _ in range(N):
        counted.calls += 1
        x = x * 0.8
        if x.sum() < 1.0:
            break
    return x, counted.calls


def history(x):
    values = []
    for i in range(N):
        values.append(i)
        x = x * 0.8
        if x.sum() < 1.0:
            break
    return x, values


ROLLED = [
    decay, counters, nested, under_a_condition, constant_in_each_iteration, first_value_after_one_iteration,
    attribute, history,
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("f", ROLLED)
def test_a_rolled_loop_leaves_what_the_unrolled_one_does(f):
    assert set(checked_outcomes(f)) == {Outcome.ROLLED}


@ag.do_not_convert
def left_unconverted(i):
    return 1.0 if type(i) is int else 2.0


@functools.cache
def memoized(i):
    return 0.1 * i


def catching(i):
    try:
        return float(len([0] * i))
    except Exception:
        return -1.0


RESULTS = {
    "unlike items": lambda i: [1.0, 2][i % 2] * [1, 2.5][i // 20],
    "items of two types": lambda i: ([1, 2.5] * 6)[i],
    "a dict key": lambda i: dict.fromkeys(range(N), 0.5)[i],
    "a dict method": lambda i: {3: 5.0}.get(i, 0.5),
    "a string key": lambda i: {f"k{k}": 0.5 for k in range(N)}[f"k{i}"],
    "its type": lambda i: 1.0 if isinstance(i, int) and type(i) is int else 0.0,
    "an unconverted function": left_unconverted,
    "a memoized function": memoized,
    "an exception handler": catching,
    "a plain container": lambda i: len((0,) * i),
    "an attribute name": lambda i: getattr(np, ("ones", "zeros")[i % 2])(1).sum(),
    "a list of functions": lambda i: [abs, float][i % 2](1.0),
}


@pytest.mark.slow
@pytest.mark.parametrize("use", RESULTS.values(), ids=RESULTS)
def test_the_loop_is_unrolled_if_the_body_needs_a_plain_counter(use):
    def f(x):
        for i in range(N):
            x = x * 0.8 + use(i)
            if x.sum() > 100.0:
                break
        return x

    result, outcomes = traced(f, X)
    assert Outcome.ROLLED not in outcomes
    check_same(result, unrolled(f, X))
    np.testing.assert_allclose(result, f(X), rtol=1e-5)


def test_a_computed_index_is_checked_when_the_graph_runs():
    """Of like items, it selects the one that a plain index would."""

    def f(x):
        for i in range(N):
            x = x * 0.8 + [0.5, 0.25, 0.125][i % 3]
            if x.sum() > 100.0:
                break
        return x

    result, outcomes = traced(f, X)
    assert outcomes == [Outcome.ROLLED]
    check_same(result, unrolled(f, X))
    np.testing.assert_allclose(result, f(X), rtol=1e-5)


@pytest.mark.filterwarnings("ignore::autograph_rs.SideEffectWarning")
def test_an_iterator_that_the_body_advances_prevents_rolling():
    def f(x):
        rest = iter([0.1 * k for k in range(N)])
        for _ in range(N):
            x = x * 0.8 + next(rest)
            if x.sum() > 100.0:
                break
        return x

    result, outcomes = traced(f, X)
    assert outcomes == [Outcome.REFUSED]
    np.testing.assert_allclose(result, f(X), rtol=1e-5)


@pytest.mark.filterwarnings("ignore::autograph_rs.SideEffectWarning")
def test_no_effect_of_a_trace_is_repeated_or_omitted(capsys):
    def f(x):
        for i in range(N):
            sys.stdout.write(f"{i} ")
            x = x * 0.8
            if x.sum() < 0.01:
                break
        return x

    _, outcomes = traced(f, X)
    assert outcomes == [Outcome.REFUSED]
    assert capsys.readouterr().out == "".join(f"{i} " for i in range(N))


@pytest.mark.slow
def test_a_list_written_at_the_counter_stays_a_list():
    def f(x):
        values = [0.0] * N
        for i in range(N):
            x = x * 0.8
            values[i] = x.sum()
            if x.sum() < 1.0:
                break
        return x, values

    result, outcomes = traced(f, X)
    assert outcomes == [Outcome.REFUSED]
    check_same(result, unrolled(f, X))


@pytest.mark.slow
def test_a_failed_attempt_restores_the_state():
    """The attempt changes a list, an attribute and an array before it fails at the dict."""
    weights = dict.fromkeys(range(N), 0.9)

    def f(x):
        out, counted, values = np.zeros(N), Counted(), [0.0, 0.0]
        for i in range(N):
            out[0] += 1.0
            counted.calls += 1
            values[1] = values[1] + 1.0
            x = x * weights[i]
            if x.sum() < 2.0:
                break
        return x, out, counted.calls, values

    result, outcomes = traced(f, X)
    assert outcomes == [Outcome.REFUSED]
    for a, b in zip(result, f(X), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)


def test_the_graph_does_not_grow_with_the_range():
    sizes = [len(list(ag.function(decay).get_concrete_function(X, n).graph.walk())) for n in (100, 10_000)]
    assert sizes[0] == sizes[1] < 40


def test_short_loops_stay_unrolled():
    _, outcomes = traced(lambda x: decay(x, loop_rolling.MIN_ROLLED), X)
    assert outcomes == []


@pytest.mark.slow
def test_gradients():
    def loss(x):
        return decay(x, 40).sum() + counters(x)[0].sum()

    x = X.astype(np.float64)
    rolled = ag.grad(loss)(x)
    with mock.patch.object(loop_rolling, "MIN_ROLLED", 1 << 60):
        np.testing.assert_allclose(ag.grad(loss)(x), rolled, rtol=1e-10)
    step = 1e-6
    numeric = [(loss(x + step * e) - loss(x - step * e)) / (2 * step) for e in np.eye(4)]
    np.testing.assert_allclose(rolled, numeric, rtol=1e-5)


def test_explain_reports_a_rolled_and_an_unrolled_loop():
    report = ag.explain(decay, X, 100)
    loop = next(s for s in report if s.text.startswith("for"))
    assert (loop.what, loop.operator, loop.times) == ("staged", "for_stmt", 1)
    report = ag.explain(decay, X, 5)
    loop = next(s for s in report if s.text.startswith("for"))
    assert (loop.what, loop.times) == ("unrolled", 5)


def test_other_iterables_stay_unrolled():
    def pairs(x):
        for k, i in enumerate(range(N)):
            x = x * 0.8 + (k - i)
            if x.sum() < 1.0:
                break
        return x

    result, outcomes = traced(pairs, X)
    assert outcomes == []
    np.testing.assert_allclose(result, pairs(X), rtol=1e-5)


def least_cost(cost):
    h, w = cost.shape
    best = [[0.0] * w for _ in range(h)]
    for y in range(h):
        for x in range(w):
            if y == 0 and x == 0:
                best[y][x] = cost[y, x]
            elif y == 0:
                best[y][x] = best[y][x - 1] + cost[y, x]
            elif x == 0:
                best[y][x] = best[y - 1][x] + cost[y, x]
            else:
                best[y][x] = min(best[y - 1][x], best[y][x - 1]) + cost[y, x]
    return best[h - 1][w - 1]


@pytest.mark.slow
def test_a_loop_is_unrolled_if_rolling_it_would_stage_many_conditions():
    """An attempt that goes on would merge each row under each condition, for each item of the inner loop."""
    cost = np.ones((17, 17))
    assert ag.function(least_cost)(cost) == least_cost(cost)
