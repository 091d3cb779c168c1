"""The optimiser drops, folds and shares what it may, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_rs as ag


def graph_of(function, *args):
    return ag.function(function).get_concrete_function(*args).graph


X = np.arange(3.0)


def test_common_subexpressions_are_computed_once():
    """`np.tanh(x)` twice is one node."""
    graph = graph_of(lambda x: np.tanh(x) + np.tanh(x), X)
    assert graph.count("numpy.tanh") == 1


def test_equal_calls_with_other_attributes_stay_apart():
    """A sum over one axis is not the sum over the other."""
    graph = graph_of(lambda x: (x.sum(axis=0), x.sum(axis=1)), np.ones((2, 2)))
    assert graph.count("numpy.sum") == 2


def test_zero_and_minus_zero_stay_apart():
    """Constants that compare equal and are not the same are two."""
    f = ag.function(lambda x: (np.copysign(x, 0.0), np.copysign(x, -0.0)))
    assert list(map(float, f(np.float64(1.0)))) == [1.0, -1.0]


def test_unused_work_is_dropped():
    """Nodes that no result needs do not run, so their errors are not raised."""

    def f(x, i):
        x[i]
        np.tanh(x)
        return x + 1

    staged = ag.function(f)
    assert len(staged.get_concrete_function(X, np.int64(0)).graph) == 2
    assert staged(X, np.int64(99)).tolist() == [1.0, 2.0, 3.0]


def test_effects_are_kept_in_program_order(capsys):
    """Prints and asserts are needed by definition."""

    def f(x):
        for i in range(x):
            print("a", i)
            assert i < 2, "too far"
            print("b", i)

    with pytest.raises(AssertionError, match="too far"):
        ag.function(f)(np.int64(5))
    assert capsys.readouterr().out == "a 0\nb 0\na 1\nb 1\na 2\n"


def test_unused_results_of_a_condition_are_dropped():
    """A condition whose result nobody takes goes, with what only it needs."""

    def f(x):
        if x > 0:
            y = np.exp(x)
        else:
            y = np.sqrt(-x)
        z = y * 2  # noqa: F841 - nobody takes it
        return x + 1

    graph = graph_of(f, np.float64(1))
    assert (graph.count("cond"), graph.count("numpy.exp"), graph.count("gt")) == (0, 0, 0)


def test_constants_are_folded():
    """Arithmetic on constants is done once, when the graph is made; an error in it stays for run time."""

    def f(x, flag):
        k = 2
        if flag:
            k = k * 3
        return x + k * 5

    assert graph_of(f, X, True).count("mul") == 0

    def g(x, zero):
        if x > 0:
            return 1 // np.int64(zero)
        return np.int64(0)

    with np.errstate(divide="ignore"):
        assert ag.function(g)(np.int64(-1), 0) == 0


def test_a_graph_prints_a_line_per_node():
    """The text names arguments, ops, types and the user's lines."""
    text = str(graph_of(lambda a: a + a, np.ones(2)))
    head, add, result = text.splitlines()
    assert head == "<lambda>(a: float64[2])"
    assert add.startswith("  %1 = add(a, a) : float64[2]")
    assert "a + a" in add
    assert result == "  return %1"


def test_loops_over_staged_values_are_one_node():
    """The node count of a staged loop does not grow with the data; that of a Python loop does."""

    def over(items):
        total = 0.0
        for item in items:
            total += item
        return total

    sizes = {len(graph_of(over, np.ones(n))) for n in (3, 10)}
    assert len(sizes) == 1
    unrolled = [len(graph_of(over, [np.float64(1)] * n)) for n in (3, 10)]
    assert unrolled[0] < unrolled[1]


def test_a_written_array_is_not_copied_in_each_iteration():
    """A staged loop that writes items copies the array once."""

    def fill(n):
        out = np.zeros(5)
        for i in range(n):
            out[i] = i
        return out

    concrete = ag.function(fill).get_concrete_function(np.int64(3))
    assert concrete.python_source.count(".copy(") == 1
    assert concrete(np.int64(3)).tolist() == [0, 1, 2, 0, 0]
    assert concrete(np.int64(1)).tolist() == [0, 0, 0, 0, 0]


def test_a_view_keeps_what_it_saw_where_numpy_does():
    """A row taken before a write sees the write, as in NumPy; a product of it does not."""

    def f(n):
        x = np.zeros((2, 2)) + n
        row, product = x[0], x[0] * 1
        x[0] = 7
        return row, product

    plain, staged = f(np.float64(1)), ag.function(f)(np.float64(1))
    assert [a.tolist() for a in plain] == [a.tolist() for a in staged]
