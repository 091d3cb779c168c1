"""The operators of a system of expression graphs that has conditionals and loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograph_rs.runtime.errors import ArgumentError

from .conditions import result_of, results_of
from .operators import ExpressionOperators


class GraphOperators(ExpressionOperators):
    """Base class for systems of expressions that have functional conditionals and loops.

    A subclass names the classes of its values in `kinds`, and defines `placeholder`, `cond` and `while_loop`.
    In a converted function, both branches of an `if` on a symbolic condition run. The body of a loop runs on
    placeholders, until the types of the values that the loop carries are settled. This class handles state in
    variables, attributes and containers, `break`, `continue` and `return`, unbound variables, and loops over
    symbolic ranges. It also has the optional members of `ExpressionOperators`.

    Values are expressions: they can be used wherever their placeholders are known.

    A system with types defines `type_of`, `merge` and `cast`. One with effects defines `start`, `finish`,
    `print` and `raise_`, which pass a token from one effect to the next.

    Raises:
        ArgumentError: the subclass lacks `kinds`, one of the three methods, or one of those for effects.

    >>> import autograph_rs as ag
    >>> class Expr:
    ...     def __init__(self, text):
    ...         self.text = text
    ...     def __repr__(self):
    ...         return self.text
    ...     def __gt__(self, other):
    ...         return Expr(f"{self} > {other}")
    ...     def __sub__(self, other):
    ...         return Expr(f"{self} - {other}")
    >>> class Operators(ag.GraphOperators):
    ...     kinds = (Expr,)
    ...     def placeholder(self, kind):
    ...         return Expr("x")
    ...     def cond(self, test, then, orelse):
    ...         return [Expr(f"if({test}, {a}, {b})") for a, b in zip(then, orelse)]
    ...     def while_loop(self, placeholders, test, body, init):
    ...         return [Expr(f"loop({', '.join(map(str, init))}: {', '.join(map(str, body))})") for _ in init]
    >>> @Operators().convert
    ... def countdown(n):
    ...     while n > 0:
    ...         n = n - 1
    ...     return n
    >>> countdown(Expr("n"))
    loop(n, n > 0: x - 1, x - 1 > 0)
    >>> countdown(3)
    0
    """

    _required = ("kinds", "placeholder", "cond", "while_loop")

    def __init__(self) -> None:
        found = [name for name in _EFFECTS if hasattr(self, name)]
        if found and len(found) < len(_EFFECTS):
            missing = [name for name in _EFFECTS if name not in found]
            raise ArgumentError(
                f"{type(self).__name__} has {', '.join(found)}, but not {', '.join(missing)}",
                why="a token passes from 'start' through all effects to 'finish', or effects would be lost",
                remedy="define all of them, or none",
            )
        super().__init__()
        self.can_fail = bool(found) or self.can_fail

    # What a system defines

    def placeholder(self, kind: Any) -> Any:
        """Return a new symbol of a type that `type_of` or `merge` has returned."""
        raise NotImplementedError

    def cond(self, test: Any, then: Sequence[Any], orelse: Sequence[Any]) -> Sequence[Any]:
        """Return the values of `then` if `test` is true, else those of `orelse`. Their types are the same."""
        raise NotImplementedError

    def while_loop(
        self, placeholders: Sequence[Any], test: Any, body: Sequence[Any], init: Sequence[Any]
    ) -> Sequence[Any]:
        """Return the values after a loop, one for each placeholder.

        The placeholders begin as `init`. While `test` is true, they become the values of `body`, all at once.
        `test` and `body` are expressions of the placeholders and of values outside the loop.
        """
        raise NotImplementedError

    # What it may define

    def type_of(self, value: Any) -> Any:
        """Return the system's type of a symbolic value, or of a plain one of a class in `constants`.

        None means that no branch or loop can leave the value.
        By default all have one type, `"value"`.
        """
        return "value" if self.owns(value) or isinstance(value, self.constants) else None

    def merge(self, first: Any, second: Any) -> Any:
        """Return a type for the values of two types, or raise a `TypeError` that says why there is none."""
        raise TypeError(f"values of the types {first} and {second} have no common type")

    def cast(self, value: Any, kind: Any) -> Any:
        """Return a symbolic value or a constant as a symbolic value of a type.

        The constant 0 is cast to any type, for a variable that has no value yet.
        """
        return value

    def not_(self, test: Any) -> Any:
        return self.where(test, False, True)

    def and_(self, first: Any, second: Any) -> Any:
        """Return whether both conditions are true, without computing the second if the first is false."""
        return self.where(first, second, False)

    def or_(self, first: Any, second: Any) -> Any:
        """Return whether one of two conditions is true, without computing the second if the first is true."""
        return self.where(first, True, second)

    def is_condition(self, value: Any) -> bool:
        """Return whether a value has the type of True, and numbers have another."""
        return bool(self.type_of(value) == self.type_of(True) != self.type_of(0))

    def where(self, test: Any, first: Any, second: Any) -> Any:
        types = [self.type_of(value) for value in (first, second)]
        type_ = types[0] if types[0] == types[1] else self.merge(*types)
        sides = [[result_of(self, "cast", side, type_)] for side in (first, second)]
        return results_of(self, "cond", 1, test, *sides)[0]


_EFFECTS = ("start", "finish", "print", "raise_")
