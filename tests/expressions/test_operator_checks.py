"""Tests of `convert`, and of the checks of operators and of what they return."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from graph_system import Effects, Node, Typed, compiled, compute

import autograph_rs as ag


def one_of(n):
    return n if n > 0 else n + 1


def counted(n):
    k = 0
    while n != 2:
        n, k = n - 1, k + 1
    return k * 10 + n


def both(n):
    return 1 if n and n > 3 else 0


def neither(n):
    return 1 if not (n or n > 3) else 0


def printing(n):
    if n > 0:
        print(n)
    return n


def raising(n):
    if n > 5:
        raise ValueError(n)
    return n


def test_convert_is_a_decorator_of_methods_and_with_parentheses() -> None:
    operators = Typed()

    class Signs:
        @operators.convert
        @classmethod
        def of_class(cls, n):
            return 1 if n > 0 else 2

        @operators.convert()
        @staticmethod
        def static(n):
            return 1 if n > 0 else 2

        @operators.convert()
        def method(self, n):
            return 1 if n > 0 else 2

    n = Node(int, lambda _: None)
    for f in (Signs.of_class, Signs.static, Signs().method):
        assert [compute(f(n), {n: value}) for value in (1, 0)] == [1, 2]


def returning(**results: Any) -> ag.GraphOperators:
    methods = {name: lambda self, *args, result=result: result for name, result in results.items()}
    return type("Faulty", (Effects,), methods)()


@pytest.mark.parametrize(
    ("f", "results", "text"),
    [
        (one_of, {"cond": None}, "cond of Faulty returns None"),
        (one_of, {"cond": []}, "cond of Faulty returns 0 values for 1 variables"),
        (one_of, {"cond": Node(int, lambda _: 0)}, "cond of Faulty returns a Node instead of a list"),
        (one_of, {"cond": [None]}, "cond of Faulty returns 1 values"),
        (counted, {"while_loop": None}, "while_loop of Faulty returns None"),
        (counted, {"while_loop": (1,)}, "while_loop of Faulty returns 1 values for 3 variables"),
        (counted, {"placeholder": None}, "placeholder of Faulty returns None"),
        (counted, {"cast": None}, "cast of Faulty returns None"),
        (both, {"truth": None}, "truth of Faulty returns None"),
        (neither, {"not_": None}, "not_ of Faulty returns None"),
        (printing, {"print": None}, "print of Faulty returns None"),
        (raising, {"raise_": None}, "raise_ of Faulty returns None"),
        (raising, {"start": None}, "start of Faulty returns None"),
    ],
    ids=lambda value: str(value) if isinstance(value, str) else getattr(value, "__name__", ""),
)
def test_what_operators_return_is_checked(f: Callable[..., Any], results: dict[str, Any], text: str) -> None:
    with pytest.raises(ag.ArgumentError) as raised:
        returning(**results).convert(f)(Node(int, lambda _: None))
    assert text in str(raised.value)


@pytest.mark.parametrize(
    ("members", "text"),
    [
        ({"kinds": ()}, "the kinds of Faulty are empty"),
        ({"kinds": [3]}, "kinds must be classes, not 3"),
        ({"owns": lambda self: True}, "Faulty defines owns"),
        ({"select": None, "convert": None}, "Faulty defines convert, select"),
    ],
)
def test_members_of_operators_are_checked(members: dict[str, Any], text: str) -> None:
    with pytest.raises(ag.ArgumentError, match=text):
        type("Faulty", (Typed,), members)()


@pytest.mark.parametrize("kinds", [Node, [Node]])
def test_kinds_may_be_one_class_or_a_list(kinds: Any) -> None:
    operators = type("Lax", (Typed,), {"kinds": kinds})()
    assert compiled(operators, both, int)(4) == 1
