"""Behaviours 14 to 19: graphs."""

from __future__ import annotations

import numpy as np
import pytest

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
