"""Conditions and selections of symbolic values, simplified by what is known where they are used.

Each result is noted with its operands, so that a test that has been decided is recognized later. Without
that, the flags of `break` and `return` would double an expression in each iteration of an unrolled loop.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, NoReturn

from autograph_rs.runtime.backends import BackendNeutral
from autograph_rs.runtime.errors import ArgumentError, describe


def result_of(operators: Any, method: str, *args: Any, **kwargs: Any) -> Any:
    """Call a method of the operators, and check that it returns a value."""
    value = getattr(operators, method)(*args, **kwargs)
    if value is None:
        raise ArgumentError(
            f"{method} of {type(operators).__name__} returns None",
            why="converted code goes on with the value that it returns",
            remedy=f"return a symbolic value from {method}",
        )
    return value


def results_of(operators: Any, method: str, count: int, *args: Any) -> list[Any]:
    """Call a method of the operators that returns a list, and check that it has so many values."""
    results = result_of(operators, method, *args)
    is_list = isinstance(results, Iterable) and not isinstance(results, operators.kinds)
    values = [*results] if is_list else [results]
    if not is_list or len(values) != count or any(value is None for value in values):
        found = f"{len(values)} values" if is_list else f"{describe(results)} instead of a list"
        raise ArgumentError(
            f"{method} of {type(operators).__name__} returns {found} for {count} variables",
            why="each variable that the statement changes has a value after it, which is not None",
            remedy=f"return a list of {count} symbolic values",
        )
    return values


class _Note(NamedTuple):
    """How a value came about. `value` keeps it alive, because notes are found by its id."""

    operation: str
    operands: tuple[Any, ...]
    value: Any


class OnlyTruth(BackendNeutral):
    """The value of an `and` or `or` of operands that have no common type, as in `if n and n > 3`.

    `condition` is its truth. Any other use raises `error`.
    """

    def __init__(self, condition: Any, error: Exception):
        self.condition, self.error = condition, error

    def refuse(self, *_: Any) -> NoReturn:
        raise self.error

    __bool__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = refuse
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __neg__ = __abs__ = refuse
    __getitem__ = __len__ = __iter__ = __index__ = __int__ = __float__ = __str__ = __format__ = refuse
    __hash__ = None  # type: ignore[assignment] # equality is refused


class Conditions:
    """The conditions and selections of one run of a converted function.

    `operators` are an `ExpressionOperators`. Conditions may also be plain bools.
    """

    def __init__(self, operators: Any):
        self.operators = operators
        self._notes: dict[int, _Note] = {}
        self._truths: dict[int, tuple[Any, Any]] = {}
        self._flags: dict[int, tuple[Any, Any]] = {}
        self._made: dict[tuple[Any, ...], Any] = {}
        """The conditions by their operation and the ids of their operands."""
        self._opposites: dict[int, Any] = {}

    def _noted(self, operation: str, *operands: Any) -> Any:
        return self.note(operation, operands, result_of(self.operators, operation, *operands))

    def note(self, operation: str, operands: tuple[Any, ...], value: Any) -> Any:
        """Note how a value came about, and return it."""
        if self.operators.owns(value):
            self._notes.setdefault(id(value), _Note(operation, operands, value))
            if operation in _OPPOSITES:
                self._made.setdefault((operation, *map(id, operands)), value)
                self._note_opposite(operation, operands, value)
        return value

    def _note_opposite(self, operation: str, operands: tuple[Any, ...], value: Any) -> None:
        """Note which known condition is true where a new one is false, by De Morgan's laws."""
        opposite = operands[0]
        if operation != "not_":
            others = [id(self._opposites.get(id(operand))) for operand in operands]
            opposite = self._made.get((_OPPOSITES[operation], *others))
        if opposite is not None:
            self._opposites.setdefault(id(value), opposite)
            self._opposites.setdefault(id(opposite), value)

    def is_condition(self, value: Any) -> bool:
        """Return whether a value is true or false, and no other value that has a truth."""
        note = self._notes.get(id(value))
        if isinstance(value, bool) or (note is not None and note.operation in _LOGICAL):
            return True
        if note is not None and note.operation == "where":
            return all(map(self.is_condition, note.operands[1:]))
        return self.operators.owns(value) and bool(self.operators.is_condition(value))

    def truth(self, value: Any) -> Any:
        """Return the condition that `if value` tests."""
        if isinstance(value, OnlyTruth):
            return value.condition
        if not self.operators.owns(value):
            return bool(value)
        if self.is_condition(value):
            return value
        if id(value) not in self._truths:
            test = result_of(self.operators, "truth", value)
            self._truths[id(value)] = value, test
            if test is not value and self.operators.owns(test):
                self._notes.setdefault(id(test), _Note("truth", (), test))
        return self._truths[id(value)][1]

    def not_(self, test: Any) -> Any:
        if isinstance(test, bool):
            return not test
        note = self._notes.get(id(test))
        return note.operands[0] if note and note.operation == "not_" else self._noted("not_", test)

    def and_(self, first: Any, second: Any) -> Any:
        second = self.assuming(second, first, outcome=True)
        if first is False or second is True or first is second:
            return first
        return second if first is True or second is False else self._noted("and_", first, second)

    def or_(self, first: Any, second: Any) -> Any:
        second = self.assuming(second, first, outcome=False)
        if first is True or second is False or first is second:
            return first
        return second if first is False or second is True else self._noted("or_", first, second)

    def select(self, test: Any, first: Any, second: Any) -> Any:
        """Return `first` if a condition is true, else `second`."""
        simple = self.simple_selection(test, first, second)
        if simple is not NotImplemented:
            return simple
        first, second = self.assuming(first, test, outcome=True), self.assuming(second, test, outcome=False)
        outer, inner = self._notes.get(id(test)), self._notes.get(id(first))
        if outer is not None and outer.operation == "not_":
            return self.select(outer.operands[0], second, first)
        if inner is not None and inner.operation == "where":
            chosen, left, right = inner.operands
            if outer is not None and outer.operation == "or_" and self._is_disjunct(chosen, test):
                rest = self.assuming(test, chosen, outcome=False)
                return self.select(chosen, left, self.select(rest, right, second))
            if _is_same(right, second):
                return self.select(self.and_(test, chosen), left, second)
            if _is_same(left, second):
                return self.select(self.and_(test, self.not_(chosen)), right, second)
        inner = self._notes.get(id(second))
        if inner is not None and inner.operation == "where" and _is_same(inner.operands[1], first):
            return self.select(self.or_(test, inner.operands[0]), first, inner.operands[2])
        return self._noted("where", test, first, second)

    def simple_selection(self, test: Any, first: Any, second: Any) -> Any:
        """Return a selection that needs no `where`, or NotImplemented."""
        if isinstance(test, bool):
            return first if test else second
        first, second = self.assuming(first, test, outcome=True), self.assuming(second, test, outcome=False)
        if _is_same(first, second):
            return first
        if self.is_condition(first) and self.is_condition(second):
            test = self._flag(test)
            if isinstance(first, bool) and isinstance(second, bool):
                return test if first else self.not_(test)
            if first is True:
                return self.or_(test, second)
            if second is False:
                return self.and_(test, first)
            if first is False:
                return self.and_(self.not_(test), second)
            if second is True:
                return self.or_(self.not_(test), first)
        return NotImplemented

    def _is_disjunct(self, condition: Any, test: Any) -> bool:
        """Return whether a condition is one of those that `or` joins in a test."""
        note = self._notes.get(id(test))
        operands = note.operands if note is not None and note.operation == "or_" else ()
        return condition is test or any(self._is_disjunct(condition, operand) for operand in operands)

    def _flag(self, test: Any) -> Any:
        """Return the condition that a test holds, which is True or False and no other value."""
        if self.is_condition(test):
            return test
        if id(test) not in self._flags:
            self._flags[id(test)] = test, self._noted("where", test, True, False)
        return self._flags[id(test)][1]

    # What is known

    def assuming(self, value: Any, test: Any, *, outcome: bool) -> Any:
        """Return a value in a simpler form, which is equal where a test has this outcome."""
        if not self.operators.owns(value) or isinstance(test, bool):
            return value
        facts = {id(fact): result for fact, result in self._facts(self.truth(test), outcome=outcome)}
        return self._simplified(value, facts, {}, is_test=False)

    def _facts(self, test: Any, *, outcome: bool) -> Iterable[tuple[Any, bool]]:
        """Yield the conditions that a test with this outcome decides, and their outcomes."""
        yield test, outcome
        if id(test) in self._opposites:
            yield self._opposites[id(test)], not outcome
        if id(test) in self._flags:
            yield self._flags[id(test)][1], outcome
        note = self._notes.get(id(test))
        if note is None:
            return
        if note.operation == "where" and {type(v) for v in note.operands[1:]} == {bool}:
            yield from self._facts(note.operands[0], outcome=note.operands[1] is outcome)
        elif note.operation == "not_":
            yield from self._facts(note.operands[0], outcome=not outcome)
        elif note.operation == ("and_" if outcome else "or_"):
            for operand in note.operands:
                yield from self._facts(operand, outcome=outcome)

    def _simplified(
        self, value: Any, facts: dict[int, bool], done: dict[int, Any], *, is_test: bool = True
    ) -> Any:
        if id(value) in facts and (is_test or self.is_condition(value)):
            return facts[id(value)]
        note = self._notes.get(id(value))
        if note is None:
            return value
        if id(value) not in done:
            done[id(value)] = self._simplified_operation(note, facts, done)
        return done[id(value)]

    def _simplified_operation(self, note: _Note, facts: dict[int, bool], done: dict[int, Any]) -> Any:
        if note.operation == "where":
            test, first, second = note.operands
            test = self._simplified(test, facts, done)
            if isinstance(test, bool):
                return self._simplified(first if test else second, facts, done, is_test=False)
            return note.value
        operands = [self._simplified(operand, facts, done) for operand in note.operands]  # none of a truth
        if all(map(_is_same, operands, note.operands)):
            return note.value
        return getattr(self, note.operation)(*operands)


_OPPOSITES = {"and_": "or_", "or_": "and_", "not_": "not_"}
_LOGICAL = ("and_", "or_", "not_", "truth")


def _is_same(first: Any, second: Any) -> bool:
    """Return whether two values cannot be told apart. Two constants are the same if their texts are."""
    if first is second:
        return True
    return (
        type(first) is type(second) and isinstance(first, (int, float, str)) and repr(first) == repr(second)
    )
