"""Static checks for unsupported constructs, based on the text of a function alone.

A statement *may be staged* if it is converted, and its condition or iterable may be a staged value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import gast

from ..analysis import Facts, can_complete
from ..trees.builders import (
    COMPREHENSIONS,
    DEFINITIONS,
    LOOPS,
    TRIES,
    blocks,
    contains,
    is_endless,
    walk_scope,
)
from .unsupported import Span, UnsupportedConstruct, is_always_plain, python_tests

UNCONVERTED_SPECIAL = frozenset(
    f"__{name}__" for name in "new del hash getattribute set_name init_subclass class_getitem".split()
)


def find_unsupported(function: gast.AST, caller: str) -> list[UnsupportedConstruct]:
    """Return the unsupported constructs of a function. `caller` is the result of `called_by_python`."""
    if caller:
        first = next(python_tests(function.body), None)
        return [] if first is None else [UnsupportedConstruct(Span.of(first[1]), "AG008", first[0], caller)]
    facts = Facts(function)
    result = [*_in_class_bodies(function.body), *_raises_in_try(function.body, facts)]
    if not contains(function.body, (gast.Yield, gast.YieldFrom)):
        returns = _Returns(facts)
        returns.block(function.body, frozenset(("none",)), {})
        result += returns.found
    lists = _Lists(facts)
    lists.block(function.body, frozenset())
    sets = [node for node in walk_scope(function.body) if isinstance(node, gast.SetComp)]
    unsupported_sets = [UnsupportedConstruct(Span.of(s), "AG011", "set comprehension") for s in sets]
    return [*result, *lists.found, *unsupported_sets]


def called_by_python(function: gast.AST) -> str:
    """Describe a special method that Python calls without conversion; return "" for other functions."""
    return f"'{function.name}'" if function.name in UNCONVERTED_SPECIAL else ""


def decorators(function: gast.AST) -> set[str]:
    """Return the names of a function's decorators, without their modules."""
    return {getattr(d, "attr", getattr(d, "id", "")) for d in function.decorator_list}


def _in_class_bodies(body: list[gast.AST]) -> Iterator[UnsupportedConstruct]:
    for node in walk_scope(body):
        if isinstance(node, gast.ClassDef):
            for construct, test in python_tests(node.body):
                yield UnsupportedConstruct(Span.of(test), "AG007", construct)
            yield from _in_class_bodies(node.body)


def _may_be_staged(statement: gast.AST, facts: Facts) -> bool:
    if not isinstance(statement, (gast.If, gast.While, gast.For)) or statement in facts.unconverted:
        return False
    if isinstance(statement, gast.For):
        return contains(statement.iter, (gast.Name,)) and not _is_plain_range(statement.iter)
    return not is_always_plain(statement.test)


def _is_plain_range(iterated: gast.AST) -> bool:
    is_range = isinstance(iterated, gast.Call) and getattr(iterated.func, "id", "") == "range"
    return is_range and all(isinstance(argument, gast.Constant) for argument in iterated.args)


def _raises_in_try(
    statements: list[gast.AST], facts: Facts, tried: gast.AST | None = None, *, conditional: bool = False
) -> Iterator[UnsupportedConstruct]:
    """Find `raise` and `assert` under a condition that may be staged, inside a `try` with an `except`."""
    for statement in statements:
        kind = type(statement)
        if kind in DEFINITIONS:
            continue
        may_raise = kind is gast.Raise and conditional
        may_raise = may_raise or (kind is gast.Assert and not is_always_plain(statement.test))
        if may_raise and tried is not None:
            construct, detail = kind.__name__.lower(), f"on line {tried.lineno}"
            yield UnsupportedConstruct(Span.of(statement), "AG009", construct, detail)
        below = conditional or _may_be_staged(statement, facts)
        for inner in blocks(statement):
            if kind in TRIES and statement.handlers and inner is statement.body:
                yield from _raises_in_try(inner, facts, statement)
            else:
                yield from _raises_in_try(inner, facts, tried, conditional=below)


Outcome = frozenset[str]
"""The results that a function may return from some point on: "none", "value" (never None) or "any"."""


Jumps = dict[type, Outcome]
"""For each kind of jump, the outcome at its target."""


