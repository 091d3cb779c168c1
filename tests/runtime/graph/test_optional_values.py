"""Values that may be None when a graph runs: in files, gradients, models and machine code."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_rs as ag
from autograph_rs.runtime.graph import Graph

XS = np.array([3.0, -1.0, 4.0])


def doubled(xs):
    twice = None
    if xs.sum() > 0:
        twice = xs * 2
    if twice is None:
        return 0.0
    return (twice * twice).sum()


def greatest(xs):
    best = None
    for x in xs:
        if x < 0:
            continue
        if best is None or x > best:
            best = x
    return best


def used_too_early(xs):
    previous, total = (xs[0] if xs[0] > 0 else None), 0.0
    for x in xs:
        total += x - previous
        previous = x if x > 0 else None
    return total


def test_the_text_of_a_graph():
    """A graph shows which values may be None, and the test for it."""
    text = str(ag.function(greatest).get_concrete_function(XS).graph)
    assert "float64[] or None" in text and "is_none(" in text


@pytest.mark.parametrize("function", [doubled, greatest, used_too_early])
def test_a_graph_in_a_file(function):
    """A graph that was written and read does the same."""
    graph = ag.function(function).get_concrete_function(XS).graph
    assert graph.equals(Graph.from_json(graph.to_json()))


def test_gradients():
    """The gradient of a value that is None where it is not used is zero."""
    gradient = ag.grad(doubled)
    assert np.array_equal(gradient(XS), 8 * XS)
    assert np.array_equal(gradient(-abs(XS)), np.zeros(3))

    def squared(xs):
        best = greatest(xs)
        return 0.0 if best is None else best * best

    assert np.array_equal(ag.grad(squared)(XS), [0.0, 0.0, 8.0])


def test_gradients_for_a_vector():
    """`ag.vjp` runs a function again, which repeats the checks for None but no effect."""
    result, gradient = ag.vjp(doubled, XS)
    assert result == 4 * (XS**2).sum()
    (value,) = gradient(1.0)
    assert np.array_equal(value, 8 * XS)


def test_none_as_the_result_has_no_gradient():
    assert ag.grad(greatest)(XS).sum() == 1.0
    with pytest.raises(TypeError, match="'NoneType'"):
        ag.grad(greatest)(-abs(XS))


@pytest.mark.needs("onnxruntime")
def test_a_model():
    """A model computes None, and fails where None is used."""
    pytest.importorskip("onnxruntime")
    model = ag.function(greatest, engine="onnxruntime")
    assert model(XS) == 4.0 and model(-abs(XS)) is None
    with pytest.raises(TypeError, match="None"):
        ag.function(used_too_early, engine="onnxruntime")(XS)


@pytest.mark.needs("llvmlite")
@pytest.mark.parametrize("xs", [XS, abs(XS), -abs(XS)])
def test_machine_code(xs):
    """Machine code hands out None, takes it, and gives up where it is used."""
    pytest.importorskip("llvmlite")

    def outcome(function):
        try:
            return function(xs)
        except TypeError as error:
            return str(error)

    for function in (greatest, used_too_early):
        native = ag.function(function, engine="native")
        assert outcome(native) == outcome(function)
        [region] = native.traces()[0].engine_report().regions
        assert region.state == "native"


def test_writes():
    """A write that has to reach another name is refused: which array it changes is not known."""

    def write(xs, copies):
        written = None
        if xs.sum() > 0:
            written = xs.copy() if copies else xs
        written[0] = 1.0
        return written

    staged = ag.function(write)
    assert np.array_equal(staged(XS, True), write(XS, True))
    with pytest.raises(TypeError, match="'NoneType' object does not support item assignment"):
        staged(-abs(XS), True)
    with pytest.raises(ag.AliasError, match="cannot be written to in place"):
        staged(XS, False)


def test_types_that_differ():
    """A value that may be None is not converted: on each path it keeps its type, or is None."""

    def numbers(x):
        value = None
        if x > 0:
            value = 1
        elif x < -1:
            value = x
        return value

    for x in (1.0, -0.5, -2.0):
        result = ag.function(numbers)(np.float64(x))
        assert type(result) is type(numbers(np.float64(x)))
        assert result == numbers(np.float64(x))


def test_a_value_may_be_none_or_unbound():
    def f(x, y):
        if x > 0:
            value = None
        elif y > 0:
            value = x
        return value

    one = np.float64(1.0)
    assert ag.function(f)(one, one) is None
    assert ag.function(f)(-one, one) == -1.0
    with pytest.raises(UnboundLocalError, match="'value'"):
        ag.function(f)(-one, -one)
