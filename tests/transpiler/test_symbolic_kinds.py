"""Tests of what a transpiler knows of a framework: its values, its modules, and what its operators return."""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any

import pytest

import autograph_rs as ag


class Symbol:
    """A value whose truth nobody asks for in converted code."""

    def __bool__(self) -> bool:
        raise TypeError("the truth of a symbol is not known")


def if_exp(cond: Any, if_true: Any, if_false: Any, text: str) -> Any:
    if isinstance(cond, Symbol):
        return if_true(), if_false()
    return if_true() if cond else if_false()


OPERATORS = types.SimpleNamespace(if_exp=if_exp)


@pytest.fixture
def library(tmp_path, monkeypatch):
    """Return a module that counts as installed, because a distribution lies beside it."""
    (tmp_path / "chooser-1.0.dist-info").mkdir()
    (tmp_path / "chooser-1.0.dist-info" / "RECORD").write_text("chooser_of_tests.py,,\n")
    (tmp_path / "chooser_of_tests.py").write_text("def choose(x):\n    return 1 if x else 2\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("chooser_of_tests")
    del sys.modules["chooser_of_tests"]


def test_symbols_count_as_staged_in_calls_of_installed_packages(library) -> None:
    def use(x):
        return library.choose(x)

    informed = ag.Transpiler(operators=OPERATORS, kinds=(Symbol,))
    assert informed.to_graph(use)(Symbol()) == (1, 2)
    assert informed.to_graph(use)(True) == 1
    with pytest.raises(TypeError, match="the truth of a symbol"):
        ag.Transpiler(operators=OPERATORS).to_graph(use)(Symbol())


def test_what_python_decides_names_the_place() -> None:
    """A condition that stays in Python is refused with a reason, in place of the framework's own error."""

    def pauses(x):
        if x:
            yield 1
        yield 2

    mine = ag.Transpiler(operators=OPERATORS, kinds=(Symbol,))
    assert list(mine.to_graph(pauses)(True)) == [1, 2]
    with pytest.raises(ag.UnsupportedPlaceError, match="'if' depends on a staged value"):
        list(mine.to_graph(pauses)(Symbol()))


@pytest.mark.parametrize("kinds", [("Symbol",), 3])
def test_kinds_are_classes(kinds) -> None:
    with pytest.raises(ag.ArgumentError, match="kinds must be classes"):
        ag.Transpiler(kinds=kinds)


@pytest.fixture
def framework(tmp_path, monkeypatch):
    """Return a module in a checkout that defines an operator and a helper."""
    (tmp_path / "framework_of_tests.py").write_text(
        "def if_exp(cond, if_true, if_false, text):\n    return 'operator'\n\n\n"
        "def helper(x):\n    return 'yes' if x else 'no'\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("framework_of_tests")
    del sys.modules["framework_of_tests"]


def test_the_module_of_the_operators_is_not_converted(framework) -> None:
    def use(x):
        return framework.helper(x), 1 if x else 2

    mine = ag.Transpiler(operators=types.SimpleNamespace(if_exp=framework.if_exp))
    assert mine.to_graph(use)(True) == ("yes", "operator")
    included = ag.Transpiler(
        operators=types.SimpleNamespace(if_exp=framework.if_exp), include=["framework_of_tests"]
    )
    assert included.to_graph(use)(True) == ("operator", "operator")
    assert mine.to_graph(framework.helper)(True) == "operator"
    assert mine.to_graph(use)(True) == ("operator", "operator")


def test_operators_in_the_module_of_the_functions() -> None:
    """A script may define operators and the functions that use them."""

    def inner(x):
        return 1 if x else 2

    def outer(x):
        return inner(x)

    assert ag.Transpiler(operators=OPERATORS).to_graph(outer)(Symbol()) == (1, 2)


class Holder:
    def __init__(self) -> None:
        self.q: Any = [[1, 2], [3, 4]]
        self.table: Any = {"a": [5, 6]}

    @property
    def fixed(self) -> Any:
        return self.q[0]


def set_item(target: Any, key: Any, value: Any) -> Any:
    """Return a new container, as systems without writes do."""
    new = dict(target) if isinstance(target, dict) else list(target)
    new[key] = value
    return new


def set_item_in_place(target: Any, key: Any, value: Any) -> Any:
    target[key] = value
    return target


def write_attribute(o, i):
    o.q[1] = i


def write_nested(o, i):
    o.q[0][i] = 7
    o.q[i][0] += 2
    o.table["a"][i] = o.q[0][1]


def write_in_order(o, i):
    def holder():
        order.append("owner")
        return o

    def key():
        order.append("key")
        return i

    def value():
        order.append("value")
        return 9

    order = []
    holder().q[key()] = value()
    holder().table["a"][key()] = value()
    holder().table["a"][key()] += value()
    o.order = order


def write_fixed(o, i):
    o.fixed[i] = 3


@pytest.mark.parametrize("f", [write_attribute, write_nested, write_in_order])
def test_results_of_set_item_are_stored(f) -> None:
    expected, found, in_place = Holder(), Holder(), Holder()
    f(expected, 1)
    for operator, holder in ((set_item, found), (set_item_in_place, in_place)):
        ag.Transpiler(operators=types.SimpleNamespace(set_item=operator)).to_graph(f)(holder, 1)
        assert vars(holder) == vars(expected)


def test_what_set_item_changes_in_place_needs_no_place() -> None:
    holder = Holder()
    mine = ag.Transpiler(operators=types.SimpleNamespace(set_item=set_item_in_place))
    mine.to_graph(write_fixed)(holder, 1)
    assert holder.q[0] == [1, 3]


def test_undefined_tells_generated_variables() -> None:
    assert ag.Undefined("return_value").is_generated
    assert not ag.Undefined("y").is_generated
    assert repr(ag.Undefined("y")) == "y"
