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
    assert ag.Undefined("ag__return_value").is_generated
    assert not ag.Undefined("return_value").is_generated
    assert not ag.Undefined("y").is_generated
    assert repr(ag.Undefined("y")) == "y"


def variable_called_return_value(x):
    if x > 0:
        return_value = 1
    elif x > -2:
        return 5
    return return_value


def test_operators_tell_the_users_return_value_from_ours() -> None:
    seen: set[tuple[str, bool]] = set()

    def if_stmt(cond, body, orelse, get_state, set_state, names, outputs):
        held = zip(names, get_state(), strict=True)
        seen.update((name, value.is_generated) for name, value in held if isinstance(value, ag.Undefined))
        (body if cond else orelse)()

    f = ag.Transpiler(operators=types.SimpleNamespace(if_stmt=if_stmt)).to_graph(variable_called_return_value)
    assert (f(1), f(-1)) == (1, 5)
    with pytest.raises(UnboundLocalError, match="'return_value'"):
        f(-3)
    assert {("return_value", False), ("ag__return_value", True)} <= seen


class Expr(Symbol):
    """An expression that stores its text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __eq__(self, other: object) -> Expr:  # type: ignore[override]
        return Expr(f"{self.text}=={other}")

    __hash__ = object.__hash__


def merging_if(
    cond: Any, body: Any, orelse: Any, get_state: Any, set_state: Any, names: Any, outputs: Any
) -> None:
    """The operator that the documentation recommends: a variable that one branch sets keeps that value."""
    if not isinstance(cond, Expr):
        return (body if cond else orelse)()
    before = get_state()
    body()
    then = get_state()
    set_state(before)
    orelse()
    merged = []
    for first, second in zip(then, get_state(), strict=True):
        sides = [v for v in (first, second) if not isinstance(v, ag.Undefined)]
        merged.append((cond, first, second) if len(sides) == 2 else (sides or [first])[0])
    return set_state(tuple(merged))


def test_merging_of_variables_that_one_branch_sets() -> None:
    """A chain of more than eight arms is split at a flag, and so is a return in a `try`."""

    def arms(x):
        if x == 0:
            d = 0
        elif x == 1:
            d = 10
        elif x == 2:
            d = 20
        elif x == 3:
            d = 30
        elif x == 4:
            d = 40
        elif x == 5:
            d = 50
        elif x == 6:
            d = 60
        elif x == 7:
            d = 70
        elif x == 8:
            d = 80
        elif x == 9:
            d = 90
        else:
            d = -1
        return d

    def tried(x):
        try:
            if x == 1:
                return 10
        finally:
            y = 5
        return y

    def not_(value: Any) -> Any:
        return (value, False, True) if isinstance(value, (tuple, Expr)) else not value

    def if_stmt(cond: Any, *rest: Any) -> None:
        merging_if(Flag(cond) if isinstance(cond, tuple) else cond, *rest)

    class Flag(Expr):
        """A condition that is a merged flag."""

        def __init__(self, merged: tuple) -> None:
            self.merged = merged

    mine = ag.Transpiler(operators=types.SimpleNamespace(if_stmt=if_stmt, not_=not_), kinds=(Expr,))

    def value_of(value: Any, x: int) -> Any:
        if not isinstance(value, tuple):
            return value
        test, first, second = value
        while isinstance(test, Flag):
            test = test.merged
        is_true = value_of(test, x) if isinstance(test, tuple) else eval(test.text, {"x": x})
        return value_of(first if is_true else second, x)

    for f in (arms, tried):
        built = mine.to_graph(f)(Expr("x"))
        assert [value_of(built, x) for x in range(12)] == [f(x) for x in range(12)]
