"""Tests of what has no expression: it is refused with its line, a reason and a remedy."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from calculator import Calculator, Expr, Strict, arguments, compute

import autograph_rs as ag


def endless(x):
    while x > 1:
        x = x / 2
    return x


def appended(x):
    found = []
    if x > 0:
        found.append(x)
    return found


def filtered(x):
    return [v for v in [x, 1, 2] if v > 0]


def iterated(x):
    total = 0
    for v in x:
        total += v
    return total


def mixed(x):
    return "text" if x > 0 else 3


def structures(x):
    return (x, 1) if x > 0 else x


def raising(x):
    if x < 0:
        raise ValueError(f"{x} is negative")
    return x


def asserting(x):
    assert x > 0
    return x


def one_path(x):
    if x > 0:
        y = 1
    return y


def missing_key(x):
    return {1: 2, 3: 4}[x]


def class_of(x):
    return isinstance(x, int)


def without_counterpart(x):
    import math

    return math.gamma(x)


def caught(x):
    try:
        if x < 0:
            raise ValueError
    except ValueError:
        return 0
    return x


def none(x):
    if x > 0:
        return None
    return x


def size(x):
    return len(x)


def objects(x):
    return object() if x > 0 else x


def is_true(x):
    return 1 if x is True else 2


@pytest.mark.parametrize(
    ("f", "operators", "text"),
    [
        (endless, Calculator, "a 'while' tests a symbolic condition"),
        (appended, Calculator, "the structures differ"),
        (filtered, Calculator, "a list comprehension creates a list whose length depends on"),
        (iterated, Calculator, "a 'for' iterates over a symbolic value"),
        (mixed, Calculator, "values of two types have no common expression"),
        (structures, Calculator, "the structures differ"),
        (class_of, Calculator, "asks for the class of a symbolic value"),
        (without_counterpart, Calculator, "the builtin gamma is called with a symbolic value"),
        (caught, Calculator, "inside a 'try' with an 'except'"),
        (objects, Calculator, "object"),
        (is_true, Calculator, "whether an expression is True is asked with 'is'"),
        (raising, Strict, "ValueError is raised under a symbolic condition"),
        (asserting, Strict, "AssertionError is raised under a symbolic condition"),
        (one_path, Strict, "the variable 'y' is read"),
        (missing_key, Strict, "KeyError is raised under a symbolic condition"),
        (none, Strict, "without a value on one path"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_refusal_names_place_reason_and_remedy(f: Callable[..., Any], operators: Any, text: str) -> None:
    with pytest.raises(ag.AutographError, match=text) as caught:
        operators().convert(f)(*arguments(1))
    message = str(caught.value)
    assert f"in {f.__name__}" in message
    assert "why: " in message
    assert "fix: " in message


def test_a_bound_replaces_a_while() -> None:
    """The remedy for a `while` on a symbolic condition works."""

    def halved(x):
        for _ in range(10):
            if not x > 1:
                break
            x = x / 2
        return x

    built = Calculator().convert(halved)(*arguments(1))
    assert [compute(built, (x,)) for x in (0.5, 8.0, 100.0)] == [0.5, 1.0, 0.78125]


def test_a_condition_is_true_or_false() -> None:
    def sign(x):
        match x > 0:
            case True:
                return 1
        return 0 if (x < 0) is False else -1

    built = Calculator().convert(sign)(*arguments(1))
    assert [compute(built, (x,)) for x in (-2, 0, 3)] == [-1, 0, 1]


def test_subclasses_must_define_selection_and_logic() -> None:
    class Half(ag.ExpressionOperators):
        kinds = (Expr,)

        def where(self, test: Any, first: Any, second: Any) -> Any:
            return first

    with pytest.raises(ag.ArgumentError, match="Half lacks and_, or_, not_"):
        Half()


def test_operations_of_symbols_are_named_where_they_are_missing() -> None:
    class Bare(ag.SymbolOperators):
        operations = {"where": "{}?{}:{}".format, "not_": "!{}".format}

    with pytest.raises(ag.ArgumentError, match="lack where, not_"):
        ag.SymbolOperators()
    with pytest.raises(ag.UnsupportedFunctionError, match="'len'"):
        Bare().convert(size)(Bare().symbol("s"))
    with pytest.raises(ag.ValueNeededError, match="needs a symbolic value as a plain one"):
        bool(Bare().symbol("s"))


def test_the_expression_of_a_loop_grows_with_its_length() -> None:
    """The flags of `return` and sums under conditions do not double the expression in each iteration."""

    class Text(ag.SymbolOperators):
        operations = {
            "where": "where({},{},{})".format, "and_": "({}&{})".format, "or_": "({}|{})".format,
            "not_": "!{}".format, "add": "({}+{})".format, "gt": "({}>{})".format,
        }  # fmt: skip

    def first_above(x, limits):
        for i, limit in enumerate(limits):
            if x > limit:
                return i
        return -1

    def total_above(x, limits):
        total = 0
        for limit in limits:
            if x > limit:
                total += limit
        return total

    operators = Text()
    for f in (first_above, total_above):
        short, long = (len(operators.convert(f)(operators.symbol("x"), range(n)).expr) for n in (10, 20))
        assert long < 5 * short


def test_operators_of_several_frameworks_and_threads_are_apart() -> None:
    """Each run uses the operators that converted its function, also where two have the same values."""
    outcomes: list[Any] = []

    def run(operators: Any) -> None:
        for _ in range(20):
            try:
                outcomes.append((type(operators), compute(operators.convert(raising)(*arguments(1)), (-1,))))
            except ag.UnsupportedPlaceError:
                outcomes.append((type(operators), "refused"))

    threads = [threading.Thread(target=run, args=(kind(),)) for kind in (Calculator, Strict)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(outcomes) == {(Calculator, "raised"), (Strict, "refused")}
    assert not ag.runtime.is_staging()
