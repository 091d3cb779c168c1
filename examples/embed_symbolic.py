"""Symbolic execution that embeds the transpiler: list every path of a function with its conditions.

python examples/embed_symbolic.py

At each condition on a symbol, the operators take one branch and record the condition. The function runs again
until both branches of each condition have been taken.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import autograph_rs as ag

SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "mod": "%",
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=",
}  # fmt: skip


class Symbol:
    """An unknown number, as text."""

    def __init__(self, text: str):
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def __neg__(self) -> Symbol:
        return Symbol(f"-{self}")

    def __bool__(self) -> bool:
        raise TypeError(f"the truth value of {self} is unknown outside of converted code")

    __hash__ = None  # type: ignore[assignment] # equality of unknown numbers is unknown


for name, sign in SIGNS.items():
    assert hasattr(operator, name)
    setattr(Symbol, f"__{name}__", lambda a, b, sign=sign: Symbol(f"({a} {sign} {b})"))
    if name in ("add", "sub", "mul", "mod"):
        setattr(Symbol, f"__r{name}__", lambda a, b, sign=sign: Symbol(f"({b} {sign} {a})"))


@dataclass(frozen=True)
class Explored:
    """One path: its conditions, and its result."""

    conditions: tuple[str, ...]
    result: Any

    def __str__(self) -> str:
        return f"{' and '.join(self.conditions) or 'always'}: {self.result}"


class DeepError(Exception):
    """A path has too many conditions."""


class Path:
    """The current path: its conditions so far, and their outcomes."""

    def __init__(self, ways: list[bool], depth: int):
        self.ways, self.depth = ways, depth
        self.conditions: list[str] = []
        self.known: dict[str, bool] = {}

    def goes(self, condition: Any) -> bool:
        if not isinstance(condition, Symbol):
            return bool(condition)
        text = str(condition)
        if text not in self.known:
            place = len(self.known)
            if place == self.depth:
                raise DeepError
            if place == len(self.ways):
                self.ways.append(True)
            self.known[text] = self.ways[place]
            self.conditions.append(text if self.ways[place] else f"not {text}")
        return self.known[text]

    # The operators that need a truth value

    def if_stmt(self, cond, body, orelse, get_state, set_state, names, nouts):
        (body if self.goes(cond) else orelse)()

    def if_exp(self, cond, if_true, if_false, text):
        return if_true() if self.goes(cond) else if_false()

    def while_stmt(self, test, body, get_state, set_state, names, options):
        while self.goes(test()):
            body()

    def and_(self, first, second):
        left = first()
        return second() if self.goes(left) else left

    def or_(self, first, second):
        left = first()
        return left if self.goes(left) else second()

    def not_(self, value):
        return not self.goes(value)


def explore(function: Callable[..., Any], *names: str, depth: int = 8) -> Iterator[Explored]:
    """Yield every path of a function with at most `depth` conditions. `names` are its arguments."""
    ways: list[bool] = []
    while True:
        path = Path(ways, depth)
        converted = ag.Transpiler(operators=path, name="symbolic").to_graph(function)
        try:
            result = converted(*map(Symbol, names))
            yield Explored(tuple(path.conditions), result)
        except DeepError:
            pass
        while ways and not ways[-1]:
            ways.pop()
        if not ways:
            return
        ways[-1] = False


def fee(age, is_member):
    """Compute a fee. This function does not mention symbols."""
    price = 10
    if age < 6 or age > 65:
        price = 0
    elif is_member:
        price = price - 2
    return price


def halvings(n):
    count = 0
    while n > 1:
        n = n - 2
        count += 1
    return count


def main() -> None:
    for path in explore(fee, "age", "is_member"):
        print(path)
    for path in explore(halvings, "n", depth=3):
        print(path)


if __name__ == "__main__":
    main()