class _Returns:
    """Finds conditionals and loops with one path that returns None and one that returns a value."""

    def __init__(self, facts: Facts):
        self.facts = facts
        self.found: list[UnsupportedConstruct] = []

    def block(self, statements: list[gast.AST], after: Outcome, jumps: Jumps) -> Outcome:
        """Return the outcome from the start of a block, given the outcome from its end."""
        for statement in reversed(statements):
            after = self.statement(statement, after, jumps)
        return after

    def statement(self, statement: gast.AST, after: Outcome, jumps: Jumps) -> Outcome:
        if isinstance(statement, gast.Return):
            return frozenset((_kind_of(statement.value),))
        if isinstance(statement, gast.Raise):
            return frozenset()
        if isinstance(statement, (gast.Break, gast.Continue)):
            return jumps[type(statement)]
        if isinstance(statement, gast.If):
            body = self.block(statement.body, after, jumps)
            return self.either(statement, body, self.block(statement.orelse, after, jumps))
        if isinstance(statement, LOOPS):
            exhausted = self.block(statement.orelse, after, jumps)
            continued = frozenset() if is_endless(statement) else exhausted
            body = self.block(statement.body, continued, {gast.Break: after, gast.Continue: continued})
            return body if is_endless(statement) else self.either(statement, body, exhausted)
        if isinstance(statement, TRIES):
            after = self.block(statement.finalbody, after, jumps)
            caught = [self.block(handler.body, after, jumps) for handler in statement.handlers]
            body = self.block(statement.body, self.block(statement.orelse, after, jumps), jumps)
            return body.union(*caught)
        if isinstance(statement, (gast.With, gast.AsyncWith)):
            completed = after if can_complete(statement.body) else frozenset()
            return self.block(statement.body, after, jumps) | completed
        if isinstance(statement, gast.Match):
            return after.union(*(self.block(case.body, after, jumps) for case in statement.cases))
        return after

    def either(self, statement: gast.AST, first: Outcome, second: Outcome) -> Outcome:
        differ = {first, second} == {frozenset(("none",)), frozenset(("value",))}
        if differ and _may_be_staged(statement, self.facts):
            construct = type(statement).__name__.lower()
            tested = statement.iter if isinstance(statement, gast.For) else statement.test
            self.found.append(UnsupportedConstruct(Span.of(tested), "AG010", construct))
        return first | second


_NEVER_NONE = (
    gast.BinOp, gast.UnaryOp, gast.Compare, gast.JoinedStr, gast.Lambda,
    gast.Tuple, gast.List, gast.Dict, gast.Set, *COMPREHENSIONS,
)  # fmt: skip


def _kind_of(value: gast.AST | None) -> str:
    if value is None or (isinstance(value, gast.Constant) and value.value is None):
        return "none"
    return "value" if isinstance(value, (gast.Constant, *_NEVER_NONE)) else "any"


class _Lists:
    """Finds calls to methods that a list with a staged length lacks, on lists that the function creates."""

    RESIZING = frozenset(("append", "extend", "pop"))
    MISSING = frozenset(("insert", "remove", "sort"))

    def __init__(self, facts: Facts):
        self.facts = facts
        self.found: list[UnsupportedConstruct] = []
        nodes = [*walk_scope(facts.function.body)]
        stored = Counter(n.id for n in nodes if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store))
        created = {
            n.targets[0].id
            for n in nodes
            if isinstance(n, gast.Assign)
            and isinstance(n.targets[0], gast.Name)
            and isinstance(n.value, (gast.List, gast.ListComp))
        }
        self.created = {name for name in created if stored[name] == 1} - facts.always_live

    def block(
        self, statements: list[gast.AST], staged: frozenset[str], *, conditional: bool = False
    ) -> set[str]:
        """Check a block; return the lists that change length under a condition that may be staged."""
        resized: set[str] = set()
        for statement in statements:
            if isinstance(statement, DEFINITIONS):
                continue
            for name, call in self.calls(statement):
                method = call.func.attr
                if method in self.MISSING and name in staged:
                    self.found.append(UnsupportedConstruct(Span.of(call), "AG013", method, f"'{name}'"))
                elif method in self.RESIZING and conditional:
                    resized.add(name)
            below = conditional or _may_be_staged(statement, self.facts)
            resized.update(*[self.block(inner, staged, conditional=below) for inner in blocks(statement)])
            if not conditional:  # inside a condition, a list keeps the plain length that it had before
                staged |= resized
        return resized

    def calls(self, statement: gast.AST) -> Iterator[tuple[str, gast.AST]]:
        value = statement.value if isinstance(statement, (gast.Expr, gast.Assign)) else None
        if isinstance(value, gast.Call) and isinstance(value.func, gast.Attribute):
            base = value.func.value
            if isinstance(base, gast.Name) and base.id in self.created:
                yield base.id, value
