"""Behaviours 14 to 19: graphs."""

from __future__ import annotations

import functools
import os
import subprocess
import sys

import numpy as np
import pytest
from test_house import ROOT

import autograph_rs as ag


def test_14_a_graph_is_data():
    graph = ag.function(lambda a: a + a).get_concrete_function(ag.TensorSpec((), "int64")).graph
    [argument], [add] = graph.arguments, graph.nodes
    assert (argument.op, add.op, add.inputs, graph.results) == (
        "argument",
        "add",
        (argument, argument),
        [add],
    )
    assert str(add.type) == "int64[]"


def smoothed(x):
    total = x * 0.5
    for i in range(len(x) - 1):
        if x[i] > x[i + 1]:
            total[i] += x[i + 1]
    return {"total": total, "sum": np.sum(total)}


def test_15_a_graph_is_printed_compared_saved_and_run_without_its_source(tmp_path):
    x = np.array([3.0, 1.0, 2.0])
    f = ag.function(smoothed)
    trace, other = (
        f.get_concrete_function(x),
        ag.function(functools.partial(smoothed)).get_concrete_function(x),
    )
    assert "total[i] += x[i + 1]" in str(trace.graph)
    assert trace.graph.equals(other.graph)
    assert not trace.graph.equals(f.get_concrete_function(x[:2]).graph)
    ag.save(trace, tmp_path / "smoothed.json")
    made = run_alone(
        tmp_path, "f = ag.load('smoothed.json'); print(f.graph); print(f(np.array([3.0, 1.0, 2.0])))"
    )
    assert made == f"{trace.graph}\n{f(x)}\n"


mean, count = ag.Variable(0.0, name="mean"), ag.Variable(0, name="count")


def test_15_variables_in_a_saved_graph_count_on(tmp_path):
    @ag.function
    def observe(x):
        count.assign_add(1)
        mean.assign_add((x - mean) / count)
        return mean

    assert [float(observe(np.float64(v))) for v in (1, 2)] == [1.0, 1.5]
    ag.save(observe, tmp_path / "observe.json")
    made = run_alone(tmp_path, "f = ag.load('observe.json'); print(float(f(np.float64(6))), f.variables)")
    assert made == "3.0 (Variable('count', 3, dtype=int64), Variable('mean', 3.0, dtype=float64))\n"
    assert mean == 1.5


def run_alone(folder, program):
    """Return the output of a process that has neither these functions nor the converter."""
    check = "; assert not {'gast', 'autograph_rs.functions.function'} & set(sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys, autograph_rs as ag, numpy as np; {program}{check}"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return done.stdout


def test_16_folding_common_expressions_and_dead_code():
    @ag.function
    def f(x):
        unused = np.exp(x)  # noqa: F841
        scale = np.float64(2) * 3
        return np.tanh(x) * scale + np.tanh(x)

    graph = f.get_concrete_function(np.ones(3)).graph
    assert graph.count("numpy.exp") == 0
    assert graph.count("numpy.tanh") == 1
    assert graph.count("mul") == 1


def test_17_what_nobody_needs_is_not_run(capsys):
    @ag.function
    def f(x, i):
        x[i]
        ag.print("first")
        assert x.sum() < 100, "too much"
        ag.print("second")
        return x

    x = np.ones(3)
    with pytest.raises(IndexError):
        f.python_function(x, 7)
    capsys.readouterr()
    assert f(x, np.int64(7)).tolist() == [1.0, 1.0, 1.0]
    assert capsys.readouterr().out == "first\nsecond\n"
    with pytest.raises(AssertionError, match="too much"):
        f(x * 100, np.int64(0))
    assert capsys.readouterr().out == "first\n"


def test_18_the_converted_source_and_a_condition_in_the_graph():
    def f(x):
        if x > 0:
            x = x + 1
        else:
            x = x - 1
        return x

    assert "ag__.if_stmt(x > 0" in ag.to_code(f)
    graph = ag.function(f).get_concrete_function(np.float64(1)).graph
    [cond] = [node for node in graph.nodes if node.op == "cond"]
    assert len(list(cond.graphs())) == 2
    assert [inner.count("add") for inner in cond.graphs()] == [1, 0]


def test_19_python_data_is_unrolled_and_staged_data_is_one_loop():
    @ag.function
    def train(dataset):
        loss = np.float64(0)
        for x, y in dataset:
            loss += abs(y - x)
        return loss

    def size(data):
        return len(train.get_concrete_function(data).graph)

    rows = [(np.float64(1), np.float64(2))] * 10
    assert size(rows[:3]) < size(rows)
    lengths = [size(ag.data.from_iterable(rows[:n])) for n in (3, 10)]
    assert lengths[0] == lengths[1]
    assert train(ag.data.from_iterable(rows)) == train(rows) == 10.0
    spec = ag.TensorSpec((None, 2))
    graph = train.get_concrete_function(spec).graph
    assert graph.count("for") == 1
    assert train(np.array(rows)) == 10.0
