"""A system of typed expression graphs for tests, with loops and effects."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import autograph_rs as ag

RANKS = {bool: 0, int: 1, float: 2}


class Node:
    """A function of other nodes, computed at most once, and only if it is needed."""

    def __init__(self, kind: Any, function: Callable[..., Any], *operands: Any):
        self.type, self.function, self.operands = kind, function, operands

    def compute(self, values: dict[Any, Any]) -> Any:
        """Return the value of the node, given those of others, to which it is added."""
        if self not in values:
            values[self] = self.function(values, *self.operands)
        return values[self]

    def _refuse(self, *_: Any) -> Any:
        raise TypeError("Python needs the value of a node")

    __hash__ = object.__hash__
    __bool__ = __iter__ = __index__ = __int__ = __float__ = __round__ = _refuse


def compute(value: Any, values: dict[Any, Any]) -> Any:
    """Return the value of a node, or of the nodes in a container."""
    if isinstance(value, (tuple, list)):
        return type(value)(compute(part, values) for part in value)
    return value.compute(values) if isinstance(value, Node) else value


def type_of(value: Any) -> Any:
    return value.type if isinstance(value, Node) else type(value)


def applied(kind: Any, function: Callable[..., Any], *operands: Any) -> Node:
    return Node(kind, lambda values, *args: function(*[compute(arg, values) for arg in args]), *operands)


def number(*operands: Any) -> Any:
    return max((int, *map(type_of, operands)), key=lambda kind: RANKS.get(kind, 3))


def _define_operators() -> None:
    for name in "add sub mul truediv floordiv mod pow".split():
        f, kind = getattr(operator, name), (lambda *_: float) if name == "truediv" else number
        setattr(Node, f"__{name}__", lambda a, b, f=f, kind=kind: applied(kind(a, b), f, a, b))
        setattr(Node, f"__r{name}__", lambda a, b, f=f, kind=kind: applied(kind(a, b), f, b, a))
    for name in "lt le gt ge eq ne".split():
        f = getattr(operator, name)
        setattr(Node, f"__{name}__", lambda a, b, f=f: applied(bool, f, a, b))
    for name in ("neg", "abs"):
        f = getattr(operator, name)
        setattr(Node, f"__{name}__", lambda a, f=f: applied(number(a), f, a))


_define_operators()


class Untyped(ag.GraphOperators):
    """The least that a system defines: conditionals, loops, and placeholders."""

    kinds = (Node,)
    loops = 0
    builtins = {
        math.sqrt: lambda x: applied(float, math.sqrt, x),
        int: lambda x: applied(int, int, x),
        float: lambda x: applied(float, float, x),
    }

    def placeholder(self, kind: Any) -> Node:
        return Node(kind, lambda _: operator.truth(None))

    def cond(self, test: Any, then: Sequence[Any], orelse: Sequence[Any]) -> list[Node]:
        def choose(values: dict[Any, Any], i: int) -> Any:
            return compute((then if compute(test, values) else orelse)[i], values)

        return [Node(type_of(then[i]), choose, i) for i in range(len(then))]

    def while_loop(
        self, placeholders: Sequence[Any], test: Any, body: Sequence[Any], init: Sequence[Any]
    ) -> list[Node]:
        def run(values: dict[Any, Any]) -> list[Any]:
            state = [compute(value, values) for value in init]
            while True:
                inner = {**values, **dict(zip(placeholders, state, strict=True))}
                if not compute(test, inner):
                    return state
                state = [compute(value, inner) for value in body]

        self.loops += 1
        loop = Node(None, run)
        items = [lambda values, i=i: loop.compute(values)[i] for i in range(len(init))]  # type: ignore[misc]
        return [Node(p.type, item) for p, item in zip(placeholders, items, strict=True)]


class Typed(Untyped):
    """Ints, floats and bools, the operations of bools, and effects."""

    def type_of(self, value: Any) -> Any:
        return type_of(value) if type_of(value) in (bool, int, float, "token") else None

    def merge(self, first: Any, second: Any) -> Any:
        if {first, second} == {int, float}:
            return float
        raise TypeError(f"{first} and {second} have no common type")

    def cast(self, value: Any, kind: Any) -> Node:
        return value if type_of(value) is kind and isinstance(value, Node) else applied(kind, kind, value)

    def and_(self, first: Any, second: Any) -> Node:
        return Node(bool, lambda values: compute(first, values) and compute(second, values))

    def or_(self, first: Any, second: Any) -> Node:
        return Node(bool, lambda values: compute(first, values) or compute(second, values))

    def not_(self, test: Any) -> Node:
        return applied(bool, operator.not_, test)

    def truth(self, value: Any) -> Node:
        return value if value.type is bool else value != 0


class Effects(Typed):
    """A token is a node that has an effect after that of its operand."""

    def start(self) -> Node:
        return Node("token", lambda _: None)

    def print(self, token: Any, *values: Any) -> Node:
        return applied("token", lambda _, *shown: print(*shown), token, *values)

    def raise_(self, token: Any, error: BaseException) -> Node:
        def fail(_: Any, error: BaseException) -> None:
            raise error.with_traceback(None)

        return applied("token", fail, token, error)

    def finish(self, result: Any, token: Any) -> Any:
        return result, token


def compiled(operators: ag.GraphOperators, f: Callable[..., Any], *types: type) -> Callable[..., Any]:
    """Return a function that computes the graph of `f` for arguments of these types."""
    arguments = [operators.placeholder(kind) for kind in types]
    built = operators.convert(f)(*arguments)
    result, token = built if isinstance(operators, Effects) else (built, None)

    def call(*given: Any) -> Any:
        values = dict(zip(arguments, given, strict=True))
        compute(token, values)
        return compute(result, values)

    return call
