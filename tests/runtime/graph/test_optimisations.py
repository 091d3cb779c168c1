"""Each optimisation by itself: what it does, and what it must leave."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import autograph_rs as ag
from autograph_rs.runtime.graph.ir.graph import Graph, Node
from autograph_rs.runtime.graph.ir.types import ArrayType, ScalarType
from autograph_rs.runtime.graph.optimise import ALL, optimisation_names
from autograph_rs.runtime.graph.serialization.verification import verify

X = np.arange(3.0)
ONE = np.float64(1)


def graph_of(function, *args, optimise=True):
    return ag.function(function, optimise=optimise).get_concrete_function(*args).graph


# The switch


def test_each_is_switched_by_name():
    """`optimise=` takes truth values and names; what is not named is not done."""

    def f(x):
        np.exp(x)
        return np.tanh(x) + np.tanh(x)

    counts = {
        which: tuple(graph_of(f, X, optimise=which).count(f"numpy.{name}") for name in ("tanh", "exp"))
        for which in (True, False, ("cse",), ("dead",), ())
    }
    assert counts == {True: (1, 0), False: (2, 1), ("cse",): (1, 1), ("dead",): (2, 0), (): (2, 1)}


def test_a_name_that_is_none_is_refused():
    """The message lists the names."""
    with pytest.raises(ValueError, match=r"(?s)no optimization 'inline'.*choose from fold, branches"):
        ag.function(lambda x: x, optimise=("inline",))
    assert optimisation_names("cse") == ("cse",)
    assert optimisation_names(True) == ALL


# Identities


@pytest.mark.parametrize(
    ("function", "op"),
    [
        (lambda y: y * 1, "mul"),
        (lambda y: 1 * y, "mul"),
        (lambda y: y / 1, "truediv"),
        (lambda y: y - 0, "sub"),
        (lambda y: y - 0.0, "sub"),
        (lambda y: y + -0.0, "add"),
        (lambda y: +y, "pos"),
        (lambda y: -(-y), "neg"),  # noqa: B002
        (lambda y: y.T.T, "numpy.transpose"),
        (lambda y: y[:] + 1, "getitem"),
    ],
)
def test_identities(function, op):
    """They hold for every float, so that nothing is left of them."""
    values = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -1.5])
    made = ag.function(lambda x: np.floor(function(np.tanh(x))))
    assert made.get_concrete_function(values).graph.count(op) == 0
    assert made(values).tobytes() == np.floor(function(np.tanh(values))).tobytes()


@pytest.mark.parametrize(
    ("function", "op"),
    [
        (lambda y: y + 0.0, "add"),  # -0.0 becomes 0.0
        (lambda y: y**1, "pow"),
        (lambda y: y - -0.0, "sub"),
        (lambda y: y * 1j, "mul"),
        (lambda y: y * np.float64(1) if y.dtype == np.float32 else y + 0, "add"),
        (lambda y: (y > 0) * 1, "mul"),  # an int
        (lambda y: (y > 0) + 0, "add"),
    ],
)
def test_what_looks_like_an_identity(function, op):
    """Operations that change a sign, a dtype or a kind are kept."""
    values = np.array([0.0, -0.0, np.nan, -1.5])
    made = ag.function(lambda x: function(np.tanh(x)))
    assert made.get_concrete_function(values).graph.count(op) == 1
    assert made(values).tobytes() == function(np.tanh(values)).tobytes()


@pytest.mark.parametrize(
    ("function", "kept"),
    [
        (lambda x, n: x * np.broadcast_to(n, (2, 3)), 0),
        (lambda x, n: np.subtract(np.broadcast_to(x[0], (2, 3)), x) + n, 0),
        (lambda x, n: x * np.broadcast_to(float(n), (2, 3)), 1),  # a Python float would not decide the dtype
        (lambda x, n: x ** np.broadcast_to(n, (2, 3)), 1),
        (lambda x, n: x[0] * np.broadcast_to(n, (2, 3)), 1),
        (lambda x, n: np.broadcast_to(x[0], (2, 3)) * np.broadcast_to(n, (2, 3)), 1),
    ],
)
def test_broadcasts_that_an_operation_repeats(function, kept):
    """An operand is not broadcast first if the other operand has the shape of the result."""
    x, n = np.array([[0.1, -0.0, 7.0], [3.0, np.nan, 1e30]], np.float32), np.float64(2.0)
    made = ag.function(function)
    assert made.get_concrete_function(x, n).graph.count("numpy.broadcast_to") == kept
    result, expected = made(x, n), function(x, n)
    assert (result.dtype, result.tobytes()) == (expected.dtype, expected.tobytes())


def test_views_of_static_shape_leave_a_loop_that_may_raise():
    def f(xs, y):
        total = 0.0
        for x in xs:
            total += x[np.int64(7) - 6] * np.sum(y.T @ np.expand_dims(y, 0).T)
        return total

    made = ag.function(f, optimise=("hoist", "dead"))
    [loop] = [n for n in made.get_concrete_function(np.ones((3, 2)), np.ones(4)).graph.nodes if n.op == "for"]
    assert loop.attrs["body"].count("numpy.expand_dims") == 0


def test_the_callers_array_is_not_handed_out_as_new():
    """`x * 1` of an argument is an array of its own."""
    x = X.copy()
    y = ag.function(lambda x: x * 1)(x)
    y[0] = 7
    assert x[0] == 0


def test_equal_results_are_arrays_of_their_own():
    """One list that holds two equal arrays, or two results, stay two arrays."""

    def f(x, n):
        made = []
        for _ in range(n):
            made.append(x + 1)  # noqa: PERF401
        return made

    first, second = ag.function(f)(X, np.int64(2))
    first[0] = 9
    assert second[0] == 1
    a, b = ag.function(lambda x: (x + 1, x + 1))(X)
    a[0] = 9
    assert b[0] == 1


def test_integer_identities():
    """They wrap alike at the ends of a dtype."""
    values = np.array([np.iinfo(np.int8).min, -1, 0, 127], np.int8)
    made = ag.function(lambda x: ((((~x) + 0) | 0) ^ 0) & -1)
    assert len(made.get_concrete_function(values).graph) == 1
    assert made(values).tobytes() == (~values).tobytes()


def test_complex_scalars_have_no_identities():
    """`z * 1` of an infinite complex number has NaN as a part."""

    def f(x):
        return complex(x) * math.inf * 1

    assert repr(ag.function(f)(np.float64(2))) == repr(f(2))


def test_conversions_through_a_wider_dtype():
    """float32 to float64 and back is no conversion; to float16 and back is one."""
    there = ag.function(lambda x: (x * x).astype(np.float64).astype(np.float32))
    values = np.array([1e30, 1.1, np.nan], np.float32)
    with np.errstate(all="ignore"):
        assert there(values).tobytes() == (values * values).tobytes()


# Branches


def test_a_condition_on_a_constant_becomes_its_branch():
    """After folding, nothing is left to be tested."""

    def f(x, n):
        k = 0
        if n > 0:
            k = 1
        if k - k > 0:
            x = x + 1
        return x * 2

    def g(x):
        i = 0
        while i < 0:
            x = x + 1
            i = i + 1
        return x * 2

    assert graph_of(f, X, 3).count("cond") == 0
    assert graph_of(g, X).count("while") == 0


def test_the_same_value_on_both_paths():
    """A value that no branch changes is not a result of the conditional."""

    def f(x, y):
        if x > 0:
            z = x
        else:
            z = -x
        return y, z

    graph = graph_of(f, ONE, X)
    [condition] = [node for node in graph.nodes if node.op == "cond"]
    assert [len(inner.results) for inner in condition.graphs()] == [1, 1]


# Loops


def body_of(graph):
    [loop] = [node for node in graph.nodes if node.op in ("while", "for")]
    return loop.attrs["body"]


def test_invariants_leave_a_loop():
    """Loop invariants are computed once, if the loop runs at all."""

    def f(x, y, n):
        total = 0.0
        for i in range(n):
            total = total + np.sum(np.tanh(y) * x) + i
        return total

    graph = graph_of(f, ONE, X, np.int64(3))
    assert body_of(graph).count("numpy.tanh") == 0
    assert graph.count("numpy.tanh") == 1
    made, plain = ag.function(f), f
    for n in (0, 1, 3):
        assert made(ONE, X, np.int64(n)) == plain(ONE, X, np.int64(n))


def divide(n, zero):
    total = 0
    for _ in range(n):
        total = total + 1 // zero
    return total


def test_a_loop_without_rounds_raises_and_warns_of_nothing():
    """Hoisted nodes are computed only if there is a first iteration."""
    made = ag.function(divide)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert made(np.int64(0), np.int64(0)) == 0
        assert not caught
        made(np.int64(2), np.int64(0))
        assert [w.category for w in caught] == [RuntimeWarning]


def test_errors_come_in_the_order_of_the_code():
    """An error does not overtake a print, nor another error."""

    def f(x, i, n):
        for k in range(n):
            print(k)
            x = x + x[i]
        return x

    staged = ag.function(f)
    with pytest.raises(IndexError):
        staged(X, np.int64(9), np.int64(2))

    def g(y, i, n):
        total = 0.0
        for k in range(n):
            total += np.arange(3.0)[k + 5] + y[i]
        return total

    def why(function):
        with pytest.raises(IndexError) as caught:
            function(X, np.int64(9), np.int64(2))
        return str(caught.value)

    assert why(ag.function(g)) == why(g)


def test_a_new_array_in_each_round():
    """Arrays that a list collects are not made one."""

    def f(n, x):
        made = []
        for _ in range(n):
            made.append(np.zeros(2) + x)  # noqa: PERF401
        return made

    first, second = ag.function(f)(np.int64(2), ONE)
    first[0] = 9
    assert second.tolist() == [1, 1]


def test_an_invariant_that_is_written():
    """Each round starts from a fresh array."""

    def f(x, n):
        total = np.zeros(3)
        for i in range(n):
            fresh = x * 2
            fresh[0] = fresh[0] + i
            total = total + fresh
        return total

    assert ag.function(f)(X, np.int64(3)).tolist() == f(X, 3).tolist()


def test_unused_carried_values_are_dropped():
    """A loop keeps only what its results need."""

    def f(n):
        a = b = 0
        i = 0
        while i < n:
            a, b, i = a + 1, b + a, i + 1
        return a

    [loop] = [node for node in graph_of(f, np.int64(3)).nodes if node.op == "while"]
    assert loop.attrs["carried"] == 2
    assert ag.function(f)(np.int64(4)) == 4


# The checks


def broken(change):
    graph = graph_of(lambda x, n: [x := x * 2 if n > 0 else x, x][1], X, ONE)
    change(graph)
    return graph


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda g: g.results.append(Node("add", (), {}, ScalarType(int))), "a result is not defined"),
        (lambda g: g.nodes.reverse(), "not defined before it is used"),
        (lambda g: g.nodes.append(g.nodes[0]), "occurs twice"),
        (
            lambda g: condition(g).attrs["then"].arguments.pop(),
            r"\d branch operands, not \d|not defined",
        ),
        (lambda g: condition(g).attrs["then"].results.pop(), "different numbers of results|selects result"),
        (
            lambda g: setattr(condition(g).attrs["then"].arguments[0], "type", ArrayType(np.dtype(bool))),
            "not float64|do not agree",
        ),
        (lambda g: g.nodes[-1].attrs.update(index=5), "selects result 5 of"),
    ],
)
def test_verify(change, words):
    """A graph that breaks a rule is refused, with the rule."""
    with pytest.raises(ag.FormatError, match=words):
        verify(broken(change))


def condition(graph: Graph) -> Node:
    return next(node for node in graph.nodes if node.op == "cond")
