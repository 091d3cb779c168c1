"""A framework of expressions for tests: they can be computed, and know nothing of branches but `where`."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import autograph_rs as ag


class Expr:
    """A function of the arguments. The operands of `where` that are not selected are not computed."""

    def __init__(self, compute: Callable[[tuple[Any, ...]], Any], *, is_test: bool = False):
        self.compute, self.is_test = compute, is_test

    def __bool__(self) -> bool:
        raise TypeError("Python takes the truth of an expression")

    def __iter__(self) -> Any:
        raise TypeError("Python iterates over an expression")

    __hash__ = None  # type: ignore[assignment]


def compute(value: Any, given: tuple[Any, ...]) -> Any:
    """Return the value of an expression, or of the expressions in a container."""
    if isinstance(value, Expr):
        return value.compute(given)
    if isinstance(value, (list, tuple)):
        return type(value)(compute(part, given) for part in value)
    if isinstance(value, dict):
        return {key: compute(part, given) for key, part in value.items()}
    if hasattr(value, "__dict__") and not isinstance(value, type):
        return {name: compute(part, given) for name, part in vars(value).items()}
    return value


def applied(function: Callable[..., Any], *operands: Any, is_test: bool = False) -> Expr:
    return Expr(lambda given: function(*[compute(operand, given) for operand in operands]), is_test=is_test)


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    _function = getattr(operator, _name)
    setattr(Expr, f"__{_name}__", lambda a, b, f=_function: applied(f, a, b))
    setattr(Expr, f"__r{_name}__", lambda a, b, f=_function: applied(f, b, a))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    _function = getattr(operator, _name)
    setattr(Expr, f"__{_name}__", lambda a, b, f=_function: applied(f, a, b, is_test=True))
for _name in ("neg", "abs"):
    _function = getattr(operator, _name)
    setattr(Expr, f"__{_name}__", lambda a, f=_function: applied(f, a))


class Calculator(ag.ExpressionOperators):
    """The operators. `failure` is a text, so that a test sees where the function raises."""

    kinds = (Expr,)
    allows_none = True
    failure = "raised"
    constants = (int, float, complex, str)
    builtins = {int: lambda x: applied(int, x), math.sqrt: lambda x: applied(math.sqrt, x)}

    def where(self, test: Any, first: Any, second: Any) -> Expr:
        return Expr(lambda given: compute(first if compute(test, given) else second, given))

    def and_(self, first: Any, second: Any) -> Expr:
        return Expr(lambda given: compute(first, given) and compute(second, given), is_test=True)

    def or_(self, first: Any, second: Any) -> Expr:
        return Expr(lambda given: compute(first, given) or compute(second, given), is_test=True)

    def not_(self, test: Any) -> Expr:
        return applied(operator.not_, test, is_test=True)

    def is_condition(self, value: Any) -> bool:
        return value.is_test

    def is_none(self, value: Any) -> Expr:
        return applied(lambda x: x is None, value, is_test=True)

    def text(self, parts: list[Any]) -> Expr:
        form = "".join(
            p if isinstance(p, str) else "{" + "!" * bool(p[1]) + p[1] + ":" + p[2] + "}" for p in parts
        )
        return applied(form.format, *[part[0] for part in parts if isinstance(part, tuple)])


class Strict(Calculator):
    """Operators that know no value for errors, and no None."""

    allows_none = False
    constants = (int, float, complex)

    def __getattribute__(self, name: str) -> Any:
        if name == "failure":
            raise AttributeError(name)
        return super().__getattribute__(name)


def arguments(count: int) -> list[Expr]:
    return [Expr(lambda given, i=i: given[i]) for i in range(count)]  # type: ignore[misc]
