"""Tests of which code belongs to a system: it stays unconverted, and its errors concern the graph."""

from __future__ import annotations

from typing import Any

import graph_system
import pytest
from graph_system import Effects, Node, Typed, Untyped, compiled, compute

import autograph_rs as ag


class Elsewhere(ag.GraphOperators):
    """Operators in another module than the class of the values."""

    kinds = (Node,)
    loops = 0
    placeholder = Untyped.placeholder
    cond = Untyped.cond
    while_loop = Untyped.while_loop


def root(n):
    found = 0
    for i in range(300):
        if i * i > n:
            break
        found = i
    return found


class Here(Typed):
    """Operators in the module of the user's functions."""

    calls = 0

    def cond(self, *args: Any) -> list[Node]:
        self.calls += 1
        return [*super().cond(*args)]

    def while_loop(self, *args: Any) -> list[Node]:
        return super().while_loop(*args)


def test_operators_beside_the_functions_of_a_user() -> None:
    operators = Here()
    assert [compiled(operators, root, int)(n) for n in (0, 99, 100)] == [0, 9, 10]
    assert operators.loops == 3
    assert operators.calls < 100


def kind(n):
    return graph_system.type_of(n)


def test_the_module_of_a_class_belongs_to_the_system() -> None:
    """It stays unconverted, and its operators do not keep a long loop from being one of the graph."""
    operators = Elsewhere()
    assert [compiled(operators, root, int)(n) for n in (0, 99, 100)] == [0, 9, 10]
    assert operators.loops == 3
    compiled(operators, kind, int)
    assert not operators.transpiler.has_converted(graph_system.type_of)


class Picky(Node):
    def __getitem__(self, key: Any) -> Node:
        raise ValueError("no items")

    def table(self) -> Any:
        return {}[self.type]


def item_in_branch(n):
    return n[0] if n > 5 else 1


def table_in_branch(n):
    return n.table() if n > 5 else 1


def plain_in_branch(n):
    return graph_system.RANKS[str] if n > 5 else 1


def test_errors_about_symbolic_values_are_raised_at_once() -> None:
    """An error of the system's code concerns the graph, and not the branch that Python would not take."""

    class Own(Effects):
        kinds = (Node, Picky)

    n = Picky(int, lambda _: None)
    with pytest.raises(ValueError, match="no items"):
        Own().convert(item_in_branch)(n)
    with pytest.raises(KeyError):
        Own().convert(table_in_branch)(n)
    result, token = Own().convert(plain_in_branch)(n)
    assert compute((result, token), {n: 3}) == (1, None)
