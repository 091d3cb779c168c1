"""Tests of the compiled function: size, memory, nesting, buffers."""

from __future__ import annotations

import sys
import traceback
import tracemalloc

import numpy as np
import pytest
from breadth import some

import autograph_rs as ag

X = np.ones(3)
ONE = np.float64(1)


def straight(x, n):
    for i in list(range(n)):  # a list is unrolled
        x = np.tanh(x) + i
    return x


def conditions(x, n):
    for i in list(range(n)):  # a list is unrolled
        if x > i:
            x = x + i
        else:
            x = x - i
    return x


def loops(x, n):
    for i in list(range(n)):  # a list is unrolled
        k = 0
        while k < x:
            k = k + 2
        x = x + k * i
    return x


def writes(x, n):
    total = 0.0
    for i in list(range(n)):  # a list is unrolled
        x[0] = i
        total = total + x[1:].sum()
    return x, total


def nested_conditions(x, n):
    if n == 0:
        return x
    if x > n:
        y = x + n
    else:
        y = nested_conditions(x - n, n - 1)
    return y


def nested_loops(x, n):
    if n == 0:
        return x
    k = 0
    while k < x:
        x = nested_loops(x - 1, n - 1)
        k = k + 1
    return x


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "argument", "small"),
    [(straight, X, 100), (conditions, ONE, 30), (loops, ONE, 25), (writes, X, 50)],
)
def test_time_is_linear_in_the_size(function, argument, small):
    """Eight times the nodes take about eight times as many lines of Python to trace, optimise and compile."""

    def lines(n):
        count = 0

        def step(_frame, event, _argument):
            nonlocal count
            count += event == "line"
            return step

        before = sys.gettrace()
        sys.settrace(step)
        try:
            graph = ag.function(function).get_concrete_function(argument, n).graph
        finally:
            sys.settrace(before)
        return count, len(graph)

    lines(small)  # what is done once
    (short, few), (long, many) = lines(small), lines(8 * small)
    assert 7 < many / few < 9
    assert long / short < 8 * 1.25


@pytest.mark.slow
def test_many_thousand_nodes():
    """They make one function, and run."""
    n = some(2000, 7000)
    concrete = ag.function(straight).get_concrete_function(X, n)
    assert len(concrete.graph) > 2.9 * n
    assert concrete(X).tolist() == straight(X, n).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("depth", [5, 12, 13, 14, 30])
def test_deep_nests(depth):
    """Python nests twenty blocks; deeper ones become functions."""
    for function in (nested_conditions, nested_loops):
        made = ag.function(function)
        source = made.get_concrete_function(ONE, depth).python_source
        assert (source.count("def ") > 1) == (depth > 12)
        for x in (np.float64(1), np.float64(2.5), np.float64(200)):
            if function is nested_conditions or x < 2:
                assert made(x, depth) == function(x, depth)


def test_an_error_deep_in_a_nest_is_shown_at_the_users_line():
    """Also where the nest runs as a function of its own."""

    def nest(x, items, n):
        if n == 0:
            return items[x]
        if x > -n:
            y = nest(x, items, n - 1)
        else:
            y = 0.0
        return y

    with pytest.raises(IndexError) as caught:
        ag.function(nest)(np.int64(7), X, 20)
    assert "return items[x]" in "".join(traceback.format_tb(caught.tb))


def peak(call):
    tracemalloc.start()
    call()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def test_arrays_are_freed_in_straight_code():
    """Thirty arrays, one after the other, need room for a few."""
    x = np.ones(100_000)
    made = ag.function(straight)
    made(x, 30)
    assert peak(lambda: made(x, 30)) < 5 * x.nbytes


def test_memory_does_not_grow_with_the_rounds():
    """A loop of a thousand rounds needs what one of ten needs."""

    def f(x, n):
        for i in range(n):
            y = np.tanh(x) * i
            x = y[::-1] + x
        return x

    made, x = ag.function(f, engine="numpy"), np.ones(10_000)
    made(x, np.int64(1))
    few, many = (peak(lambda n=n: made(x, np.int64(n))) for n in (10, 1000))
    assert many < few + x.nbytes


# Buffers

LARGE = np.linspace(0.0, 1.0, 40_000)


def test_a_large_array_is_computed_into():
    """An array of the graph's own that ends at a node holds its result."""
    made = ag.function(lambda x, y: (np.tanh(x) + y) * 2 - 1)
    source = made.get_concrete_function(LARGE, LARGE).python_source
    assert source.count("(v2, a1, v2)") == source.count("(v2, 2, v2)") == 1
    assert np.array_equal(made(LARGE, LARGE), (np.tanh(LARGE) + LARGE) * 2 - 1)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x + 1,  # the caller's
        lambda x: (y := np.tanh(x), y + 1),  # a result
        lambda x: (y := np.tanh(x), y[1:], y * 2)[1:],  # seen through a view
        lambda x: (np.tanh(x) > 0) * 1,  # another dtype
        lambda x: np.tanh(x)[::2] + 1,  # another shape
        lambda x: np.tanh(x) ** 2,  # NumPy has squares for it
        lambda x: np.tanh(x[:10]) + 1,  # small
        lambda x: np.tanh(x.reshape(4, -1)) + x.reshape(4, -1),  # the order in memory may differ
    ],
)
def test_what_is_not_computed_into(function):
    """The result is a new array if reuse could be observed or would save nothing."""
    given = LARGE.copy()
    made = ag.function(function)
    source = made.get_concrete_function(given).python_source
    assert ", v" not in "".join(line for line in source.splitlines() if "return" not in line and "(f" in line)
    actual, expected = made(given), function(LARGE.copy())
    pairs = zip(actual, expected, strict=True) if isinstance(expected, tuple) else [(actual, expected)]
    assert all(np.array_equal(a, b) for a, b in pairs)
    assert np.array_equal(given, LARGE)


# Numbers


def test_numbers_stand_inside_expressions():
    """A value that only the next expression uses has no line of its own."""

    def collatz(x):
        steps = 0
        while x != 1:
            x = x // 2 if x % 2 == 0 else 3 * x + 1
            steps += 1
        return steps

    made = ag.function(collatz)
    source = made.get_concrete_function(np.int64(27)).python_source
    assert "% 2) == 0)" in source
    assert "3 * " in source
    assert made(np.int64(27)) == 111


def test_errors_keep_their_line():
    """A number of another line is computed there."""

    def f(x, items, i):
        y = items[i]
        return x + y

    with pytest.raises(IndexError) as caught:
        ag.function(f)(ONE, X, np.int64(9))
    assert "y = items[i]" in "".join(traceback.format_tb(caught.tb))


def nested_in_the_result_of_a_branch(x, items, i):
    y = x
    if x > 0:
        y = +items[i]
    return y


def nested_in_order(x, items, i):
    return +items[i], items[i + 1] + x


@pytest.mark.parametrize("function", [nested_in_the_result_of_a_branch, nested_in_order])
def test_an_operation_that_cannot_raise_may_hold_one_that_does(function):
    """The error has the line of the outer one, and is the first that Python raises."""
    with pytest.raises(IndexError, match="index 9 is") as caught:
        ag.function(function)(ONE, X, np.int64(9))
    assert "+items[i]" in "".join(traceback.format_tb(caught.tb))


def test_a_constant_power_keeps_its_sign():
    """`(-2) ** x` is not `-(2 ** x)`."""
    assert ag.function(lambda x: (-2) ** x)(np.int64(2)) == 4
