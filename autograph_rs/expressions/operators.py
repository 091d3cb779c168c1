"""The operators of a framework of expressions, from which all statements follow."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, overload

from autograph_rs.runtime.debugging.tracebacks import api_boundary
from autograph_rs.runtime.errors import ArgumentError, ValueNeededError

from ..transpiler.policy import checked_kinds
from ..transpiler.transpiler import Transpiler
from .backend import BACKEND
from .values import UnknownText, show_message

Convertible = TypeVar("Convertible", bound=Callable[..., Any])


class ExpressionOperators:
    """Base class for frameworks whose values are symbolic expressions, without statements.

    A subclass names the classes of its values in `kinds`, and defines `where`, `and_`, `or_` and `not_`. A
    converted function runs both branches of each `if` on a symbolic condition, and merges what they leave in
    variables, attributes and containers, leaf by leaf, with `where`. Loops over plain iterables are unrolled;
    their `break`, `continue` and `return` may depend on symbolic conditions. Everything else is optional.

    Raises:
        ArgumentError: the subclass lacks `kinds` or one of the four methods, or defines a member that the
            base class uses itself.

    >>> import autograph_rs as ag
    >>> class Expr:
    ...     def __init__(self, text):
    ...         self.text = text
    ...     def __repr__(self):
    ...         return self.text
    ...     def __gt__(self, other):
    ...         return Test(f"({self} > {other})")
    >>> class Test(Expr):
    ...     pass
    >>> class Operators(ag.ExpressionOperators):
    ...     kinds = (Expr,)
    ...     def where(self, test, first, second):
    ...         return Expr(f"where({test}, {first}, {second})")
    ...     def and_(self, first, second):
    ...         return Test(f"({first} and {second})")
    ...     def or_(self, first, second):
    ...         return Test(f"({first} or {second})")
    ...     def not_(self, test):
    ...         return Test(f"not {test}")
    ...     def is_condition(self, value):
    ...         return isinstance(value, Test)
    >>> @Operators().convert
    ... def rate(income):
    ...     for limit, percent in [(100, 40), (50, 20)]:
    ...         if income > limit:
    ...             return percent
    ...     return 0
    >>> rate(Expr("x"))
    where((x > 100), 40, where((x > 50), 20, 0))
    >>> rate(70)
    20
    """

    _required: tuple[str, ...] = ("kinds", "where", "and_", "or_", "not_")
    kinds: tuple[type, ...] = ()
    """The classes of symbolic values."""
    constants: tuple[type, ...] = (int, float, complex)
    """The classes of plain values that `where` takes beside symbolic ones."""
    allows_none = False
    """Whether `where` takes None, for a missing value."""
    failure: Any
    """What the function returns where it raises, such as math.nan, leaf by leaf.

    Without it, a `raise` or `assert` under a symbolic condition is refused. So is whatever may raise: reading
    a variable that only one branch assigns, and an item at a symbolic index or key.
    """
    builtins: Mapping[Any, Callable[..., Any]] = {}
    """What converted code calls with symbolic arguments in place of builtins and functions of `math`."""

    @api_boundary
    def __init__(self) -> None:
        own = _own_classes(type(self))
        missing = [name for name in self._required if not _is_defined(own, name)]
        if missing:
            raise ArgumentError(
                f"{type(self).__name__} lacks {', '.join(missing)}",
                why="all statements are built of these",
                remedy=f"define kinds, a tuple of classes, and the methods {', '.join(self._required[1:])}",
            )
        taken = [name for name in _RESERVED if _is_defined(own, name)]
        if taken:
            raise ArgumentError(
                f"{type(self).__name__} defines {', '.join(taken)}",
                why="the base class has members of these names, which it uses itself",
                remedy="give yours other names",
            )
        self.kinds = checked_kinds(self.kinds)
        if not self.kinds:
            raise ArgumentError(
                f"the kinds of {type(self).__name__} are empty",
                why="values of these classes are symbolic",
                remedy="list the classes of your values in kinds",
            )
        self.can_fail = hasattr(self, "failure")
        self.transpiler = Transpiler(
            name=type(self).__name__, kinds=self.kinds, rules=dict.fromkeys(own, False)
        )
        classes = [c for kind in self.kinds for c in kind.__mro__ if c is not object]
        self.transpiler.policy.operator_modules.update(c.__module__ for c in (*own, *classes))
        BACKEND.add(self.kinds)

    @overload
    def convert(self, f: Convertible) -> Convertible: ...

    @overload
    def convert(self, f: None = None) -> Callable[[Convertible], Convertible]: ...

    @api_boundary
    def convert(self, f: Any = None) -> Any:
        """Return a function that builds an expression if `f` gets symbolic values.

        Functions that `f` calls are converted, too. Given plain values, the result is that of `f`. Without
        `f`, the result is a decorator.

        Raises:
            ArgumentError: `f` is not a Python callable.
            StagingError: raised by a call if a statement has no expression, with its line and a remedy.
        """
        if f is None:
            return self.convert
        if isinstance(f, (classmethod, staticmethod)):
            return type(f)(self.convert(f.__func__))
        converted = self.transpiler.convert(f)

        @functools.wraps(f)
        def build(*args: Any, **kwargs: Any) -> Any:
            if BACKEND.is_running(self):  # another converted function calls it
                return converted(*args, **kwargs)
            with BACKEND.running(self):
                try:
                    return BACKEND.finished(converted(*args, **kwargs))
                except Exception as error:
                    show_message(error)
                    raise

        return build

    # What a framework defines

    def where(self, test: Any, first: Any, second: Any) -> Any:
        """Return `first` where `test` is true, else `second`. Both may be constants."""
        raise NotImplementedError

    def and_(self, first: Any, second: Any) -> Any:
        """Return the expression of two conditions that is true where both are."""
        raise NotImplementedError

    def or_(self, first: Any, second: Any) -> Any:
        """Return the expression of two conditions that is true where one of them is."""
        raise NotImplementedError

    def not_(self, test: Any) -> Any:
        """Return the expression that is true where a condition is false."""
        raise NotImplementedError

    # What it may define

    def is_symbolic(self, value: Any) -> _bool:
        """Return whether a value of one of the `kinds` is symbolic; Python takes the truth of any other."""
        return True

    def is_condition(self, value: Any) -> _bool:
        """Return whether a symbolic value can only be true or false.

        The `and` of two conditions is `and_`. That of other values is a value: `where(a, b, a)`.
        """
        return False

    def truth(self, value: Any) -> Any:
        """Return the condition that a symbolic value is true, as `bool` would."""
        return value

    def is_none(self, value: Any) -> Any:
        """Return the condition that a symbolic value is None; by default, it never is."""
        return False

    def contains(self, item: Any, container: Any) -> Any:
        """Return the condition `item in container` if the container is symbolic or a `str`."""
        raise ValueNeededError(
            "'in' is used with a symbolic container",
            why=f"{type(self).__name__} has no method 'contains', which would build its expression",
            remedy="define it, or use a plain container",
        )

    def text(self, parts: list[Any]) -> Any:
        """Return the expression of an f-string or `str(value)`.

        `parts` are strings and, for symbolic values, tuples of the value, its conversion ('', 's', 'r' or
        'a') and its format. Without this method, such text can only be the message of an error.
        """
        return UnknownText(type(self).__name__, parts)

    # What it may use

    def owns(self, value: Any) -> _bool:
        """Return whether a value is symbolic for these operators."""
        return isinstance(value, self.kinds) and self.is_symbolic(value)

    def select(self, test: Any, first: Any, second: Any) -> Any:
        """Return `first if test else second`, where all three may be plain, in its simplest form."""
        return BACKEND.conditions.select(BACKEND.truth(test), first, second)

    def fail_if(self, test: Any, error: BaseException) -> None:
        """Let the function raise an error where a condition is true, as `if test: raise error` does."""
        BACKEND.fail(test, error)

    # Builtins

    def minimum(self, *values: Any, key: Any = None, **default: Any) -> Any:
        return self._extreme(min, values, default, lambda new, best: new < best)

    def maximum(self, *values: Any, key: Any = None, **default: Any) -> Any:
        return self._extreme(max, values, default, lambda new, best: new > best)

    def _extreme(self, function: Any, values: Any, default: dict[str, Any], is_better: Any) -> Any:
        items = [*values[0]] if len(values) == 1 else [*values]
        if not items:
            return function(items, **default)
        return functools.reduce(lambda best, new: self.select(is_better(new, best), new, best), items)

    def bool(self, value: Any) -> Any:
        return self.select(value, True, False)

    def any(self, values: Iterable[Any]) -> Any:
        return self.bool(functools.reduce(BACKEND.conditions.or_, map(BACKEND.truth, values), False))

    def all(self, values: Iterable[Any]) -> Any:
        return self.bool(functools.reduce(BACKEND.conditions.and_, map(BACKEND.truth, values), True))

    def sum(self, values: Iterable[Any], start: Any = 0) -> Any:
        return functools.reduce(lambda total, value: total + value, values, start)

    def sorted(self, values: Iterable[Any], *, reverse: _bool = False) -> list[Any]:
        """Return the values in order, by a network of comparisons: their number grows with its square."""
        items = [*values]
        for end in range(len(items) - 1, 0, -1):
            for i in range(end):
                left, right = items[i], items[i + 1]
                is_wrong = left < right if reverse else right < left
                items[i], items[i + 1] = (
                    self.select(is_wrong, right, left),
                    self.select(is_wrong, left, right),
                )
        return items


_bool = bool  # `bool` is a method of the class


_RESERVED = ("convert", "transpiler", "owns", "select", "fail_if", "can_fail")


def _is_defined(classes: Iterable[type], name: str) -> _bool:
    """Return whether one of these classes itself defines a member."""
    return any(name in vars(c) for c in classes)


def _own_classes(kind: type) -> list[type]:
    return [c for c in kind.__mro__ if c is not object and "_required" not in vars(c)]
