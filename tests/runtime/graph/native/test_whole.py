"""Graphs that are compiled as a whole: their loops, and the code around them."""

from __future__ import annotations

import logging
import threading

import numpy as np
import pytest
from native_support import engine_of, needs_llvm, outcome, specs
from whole_graphs import compile_whole

import autograph_rs as ag
from autograph_rs.runtime.graph.native import background, whole

pytestmark = needs_llvm
N, F = np.int64, np.float64
VECTOR, COUNT = ((None,), "float64"), ((), "int64")


def smoothed(values, rounds):
    """Return an argument, a view of one, a new array, numbers, and what follows from a second loop."""
    result = np.zeros(len(values) + 1)
    result[0] = 1.0
    for i in range(rounds):
        for j in range(1, len(values)):
            result[j] = 0.5 * (values[j - 1] + result[j - 1]) + i
    total = 0
    for x in result:
        if x > 1.0:
            total += 1
    largest = result[np.argmax(result)]
    return values, result, total, largest, values[0] * 2


def whole_function(function, *arguments, **options):
    """Return a function whose graph for some arguments runs as a whole."""
    staged = ag.function(function, engine="native", **options)
    staged(*arguments)
    assert compile_whole(staged)
    return staged


def test_a_whole_graph():
    """It gives the same results as the loops with Python code around them."""
    calls = [(np.linspace(0, 5, n), N(rounds)) for n in (1, 2, 30) for rounds in (0, 1, 7)]
    f = whole_function(smoothed, *calls[0], input_signature=specs(VECTOR, COUNT))
    for arguments in calls:
        assert outcome(f, arguments) == outcome(smoothed, arguments)
        assert f(*arguments)[0] is arguments[0]
    assert engine_of(f).whole.bailouts == 0


def filled(values, n):
    values[0] = 5.0
    for i in range(n):
        values[i] = values[i] + i
    return values.sum()


def test_writes_to_arguments():
    """Arguments are written to after the graph, and not at all if it raises."""
    arguments = np.arange(4.0), N(3)
    f = whole_function(filled, np.arange(4.0), N(3), input_signature=specs(VECTOR, COUNT))
    assert outcome(f, arguments) == outcome(filled, arguments)
    assert outcome(f, (np.arange(4.0), N(9)))[1][:2] == (
        IndexError,
        "index 4 is out of bounds for axis 0 with size 4",
    )


def two_names(n):
    a = np.zeros(3)
    for i in range(n):
        a[i] = i
    return a, a[:2]


def test_results_that_share_memory():
    """Parts of an array cannot leave machine code as copies, so the graph stays in parts."""
    f = ag.function(two_names, engine="native")
    f(N(2))
    assert not compile_whole(f)
    assert engine_of(f).whole.reason == "two results may share parts of their memory"
    a, b = f(N(2))
    assert np.shares_memory(a, b)


def growing(n, factor):
    product = 1
    for _ in range(n):
        product = product * factor
    inverse = 1.0 / n
    return product, inverse


def test_calls_that_machine_code_does_not_finish():
    """They begin again with the parts, and many of them end the use of the whole graph."""
    f, numpy = whole_function(growing, N(3), N(10)), ag.function(growing, engine="numpy")
    for n, factor in ((5, 7), (30, 10), (0, 2), (3, -4)):
        assert outcome(f, (N(n), N(factor))) == outcome(numpy, (N(n), N(factor)))
    engine = engine_of(f)
    assert engine.whole.bailouts > 0 and not engine.whole.reason
    for _ in range(20):
        assert outcome(f, (N(40), N(10))) == outcome(numpy, (N(40), N(10)))
    assert engine.whole.reason == "machine code gave up in many calls"
    assert outcome(f, (N(5), N(7))) == outcome(growing, (N(5), N(7)))


@pytest.mark.parametrize("mode", ["warn", "raise", "ignore"])
def test_warnings(mode):
    """A division by zero outside of the loops warns or raises as in NumPy, at the line of the user."""

    def divided(values, n):
        total = 0.0
        for i in range(n):
            total += values[i]
        return total / values[0]

    f = whole_function(divided, np.ones(3), N(2))
    for values in (np.array([0.0, 2.0, 1.0]), np.zeros(3), np.ones(3)):
        errors = {"all": mode}
        assert outcome(f, (values, N(2)), errors) == outcome(divided, (values, N(2)), errors)


def test_arguments_without_dimensions():
    """An array without dimensions where a NumPy scalar was traced gives what NumPy gives for it."""
    f = whole_function(growing, N(3), N(10), input_signature=specs(COUNT, COUNT))
    assert outcome(f, (np.array(3), np.array(10))) == outcome(
        ag.function(growing, engine="numpy", input_signature=specs(COUNT, COUNT)), (np.array(3), np.array(10))
    )


def test_threads():
    """Several threads call a function while its graph is compiled as a whole."""
    arguments = np.linspace(0, 5, 30), N(7)
    f = ag.function(smoothed, engine="native")
    expected = outcome(f, arguments)
    results = []

    def run():
        results.extend(outcome(f, arguments) == expected for _ in range(200))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    compile_whole(f)
    for thread in threads:
        thread.join()
    assert len(results) == 800 and all(results)


@pytest.fixture
def at_once(monkeypatch):
    """Have each graph compiled as a whole as soon as its calls have been timed."""
    monkeypatch.setattr(whole, "HOT_SECONDS", 0)


@pytest.mark.parametrize("pays", [True, False])
def test_times_decide(at_once, caplog, pays):
    """After enough calls the graph is compiled in the background, and the faster way stays."""
    caplog.set_level(logging.INFO, "autograph_rs.native")
    f = ag.function(smoothed, engine="native")
    arguments = np.linspace(0, 5, 30), N(7)
    expected = outcome(f, arguments)
    graph = engine_of(f).whole
    while not graph.is_compiling and not graph.ready:
        assert outcome(f, arguments) == expected
    background.wait_for_compilation()
    assert graph.ready and not graph.is_settled
    while not graph.is_settled:
        graph._shortest_parts = float("inf") if pays else 0.0
        assert outcome(f, arguments) == expected
    assert bool(graph.reason) != pays
    assert outcome(f, arguments) == expected
    report = f.traces()[0].engine_report()
    assert report.whole.state == ("native" if pays else "in Python")
    assert "code around the loop" in str(report)
    assert any("the code around the loop at" in r.getMessage() for r in caplog.records)


def test_long_calls_stay_in_parts(monkeypatch):
    """Where a call takes long, the code around the loops does not matter."""
    monkeypatch.setattr(whole, "LONGEST", 0.0)
    f = ag.function(smoothed, engine="native")
    for _ in range(20):
        f(np.linspace(0, 5, 30), N(7))
    assert engine_of(f).whole.reason == "a call takes longer than 0 ms"


def printed(n):
    total = 0
    for i in range(n):
        total += i
    print(total)
    return total


def test_graphs_with_effects(capsys):
    """What prints is not compiled as a whole."""
    f = ag.function(printed, engine="native")
    assert f(N(4)) == 6
    assert engine_of(f).whole is None
    assert capsys.readouterr().out == "6\n"
