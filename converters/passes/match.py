"""Lowering of `match` on values to a chain of `if`, which can be staged.

A *value pattern* here is a value, a singleton, a capture, the wildcard, or these combined with `|` or `as`. A
statement with any other pattern stays a `match`, because only Python can match structure.
"""

from __future__ import annotations

from typing import ClassVar

import gast

from ..trees.builders import SCOPES, assign, at, blocks, constant, load
from .base import Pass


class LowerMatch(Pass):
    """Lowers each `match` whose cases are all value patterns."""

    follows: ClassVar = ("Normalise",)

    def run(self, function: gast.AST) -> None:
        if not isinstance(function, gast.Lambda):
            function.body = self.block(function.body)

    def block(self, statements: list[gast.AST]) -> list[gast.AST]:
        out: list[gast.AST] = []
        for statement in statements:
            if not isinstance(statement, SCOPES):
                for inner in blocks(statement):
                    inner[:] = self.block(inner)
            is_match = isinstance(statement, gast.Match)
            if is_match and all(_is_value_pattern(case.pattern) for case in statement.cases):
                out.extend(self.lower(statement))
            else:
                out.append(statement)
        return out

    def lower(self, statement: gast.Match) -> list[gast.AST]:
        subject = self.context.namer.fresh("subject")
        before = at(assign(subject, statement.subject), statement)
        chain: list[gast.AST] = []
        for case in reversed(statement.cases):
            chain = _lower_case(case, subject, chain)
        return [before, *(chain or [at(gast.Pass(), statement)])]


def _lower_case(case: gast.AST, subject: str, rest: list[gast.AST]) -> list[gast.AST]:
    """Lower one case; `rest` runs if it does not match.

    A capture is bound before its guard runs, and stays bound if the guard fails.
    """
    test, bindings = _test(case.pattern, subject), _bindings(case.pattern, subject)
    if case.guard is None:
        body = [*bindings, *case.body]
        return body if test is None else [at(gast.If(test, body, rest), case.pattern)]
    if test is None:
        return [*bindings, at(gast.If(case.guard, case.body, rest), case.pattern)]
    captured = [
        at(gast.Compare(gast.NamedExpr(b.targets[0], b.value), [gast.Is()], [load(subject)]), b)
        for b in bindings
    ]
    condition = at(gast.BoolOp(gast.And(), [test, *captured, case.guard]), case.pattern)
    return [at(gast.If(condition, case.body, rest), case.pattern)]


def _is_value_pattern(pattern: gast.AST) -> bool:
    if isinstance(pattern, gast.MatchOr):
        return all(_is_value_pattern(p) and not _captures(p) for p in pattern.patterns)
    if isinstance(pattern, gast.MatchAs):
        return pattern.pattern is None or _is_value_pattern(pattern.pattern)
    return isinstance(pattern, (gast.MatchValue, gast.MatchSingleton))


def _captures(pattern: gast.AST) -> bool:
    if isinstance(pattern, gast.MatchAs):
        return pattern.name is not None or (pattern.pattern is not None and _captures(pattern.pattern))
    return isinstance(pattern, gast.MatchOr) and any(_captures(p) for p in pattern.patterns)


def _test(pattern: gast.AST, subject: str) -> gast.AST | None:
    """Return the condition under which a pattern matches, or None if it always does."""
    if isinstance(pattern, gast.MatchValue):
        test = gast.Compare(load(subject), [gast.Eq()], [pattern.value])
    elif isinstance(pattern, gast.MatchSingleton):
        test = gast.Compare(load(subject), [gast.Is()], [constant(pattern.value)])
    elif isinstance(pattern, gast.MatchOr):
        tests = [_test(p, subject) for p in pattern.patterns]
        if None in tests:
            return None
        test = gast.BoolOp(gast.Or(), tests)
    else:
        return None if pattern.pattern is None else _test(pattern.pattern, subject)
    return at(test, pattern)


def _bindings(pattern: gast.AST, subject: str) -> list[gast.AST]:
    bindings: list[gast.AST] = []
    while isinstance(pattern, gast.MatchAs):
        if pattern.name is not None:
            bindings.insert(0, at(assign(pattern.name, load(subject)), pattern))
        pattern = pattern.pattern
    return bindings
