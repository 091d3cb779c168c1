"""A framework of lazy arrays that embeds the transpiler: `if` and `while` become lazy expressions.

python examples/embed_lazy.py

A `Lazy` is an expression that has not been computed yet. Python's own `if` and `while` would need its truth
value immediately. So the framework passes its own operators to the transpiler, and its users write plain
Python. In unconverted code, the truth value of a `Lazy` is an error.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

import autograph_rs as ag


class Lazy:
    """An expression: an operation and its operands."""

    def __init__(self, kind: str, *parts: Any):
        self.kind, self.parts = kind, parts

    def __repr__(self) -> str:
        return f"{self.kind}({', '.join(map(str, self.parts))})"

    def __bool__(self) -> bool:
        raise TypeError(f"the truth value of {self.kind} is not known yet")

    def compute(self, known: dict[Lazy, Any] | None = None) -> Any:
        """Compute the value of the expression. `known` caches the values of expressions."""
        known = {} if known is None else known
        if self not in known:
            known[self] = COMPUTED[self.kind](known, *self.parts)
        return known[self]


def value(known: dict[Lazy, Any], part: Any) -> Any:
    return part.compute(known) if isinstance(part, Lazy) else part


COMPUTED: dict[str, Callable[..., Any]] = {"input": lambda _, array: array}
for name in ("add", "sub", "mul", "truediv", "neg", "lt", "le", "gt", "ge", "eq", "ne", "matmul", "getitem"):
    function = getattr(operator, name)
    COMPUTED[name] = lambda known, *parts, f=function: f(*[value(known, part) for part in parts])
    setattr(Lazy, f"__{name}__", lambda *parts, n=name: Lazy(n, *parts))
    if name in ("add", "sub", "mul", "truediv"):
        setattr(Lazy, f"__r{name}__", lambda self, other, n=name: Lazy(n, other, self))
Lazy.__hash__ = object.__hash__  # type: ignore[method-assign] # expressions hash by identity


def _cond(known: dict[Lazy, Any], test: Lazy, then: Any, other: Any) -> Any:
    return value(known, then if value(known, test) else other)


def _loop(known: dict[Lazy, Any], variables: list[Lazy], init: list[Any], test: Any, left: list[Any]) -> Any:
    values = [value(known, part) for part in init]
    while True:
        inside = {**known, **dict(zip(variables, values, strict=True))}
        if not value(inside, test):
            return values
        values = [value(inside, part) for part in left]


COMPUTED["cond"] = _cond
COMPUTED["loop"] = _loop
COMPUTED["item"] = lambda known, whole, place: value(known, whole)[place]


class Operators:
    """The framework's operators; the transpiler supplies the others."""

    @staticmethod
    def if_stmt(cond, body, orelse, get_state, set_state, _names, _outputs):
        if not isinstance(cond, Lazy):
            (body if cond else orelse)()
            return
        before = get_state()
        body()
        then = get_state()
        set_state(before)
        orelse()
        set_state(
            tuple(a if a is b else Lazy("cond", cond, a, b) for a, b in zip(then, get_state(), strict=True))
        )

    @staticmethod
    def while_stmt(test, body, get_state, set_state, names, _options):
        going = test()
        while not isinstance(going, Lazy):
            if not going:
                return
            body()
            going = test()
        init = get_state()
        variables = [Lazy("variable", name) for name in names]
        set_state(tuple(variables))
        asked = test()
        body()
        loop = Lazy("loop", variables, list(init), asked, list(get_state()))
        set_state(tuple(Lazy("item", loop, place) for place in range(len(names))))

    @staticmethod
    def and_(first, second):
        left = first()
        return Lazy("cond", left, second(), left) if isinstance(left, Lazy) else left and second()

    @staticmethod
    def or_(first, second):
        left = first()
        return Lazy("cond", left, left, second()) if isinstance(left, Lazy) else left or second()

    @staticmethod
    def not_(given):
        return Lazy("cond", given, False, True) if isinstance(given, Lazy) else not given

    @staticmethod
    def if_exp(cond, if_true, if_false, _text):
        if isinstance(cond, Lazy):
            return Lazy("cond", cond, if_true(), if_false())
        return if_true() if cond else if_false()


TRANSPILER = ag.Transpiler(operators=Operators, name="lazy")


def lazy(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of arrays that builds its whole expression, then computes the parts that it needs."""
    converted = TRANSPILER.to_graph(function)

    def run(*arrays: Any) -> Any:
        return value({}, converted(*[Lazy("input", np.asarray(array)) for array in arrays]))

    return run


@lazy
def root(a):
    """Compute a square root by Newton's method, as a user of the framework writes it."""
    x, steps = a, 0
    while abs_of(x * x - a) > 1e-9 and steps < 50:
        x = (x + a / x) / 2
        steps = steps + 1
    return x


def abs_of(x):
    if x < 0:
        x = -x
    return x


def main() -> None:
    print("root of 2:", root(2.0))
    x = Lazy("input", np.float64(-3.0))
    print("|x| as an expression:", TRANSPILER.to_graph(abs_of)(x))


if __name__ == "__main__":
    main()
