"""Captured bodies and loops, for operators whose system has them.

A body is run on placeholders. Its results are expressions of these, which the system's own loop takes.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from autograph_rs.runtime.backends.functional.abstract_values import Maybe
from autograph_rs.runtime.backends.functional.captures import Capture, Loop
from autograph_rs.runtime.backends.functional.iterables import Iterables, StagedSequence
from autograph_rs.runtime.core.undefined import Undefined
from autograph_rs.runtime.errors import StagingError

from .conditions import result_of, results_of
from .items import Items
from .values import Kind


@dataclass
class GraphCapture(Capture):
    """A branch or body, with the token of its last effect, and the condition that it fails.

    A body begins with the placeholders `parameters` and `token_before`.
    """

    parameters: list[Any] = field(default_factory=list)
    token: Any = None
    token_before: Any = None
    failed: Any = False


class Carried(NamedTuple):
    """A value that a loop carries: its placeholder, its value before, and its value after an iteration."""

    placeholder: Any
    before: Any
    after: Any


class Loops(Items, Iterables):
    """The part of the backend that captures bodies and builds loops."""

    call_builtin: Callable[..., Any]
    not_: Callable[[Any], Any]

    @property
    def rolls_ranges(self) -> bool:
        return self.staging() and self.run.has_loops

    @property
    def files(self) -> set[str]:
        """The files of the system, whose code builds expressions and has no other effect."""
        modules = map(sys.modules.get, self.operators.transpiler.policy.operator_modules)
        return {file for module in modules if (file := getattr(module, "__file__", None))}

    @property
    def codes(self) -> set[types.CodeType]:
        """The code of the system's methods, also of those that are defined beside the user's functions."""
        operators = self.operators
        classes = [c for kind in (type(operators), *operators.kinds) for c in kind.__mro__ if c is not object]
        members = [getattr(m, "__func__", m) for c in classes for m in vars(c).values()]
        found: set[types.CodeType] = set()
        nested = [m.__code__ for m in members if isinstance(m, types.FunctionType)]
        while nested:
            code = nested.pop()
            found.add(code)
            nested += [c for c in code.co_consts if isinstance(c, types.CodeType)]
        return found

    # Values as what a loop carries

    def _placeholder(self, example: Any) -> Any:
        return result_of(self.operators, "placeholder", self.operators.type_of(example))

    def placeholders(self, kind: Kind) -> list[Any]:
        """Return the symbols that stand for a value of this kind, and for the flag that it is bound."""
        return [
            result_of(self.operators, "placeholder", kind.type),
            *([self._placeholder(True)] if kind.is_flagged else []),
        ]

    def parts(self, value: Any, kind: Kind) -> list[Any]:
        """Return what a loop carries for a value: one of the kind's type, and the flag that it is bound."""
        flag = value.bound if isinstance(value, Maybe) else not isinstance(value, Undefined)
        held = value.value if isinstance(value, Maybe) else 0 if flag is False else value
        return [
            self.cast(held, kind.type),
            *([self.as_bool(flag)] if kind.is_flagged else []),
        ]

    def cast(self, value: Any, type_: Any) -> Any:
        return result_of(self.operators, "cast", value, type_)

    def as_bool(self, flag: Any) -> Any:
        return self.cast(flag, self.operators.type_of(True))

    def whole(self, kind: Kind, parts: Iterator[Any]) -> Any:
        """Return the value of a kind from its parts."""
        value = next(parts)
        return Maybe(value, next(parts) if kind.is_flagged else True, kind.unbound) if kind.unbound else value

    # Captures

    def enter_body(self, arguments: Sequence[Kind]) -> tuple[GraphCapture, list[Any]]:
        """Begin the capture of a loop's body; return it with the arguments of the body."""
        capture, run = GraphCapture(), self.run
        capture.parameters = [part for kind in arguments for part in self.placeholders(kind)]
        if run.has_effects:
            run.token = capture.token_before = self._placeholder(run.token)
        run.failed = False
        values = iter(capture.parameters)
        return capture, [self.whole(kind, values) for kind in arguments]

    # Iterables

    def is_array(self, value: Any) -> bool:
        return bool(self.operators.owns(value))

    def length(self, value: Any) -> Any:
        if len not in self.operators.builtins:
            raise StagingError(
                "a 'for' iterates over a symbolic value",
                why=f"the number of its items is not known: {self.framework} has no 'len' in its builtins",
                remedy="loop over a range or a list, or add len to the 'builtins' of the operators",
            )
        return self.operators.builtins[len](value)

    def minimum(self, first: Any, second: Any) -> Any:
        return self.operators.minimum(first, second)

    def maximum(self, first: Any, second: Any) -> Any:
        return self.operators.maximum(first, second)

    def elements(self, iterated: Any) -> tuple[Callable[[Sequence[Any]], Any], list[Kind]]:
        """Return a function that makes an item from the parameters for it, which are its index."""
        if not self.run.has_loops:
            self.refuse_iteration("a 'for' iterates over a symbolic value")
        items = self.sequence(iterated)
        return (lambda index: items.item(index[0])), [Kind(self.operators.type_of(0))]

    def refuse_iteration(self, what: str) -> None:
        raise StagingError(
            what,
            why="an expression has no loops, and the number of iterations to unroll is not known",
            remedy="loop over a list or a plain range, and end it by 'if not condition: break'",
        )

    def sequence(self, iterated: Any) -> StagedSequence:
        if not isinstance(iterated, (list, tuple)):
            return super().sequence(iterated)
        items = list(iterated)
        return StagedSequence("list", len(items), lambda i: self.selected(items, i))

    def refuse_loop(self) -> None:
        raise StagingError(
            "a 'while' tests a symbolic condition",
            why="an expression has no loops, and the number of iterations to unroll is not known",
            remedy="use a bound: for _ in range(100), with 'if not condition: break' at its start",
        )

    # Loops

    def while_loop(self, *parts: Any, **named: Any) -> list[Any]:
        if not self.run.has_loops:
            self.refuse_loop()
        loop = Loop(*parts, **named)
        if not loop.body.parameters:
            raise StagingError(
                "a 'while' on a symbolic condition changes nothing",
                why="it never ends, or never begins",
                remedy="change a variable of the condition in the body",
            )
        index = None if loop.limit is None else self._placeholder(0)
        return self._build(loop, loop.body.parameters, index, loop.limit)

    def for_loop(self, iterated: Any, *parts: Any, **named: Any) -> list[Any]:
        loop = Loop(*parts, **named)
        items = self.sequence(iterated)
        count = items.count if loop.limit is None else self.min_length(items.length, loop.limit)
        return self._build(loop, loop.body.parameters[1:], loop.body.parameters[0], count)

    def _build(self, loop: Loop, parameters: Sequence[Any], index: Any, count: Any) -> list[Any]:
        """Build a loop that runs while its test holds, and while `index` is below `count` if there is one."""
        before, after = (
            [part for value, kind in zip(values, loop.types, strict=True) for part in self.parts(value, kind)]
            for values in (loop.init, loop.results)
        )
        own = [*map(Carried, parameters, before, after)]
        carried, test = [*own], True
        if index is not None:
            start = self.cast(0, self.operators.type_of(0))
            carried.append(Carried(index, start, self.cast(index + 1, self.operators.type_of(0))))
            test = self.truth(index < count)
        has_effects = loop.body.token is not loop.body.token_before
        if has_effects:
            carried.append(Carried(loop.body.token_before, self.run.token, loop.body.token))
        failed = self._placeholder(True)
        if loop.body.failed is not False:
            carried.append(Carried(failed, self.as_bool(False), self.as_bool(loop.body.failed)))
        going = self._going(loop)
        if any(test is not True for test in going):
            go = self._placeholder(True)
            carried.append(Carried(go, *map(self.as_bool, going)))
            test = self.conditions.and_(test, go)
        results = dict(zip([id(c.placeholder) for c in carried], self._run(carried, test), strict=True))
        if has_effects:
            self.run.token = results[id(loop.body.token_before)]
        if loop.body.failed is not False:
            self.run.failed = self.conditions.or_(self.run.failed, results[id(failed)])
        left = iter([c.before if c.after is c.placeholder else results[id(c.placeholder)] for c in own])
        return [self.whole(kind, left) for kind in loop.types]

    def _going(self, loop: Loop) -> tuple[Any, Any]:
        """Return whether the loop runs a first iteration, and whether another one follows each."""
        if loop.body.raised is not None:
            return self.truth(loop.first_test), False
        again = True if loop.next_test is True else self.truth(loop.next_test)
        if loop.body.failed is not False:
            again = self.conditions.and_(again, self.conditions.not_(loop.body.failed))
        return self.truth(loop.first_test), again

    def _run(self, carried: Sequence[Carried], test: Any) -> Sequence[Any]:
        placeholders, before, after = (list(column) for column in zip(*carried, strict=True))
        return results_of(self.operators, "while_loop", len(carried), placeholders, test, after, before)


def pairs_of(first: Any, second: Any, kind: Kind) -> list[tuple[Any, Any, Any]]:
    """Return the values of an output on two paths, and whether each is bound if one may not be."""
    values = [v.value if isinstance(v, Maybe) else v for v in (first, second)]
    given = [v for v in values if not isinstance(v, Undefined)]
    pairs = [(given[0], given[-1], kind.type)]
    if kind.unbound:
        left, right = (
            v.bound if isinstance(v, Maybe) else not isinstance(v, Undefined) for v in (first, second)
        )
        pairs.append((left, right, None))
    return pairs


def known_or_maybe(kind: Kind, values: Iterator[Any]) -> Any:
    value = next(values)
    if not kind.unbound:
        return value
    flag = next(values)
    return value if flag is True else Maybe(value, flag, kind.unbound)
