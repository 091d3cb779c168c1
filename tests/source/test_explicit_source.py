"""A text that is given for a function is for that conversion alone."""

from __future__ import annotations

import numpy as np
import pytest
from transpiler.modules import executed

import autograph_rs as ag

X = np.float64(-2)
NEGATED = "def f(x):\n    return x if x > 0 else -x\n"
DOUBLED = "def f(x):\n    return x if x > 0 else x * 2\n"
FACTORIAL = "def f(n):\n    return 1.0 if n < 2 else n * f(n - 1)\n"


def written(x):
    return x if x > 0 else x - 1


def nowhere(text: str):
    return executed(text, "<nowhere>", keep=False).f


def test_it_is_not_kept():
    f = nowhere(NEGATED)
    assert ag.to_graph(f, source=DOUBLED)(-2) == -4
    assert ag.to_graph(f, source=NEGATED)(-2) == 2
    assert "-x" in ag.to_code(f, source=NEGATED)
    for convert in (ag.to_graph, ag.to_code, ag.function):
        with pytest.raises(ag.SourceError, match="is not available"):
            convert(f)


def test_it_is_not_lost_where_the_function_was_converted_before():
    given = "def written(x):\n    return x if x > 0 else x * 10\n"
    assert ag.to_graph(written)(-2) == -3
    assert ag.function(written)(X) == -3
    assert ag.to_graph(written, source=given)(-2) == -20
    assert ag.function(written, source=given)(X) == -20
    assert ag.function(ag.convert(written, source=given))(X) == -20
    assert ag.to_graph(ag.to_graph(written), source=given)(-2) == -20
    assert "x * 10" in ag.to_code(written, source=given)
    assert "x - 1" in ag.to_code(written)
    assert ag.function(written)(X) == ag.to_graph(written)(-2) == -3


@pytest.mark.parametrize("text", ["def g(x): return x", "def written(x: return", ""])
def test_one_that_fails_leaves_nothing(text):
    for convert in (ag.to_graph, ag.to_code, ag.function):
        with pytest.raises(ag.ConversionError):
            convert(written, source=text)
    with pytest.raises(ag.ConversionError):
        ag.function(ag.convert(written, source=text))(X)
    assert ag.to_graph(written)(-2) == ag.function(written)(X) == ag.function(ag.convert(written))(X) == -3


def test_what_was_made_of_it_remembers_it():
    f = nowhere(NEGATED)
    for made in (ag.convert(f, source=NEGATED), ag.to_graph(f, source=NEGATED)):
        assert ag.to_code(made) == ag.to_code(f, source=NEGATED)
        assert ag.to_graph(made)(-2) == 2
        assert ag.function(made)(X) == 2
        assert ag.convert(made) is made
        assert ag.convert(made, recursive=False)(-2) == 2
        assert ag.to_code(ag.convert(made, source=DOUBLED)) == ag.to_code(f, source=DOUBLED)
        assert ag.explain(made, X).source == tuple(NEGATED.splitlines())
    assert ag.explain(ag.function(f, source=DOUBLED), X).source == tuple(DOUBLED.splitlines())


def test_it_is_that_of_what_converted_code_calls():
    negated, doubled = (ag.convert(nowhere(NEGATED), source=text) for text in (NEGATED, DOUBLED))
    assert ag.function(lambda x: (negated(x), doubled(x)))(X) == (2, -4)


def test_a_function_without_another_source_calls_itself():
    f = nowhere(FACTORIAL)
    assert ag.to_graph(f, source=FACTORIAL)(5) == 120
    assert ag.function(f, source=FACTORIAL)(np.float64(5)) == 120


@pytest.mark.parametrize("text", [3, b"def written(x): return x", ["def written(x): return x"]])
def test_it_is_text(text):
    for convert in (ag.to_graph, ag.to_code, ag.convert, ag.function):
        with pytest.raises(ag.ArgumentError, match="source= must be the text of a function, not"):
            convert(written, source=text)


def test_private_names_of_methods():
    """Functions in a method of a class read its private names."""

    class Scale:
        __factor = 3

        def scaled(self):
            return lambda x: x * self.__factor if x > 0 else x

    text = "class Scale:\n    def scaled(self):\n        return lambda x: x * self.__factor if x > 0 else x\n"
    assert ag.to_graph(Scale().scaled(), source=text)(2) == 6
