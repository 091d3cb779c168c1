"""`match` on values becomes a chain of `if`, which can be staged.

A pattern can be an *`if` pattern*: a value, a singleton, a capture, the wildcard, or alternatives
and `as` of these. A statement with any other pattern stays a `match`: Python matches structure.
"""

from __future__ import annotations

import gast

from ..trees import COMPREHENSIONS, FUNCTIONS, assign, at, blocks, constant, load
from .base import Pass


class LowerMatch(Pass):
    """`match` whose cases are all `if` patterns."""

    def run(self, function: gast.AST) -> None:
        if not isinstance(function, gast.Lambda):
            function.body = self.block(function.body)

    def block(self, statements: list[gast.AST]) -> list[gast.AST]:
        out: list[gast.AST] = []
        for statement in statements:
            if not isinstance(statement, (*FUNCTIONS, *COMPREHENSIONS, gast.ClassDef)):
                for inner in blocks(statement):
                    inner[:] = self.block(inner)
            if isinstance(statement, gast.Match) and all(_is_if_pattern(c.pattern) for c in statement.cases):
                out.extend(self.lower(statement))
            else:
                out.append(statement)
        return out

    def lower(self, statement: gast.Match) -> list[gast.AST]:
        subject = self.context.namer.fresh("subject")
        before = at(assign(subject, statement.subject), statement)
        if any(case.guard is not None and _captures(case.pattern) for case in statement.cases):
            return [before, *self.with_captures(statement, subject)]
        chain: list[gast.AST] = []
        for case in reversed(statement.cases):
            test = _conjunction([t for t in (_test(case.pattern, subject), case.guard) if t is not None])
            body = [*_bindings(case.pattern, subject), *case.body]
            chain = body if test is None else [at(gast.If(test, body, chain), case.pattern)]
        return [before, *(chain or [at(gast.Pass(), statement)])]

    def with_captures(self, statement: gast.Match, subject: str) -> list[gast.AST]:
        """A capture is bound before its guard runs, and stays bound when the guard fails."""
        pending = self.context.namer.fresh("unmatched")
        out: list[gast.AST] = [at(assign(pending, constant(True)), statement)]
        for case in statement.cases:
            place = case.pattern
            matched: list[gast.AST] = [at(assign(pending, constant(False)), place), *case.body]
            if case.guard is not None:
                matched = [at(gast.If(case.guard, matched, []), place)]
            matched = [*_bindings(case.pattern, subject), *matched]
            test = _test(case.pattern, subject)
            if test is not None:
                matched = [at(gast.If(test, matched, []), place)]
            out.append(at(gast.If(load(pending), matched, []), place))
        return out


def _is_if_pattern(pattern: gast.AST) -> bool:
    if isinstance(pattern, gast.MatchOr):
        return all(_is_if_pattern(p) and not _captures(p) for p in pattern.patterns)
    if isinstance(pattern, gast.MatchAs):
        return pattern.pattern is None or _is_if_pattern(pattern.pattern)
    return isinstance(pattern, (gast.MatchValue, gast.MatchSingleton))


def _captures(pattern: gast.AST) -> bool:
    if isinstance(pattern, gast.MatchAs):
        return pattern.name is not None or (pattern.pattern is not None and _captures(pattern.pattern))
    return isinstance(pattern, gast.MatchOr) and any(_captures(p) for p in pattern.patterns)


def _test(pattern: gast.AST, subject: str) -> gast.AST | None:
    """The condition under which a pattern matches; None when it always does."""
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
    found: list[gast.AST] = []
    while isinstance(pattern, gast.MatchAs):
        if pattern.name is not None:
            found.append(at(assign(pattern.name, load(subject)), pattern))
        if pattern.pattern is None:
            break
        pattern = pattern.pattern
    return found[::-1]


def _conjunction(tests: list[gast.AST]) -> gast.AST | None:
    if len(tests) < 2:
        return tests[0] if tests else None
    return gast.copy_location(gast.BoolOp(gast.And(), tests), tests[0])
