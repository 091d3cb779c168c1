"""Symbolic values with Python's operators, for frameworks whose own operators mean something else."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from autograph_rs.runtime.errors import (
    ArgumentError,
    MismatchError,
    StagingError,
    UnsupportedFunctionError,
    ValueNeededError,
)
from autograph_rs.runtime.values.structures import flatten, unflatten

from .backend import BACKEND
from .operators import ExpressionOperators

LARGEST = 100_000


class Symbol:
    """A symbolic value: an expression of a framework, and what is known of the values that it stands for.

    `kind` is bool, int, float for any number, str, or None if it is not known. `size` counts the operations
    of the expression, each as often as it is used, and `origin` is the last one with its operands. What an
    operator does is defined by a `SymbolOperators`.
    """

    def __init__(
        self,
        operators: SymbolOperators,
        expr: Any,
        kind: type | None,
        origin: tuple[Any, ...] = (),
        *,
        nullable: bool = False,
    ):
        self.operators, self.expr, self.kind, self.origin = operators, expr, kind, origin
        self.size: int = 1 + sum(value.size for value in origin if isinstance(value, Symbol))
        self.nullable = nullable
        self.is_none: Any = operators.made("is_none", bool, self) if nullable else False

    def __repr__(self) -> str:
        return f"<symbol {self.expr}>"

    def __getattr__(self, name: str) -> Any:
        if name in self.operators.attributes:
            return self.operators.call(*self.operators.attributes[name], self)
        if name in self.operators.methods:
            return lambda *args: self.operators.call(*self.operators.methods[name], self, *args)
        raise AttributeError(f"a symbolic value has no attribute {name!r}")

    def __getitem__(self, key: Any) -> Any:
        operators = self.operators
        if not isinstance(key, slice):
            size = operators.operate("len", self)
            is_symbolic = isinstance(key, Symbol)
            for is_outside in (size <= key, size < -key) if is_symbolic else (size < max(-key, key + 1),):
                operators.fail_if(is_outside, IndexError("string index out of range"))
            return operators.operate("getitem", self, key)
        start, stop = key.start or 0, key.stop
        if key.step is not None or any(isinstance(end, Symbol) or (end or 0) < 0 for end in (start, stop)):
            self._refuse(
                "a slice with a step, or with bounds that are symbolic or negative,",
                "slice with plain bounds",
            )
        return operators.operate("slice", self, start, None if stop is None else max(stop - start, 0))

    def __round__(self, digits: int | None = None) -> Any:
        return self.operators.builtins[round](self, *([] if digits is None else [digits]))

    def __divmod__(self, other: Any) -> tuple[Symbol, Symbol]:
        return self // other, self % other

    def __bool__(self) -> NoReturn:  # noqa: PLE0304 - it raises
        self._refuse("Python code", "use it in converted code, or in operations that the framework defines")

    __iter__ = __index__ = __int__ = __float__ = __bool__

    def _refuse(self, what: str, remedy: str) -> NoReturn:
        raise ValueNeededError(
            f"{what} needs a symbolic value as a plain one",
            why="only the expression's values are known",
            remedy=remedy,
        )

    __hash__ = None  # type: ignore[assignment] # equality is symbolic


_ARITHMETIC = frozenset("add sub mul truediv floordiv mod pow".split())
_COMPARISONS = frozenset("eq ne lt le gt ge".split())
_NEUTRAL = {"add": 0, "sub": 0, "mul": 1}
_KINDS = {
    "len": int,
    **dict.fromkeys(_COMPARISONS, bool),
    "contains": bool,
    "getitem": str,
    "slice": str,
    "text": str,
}


def _define_operators() -> None:
    for name in _ARITHMETIC:
        setattr(Symbol, f"__{name}__", lambda a, b, n=name: a.operators.operate(n, a, b))
        setattr(Symbol, f"__r{name}__", lambda a, b, n=name: a.operators.operate(n, b, a))
    for name in (*_COMPARISONS, "neg", "abs"):
        setattr(Symbol, f"__{name}__", lambda *values, n=name: values[0].operators.operate(n, *values))


_define_operators()


class SymbolOperators(ExpressionOperators):
    """Base class for frameworks whose own operators differ from Python's, for example in `%`, NaN or null.

    The values of converted functions are then `Symbol`s. `operations` maps names to functions of the
    framework's expressions. "where" and "not_" are required. "and_", "or_", "add", "mod", "lt", "neg" and so
    on default to the functions of the module `operator`. Others are optional:

    - "is_none", "truth", "is_nan": conditions of a value. "is_nan" is for frameworks that order NaN.
    - "len", "round", "str": what these builtins return; "text": the parts of a text, joined
    - "getitem", "slice", "contains": of a text, an item, a part from a start and a length, and whether it
      contains another

    A use of None and a division by zero raise, so the result is the `failure` of the operators.

    >>> import autograph_rs as ag
    >>> class Operators(ag.SymbolOperators):
    ...     failure = "error"
    ...     operations = {
    ...         "where": "if({}, {}, {})".format, "and_": "({} & {})".format, "or_": "({} | {})".format,
    ...         "not_": "!{}".format, "mod": "mod({}, {})".format, "eq": "({} = {})".format,
    ...     }
    >>> operators = Operators()
    >>> @operators.convert
    ... def parity(n, base):
    ...     return "even" if n % base == 0 else "odd"
    >>> parity(operators.symbol("n"), 2).expr
    'if((mod(n, 2) = 0), even, odd)'
    >>> parity(operators.symbol("n"), operators.symbol("b")).expr
    'if((b = 0), error, if((mod(n, b) = 0), even, odd))'
    """

    kinds = (Symbol,)
    constants = (int, float, str)
    operations: Mapping[str, Callable[..., Any]] = {}
    methods: Mapping[str, tuple[type | None, Callable[..., Any]]] = {}
    """The methods of values by name, each with the kind of its results and a function of expressions."""
    attributes: Mapping[str, tuple[type | None, Callable[..., Any]]] = {}
    """The attributes of values, likewise."""

    def literal(self, value: Any) -> Any:
        """Return the expression of a plain value."""
        return value

    def checked(self, expr: Any, kind: type) -> Any:
        """Return an expression whose kind is not known as one of a kind, because `where` needs one kind."""
        return expr

    def __init__(self) -> None:
        super().__init__()
        missing = [name for name in ("where", "not_") if name not in self.operations]
        if missing:
            raise ArgumentError(
                f"the operations of {type(self).__name__} lack {', '.join(missing)}",
                why="all statements are built of these",
                remedy="add functions of the framework's expressions",
            )
        own = {function: functools.partial(self.operate, function.__name__) for function in (len, round, str)}
        self.builtins = {**own, **self.builtins}

    # Values

    def symbol(self, expr: Any, kind: type | None = None, *, nullable: bool = False) -> Symbol:
        """Return an expression of the framework as a value of converted functions."""
        return Symbol(self, expr, kind, nullable=nullable)

    def expression(self, value: Any) -> Any:
        """Return the framework's expression of a symbolic or plain value, or of each value in a container."""
        if isinstance(value, (tuple, list, dict)):
            leaves, spec = flatten(value)
            return unflatten(spec, list(map(self.expression, leaves)))
        return value.expr if isinstance(value, Symbol) else self.literal(value)

    def kind_of(self, value: Any) -> type | None:
        if isinstance(value, Symbol):
            return value.kind
        return type(value)

    def made(self, function: Any, kind: type | None, *values: Any, nullable: bool = False) -> Symbol:
        """Return the result of a function of expressions, or of one of the `operations`."""
        made = self._made(function, kind, values, nullable)
        if made.size > LARGEST:
            raise StagingError(
                f"the expression has more than {LARGEST} operations",
                why="it repeats what it uses twice, as a variable that each iteration of a loop changes",
                remedy="use fewer iterations, or compute intermediate results before",
            )
        return made

    def _made(self, function: Any, kind: type | None, values: tuple[Any, ...], nullable: bool) -> Symbol:
        """Return the result of an operation, which one run of a function computes once."""
        key = (function, *[id(v) if isinstance(v, Symbol) else (type(v), repr(v)) for v in values])
        known = BACKEND.run.made if BACKEND.staging() else {}
        if key not in known:
            called = function
            if isinstance(function, str):
                called = self.operations.get(function) or getattr(operator, function, None)
            if called is None:
                raise UnsupportedFunctionError(
                    f"the operation {function!r} gets a symbolic value",
                    why=f"the 'operations' of {type(self).__name__} have no {function!r}",
                    remedy="add a function of the framework's expressions to them",
                )
            expr = called(*map(self.expression, values))
            known[key] = Symbol(self, expr, kind, (function, *values), nullable=nullable)
        made: Symbol = known[key]
        return made

    def call(self, kind: type | None, function: Any, *values: Any) -> Symbol:
        """Return the result of a function of expressions for a use that raises for None."""
        for value in values:
            if isinstance(value, Symbol):
                self.fail_if(value.is_none, TypeError("the value is None"))
        return self.made(function, kind, *values)

    def operate(self, name: str, *values: Any) -> Any:
        """Return the result of Python's operator `name`, one of which operands is symbolic."""
        kinds = [self.kind_of(value) for value in values]
        if name in _COMPARISONS:
            return self._compared(
                name, *values, is_text=kinds.count(str) == 1 and len({*kinds} & {int, float}) == 1
            )
        if name in ("truediv", "floordiv", "mod") and self.can_fail:
            self.fail_if(values[1] == 0, ZeroDivisionError("division by zero"))
        kind: type | None = _KINDS.get(
            name, int if {*kinds} <= {int, bool} and name not in ("truediv", "pow") else float
        )
        if name == "add" and not {*kinds} & {int, float}:  # it may be of texts
            kind = str if str in kinds else int if bool in kinds else None
        return self._text_of(*values) if name == "str" else self.call(kind, name, *values)

    def _text_of(self, value: Symbol) -> Any:
        if value.kind is bool:
            shown = self.select(value, "True", "False")
        else:
            shown = value if value.kind is str else self.made("str", str, value)
        return self.select(value.is_none, "None", shown)

    def _compared(self, name: str, first: Any, second: Any, *, is_text: bool) -> Any:
        """Compare two values. With an operation "is_nan", the framework orders NaN above all numbers."""
        has_nan = any(isinstance(value, float) and math.isnan(value) for value in (first, second))
        if name in ("eq", "ne"):
            if is_text or has_nan:
                return name == "ne"
            result: Any = self.made("eq", bool, first, second)
            sides: list[Any] = [first, second]
            if not (isinstance(first, Symbol) and isinstance(second, Symbol)):
                sides = []
        else:
            result = self.call(bool, name, first, second)
            if has_nan:
                return False
            sides = [first if name in ("gt", "ge") else second]
        conditions = BACKEND.conditions
        is_number = {self.kind_of(first), self.kind_of(second)} <= {int, float, None}
        for side in sides if is_number and "is_nan" in self.operations else ():
            if isinstance(side, Symbol) and side.kind is not int:
                result = conditions.and_(result, conditions.not_(self.made("is_nan", bool, side)))
        return conditions.not_(result) if name == "ne" else result

    # Operators

    def where(self, test: Any, first: Any, second: Any) -> Any:
        sides: tuple[Any, ...] = (first, second)
        kinds = {self.kind_of(side) for side in sides}
        if str in kinds and kinds & {int, float}:
            raise MismatchError(
                "a value is a number on one path and text on the other",
                why="the expression needs one type for both",
                remedy="return numbers or text on all paths",
            )
        kind = next((k for k in (str, float, int, bool) if k in kinds), None)
        if kind in (int, float) and None in kinds:
            kind = float
        if kind in (int, float) and (shared := self._shared(test, first, second)) is not None:
            return shared
        if kind is not None and kind is not bool:
            sides = tuple(self._as_kind(side, kind) for side in sides)
        elif None in kinds:
            kind = None
        nullable = any(side.nullable if isinstance(side, Symbol) else side is None for side in sides)
        return self.made("where", kind, test, *sides, nullable=nullable)

    def _shared(self, test: Any, first: Any, second: Any) -> Any:
        """Return `x + where(test, y, 0)` for `where(test, x + y, x)`, which would use `x` twice.

        So the expression of a sum does not double in each iteration of a loop.
        """
        if not isinstance(first, Symbol) or len(first.origin) != 3 or first.nullable:
            return None
        name, left, right = first.origin
        if name not in _NEUTRAL or left is not second or self.kind_of(right) not in (int, float):
            return None
        return self.made(name, first.kind, left, self.where(test, right, _NEUTRAL[name]))

    def _as_kind(self, value: Any, kind: type) -> Any:
        if not isinstance(value, Symbol) or value.kind is not None:
            return value
        return self.made(lambda expr: self.checked(expr, kind), kind, value, nullable=value.nullable)

    def and_(self, first: Any, second: Any) -> Any:
        return self.made("and_", bool, first, second)

    def or_(self, first: Any, second: Any) -> Any:
        return self.made("or_", bool, first, second)

    def not_(self, test: Any) -> Any:
        return self.made("not_", bool, test)

    def is_condition(self, value: Any) -> bool:
        return value.kind is bool and not value.nullable

    def truth(self, value: Any) -> Any:
        return self.made("truth", bool, value) if "truth" in self.operations else value

    def is_none(self, value: Any) -> Any:
        return value.is_none

    def contains(self, item: Any, container: Any) -> Any:
        return self.operate("contains", container, item)

    def text(self, parts: list[Any]) -> Any:
        if "text" not in self.operations:
            return super().text(parts)
        return self.operate("text", *[p if isinstance(p, str) else self._shown(*p) for p in parts])

    def _shown(self, value: Any, conversion: str, form: str) -> Any:
        if form or conversion not in ("", "s"):
            raise UnsupportedFunctionError(
                "a symbolic value is formatted with a conversion or a format",
                why="the operation 'str' converts it to text in one way only",
                remedy="format it as {value}, and round it before",
            )
        return self.operate("str", value)
