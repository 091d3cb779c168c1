"""Code of embedders' passes, trees and operators that users cannot write."""

# ruff: noqa: SIM103 - functions as users write them

import types

import gast
import pytest

import autograph_rs as ag
from autograph_rs import converters


def is_positive(x):
    if x > 0:
        return True
    return False


class AddYield(converters.Pass):
    """Code that a user's pass adds may have to stay in the function itself."""

    def run(self, function):
        for node in gast.walk(function):
            if isinstance(node, gast.If):
                node.body.insert(0, gast.Expr(gast.Yield(gast.Constant(7, None))))


class AddFinally(converters.Pass):
    def run(self, function):
        for node in gast.walk(function):
            if isinstance(node, gast.If):
                node.body[:] = gast.parse("try: x = 1 / 0\nfinally: return 5").body


@pytest.mark.parametrize(
    ("kind", "expected"),
    [(AddYield, lambda made: list(made(1)) == [7]), (AddFinally, lambda made: made(1) == 5)],
)
def test_what_passes_add_may_have_to_stay(kind, expected):
    passes = converters.Pipeline().add(kind, after="Normalise")
    assert expected(ag.Transpiler(passes=passes).to_graph(is_positive))


def test_a_tree_with_links_to_parents_is_converted():
    [function] = gast.parse("def f(x):\n    if x: y = 1\n    else: y = 2\n    return y").body
    for node in gast.walk(function):
        for child in gast.iter_child_nodes(node):
            child.parent = node
    assert converters.convert_tree(function) >= {"if_body", "else_body"}


def call(function):
    return function()


def test_an_operator_may_give_closures_to_converted_code():
    def if_stmt(cond, body, orelse, *_):
        mine.to_graph(call)(body if cond else orelse)

    def larger(x):
        y = 0
        if x > 1:
            y = x
        return y

    mine = ag.Transpiler(operators=types.SimpleNamespace(if_stmt=if_stmt))
    assert (mine.to_graph(larger)(2), mine.to_graph(larger)(1)) == (2, 0)
