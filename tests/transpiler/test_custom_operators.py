"""Custom operators may be any object that has operators as attributes, and nothing else."""

from __future__ import annotations

import types
from typing import Any

import gast
import pytest
from test_operators import OF_LISTS, appended, new_list, plain, popped_in_conditions

import autograph_rs as ag
from autograph_rs import converters


@pytest.mark.parametrize(
    ("operators", "message"),
    [
        ({"new_list": new_list}, r"pass types.SimpleNamespace\(\*\*operators\)"),
        (types.SimpleNamespace(other=new_list), "defines no operator, such as if_stmt"),
        (types.SimpleNamespace(if_stm=new_list), "if_stm is no operator"),
        (types.SimpleNamespace(new_list=new_list, while_stm=new_list), "while_stm is no operator"),
        (types.SimpleNamespace(while_stmt=lambda test, body: None), "while_stmt does not take 6 arguments"),
        (types.SimpleNamespace(get_item=new_list), "get_item does not take 2 arguments"),
        (types.SimpleNamespace(list_pop=new_list), "list_pop does not take 2 arguments"),
        ([new_list], "defines no operator"),
        (types.SimpleNamespace(if_stmt=3), "the operator if_stmt must be callable, not 3"),
    ],
)
def test_what_is_no_operators(operators, message):
    with pytest.raises(TypeError, match=message):
        ag.Transpiler(operators=operators)


class Forwards:
    """Has what another object has, when it is asked."""

    def __init__(self, to: Any):
        self.to = to

    def __getattr__(self, name: str) -> Any:
        return getattr(self.to, name)

    @property
    def unrelated(self) -> Any:
        raise OSError("nobody asked")


@pytest.mark.parametrize("f", [appended, popped_in_conditions])
def test_operators_that_are_made_when_they_are_asked_for(f):
    mine = ag.Transpiler(operators=Forwards(OF_LISTS))
    assert "ag__.new_list" in mine.to_code(f)
    assert plain(mine.to_graph(f)(1)) == f(1)


def test_passes_of_an_embedder_find_what_else_it_has():
    class Doubled(converters.Pass):
        def run(self, function):
            for node in gast.walk(function):
                if isinstance(node, gast.Return):
                    double = gast.Attribute(gast.Name("ag__", gast.Load(), None, None), "double", gast.Load())
                    node.value = gast.Call(double, [node.value], [])

    def f(x):
        return x + 1

    operators = types.SimpleNamespace(not_=lambda a: not a, double=lambda x: 2 * x)
    passes = converters.Pipeline().add(Doubled)
    assert ag.Transpiler(operators=operators, passes=passes).to_graph(f)(3) == 8
