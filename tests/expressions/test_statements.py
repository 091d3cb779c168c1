"""Tests that converted functions of symbolic values compute what Python computes."""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable
from typing import Any

import pytest
import statements
from calculator import Calculator, arguments, compute

FUNCTIONS = [
    f for _, f in inspect.getmembers(statements, inspect.isfunction)
    if f.__module__ == "statements" and len(inspect.signature(f).parameters) >= 2
]  # fmt: skip
OPERATORS = Calculator()


class Plain(Calculator):
    """Operators that do not tell conditions from other values."""

    def is_condition(self, value: Any) -> bool:
        return False


def outcome(f: Callable[..., Any], given: tuple[Any, ...]) -> Any:
    try:
        return compute(f(*given), given)
    except Exception:
        return "raised"


def is_raised(value: Any) -> bool:
    parts = (
        value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else [value]
    )
    return all(part == "raised" for part in parts) and bool(parts)


@pytest.mark.slow
@pytest.mark.parametrize("operators", [Calculator, Plain])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_expressions_compute_what_python_computes(f: Callable[..., Any], operators: Any) -> None:
    """The expression of a function equals the function for all pairs of small numbers."""
    built = operators().convert(f)(*arguments(2))
    for given in itertools.product(range(-4, 6), repeat=2):
        expected, found = outcome(f, given), compute(built, given)
        if expected == "raised":
            assert is_raised(found), given
        else:
            assert found == expected or (found != found and math.isnan(expected)), given
            assert type(found) is type(expected), given


@pytest.mark.slow
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_plain_values_give_what_python_gives(f: Callable[..., Any]) -> None:
    for given in itertools.product((-3, 0, 2), repeat=2):
        assert outcome(OPERATORS.convert(f), given) == outcome(f, given) or f is statements.root
