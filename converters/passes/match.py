"""Lowering of `match` to `if` statements, which can be staged.

A *value pattern* here is decided by an expression on its subject: a value, a singleton, a class, a capture,
the wildcard, or these combined with `|` or `as`. Any other pattern has *structure*, which only Python can
match. It becomes a `match` of one case that matches the structure and captures its parts, followed by tests
of these parts. A statement stays as it is if only structure, and texts in it, decide.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar

import gast

from ..trees.builders import DISPLAYS, SCOPES, assign, at, blocks, constant, load, operator, store
from .base import Pass

_OF_ONE_VALUE = frozenset("bool bytearray bytes dict float frozenset int list set str tuple".split())
"""The names of the classes whose only positional subpattern is matched with the whole subject."""


class LowerMatch(Pass):
    """Lowers each `match` that a staged value may decide."""

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
            if isinstance(statement, gast.Match) and (_is_of_sequences(statement) or not _stays(statement)):
                out.extend(self.lower(statement))
            else:
                out.append(statement)
        return out

    def lower(self, statement: gast.Match) -> list[gast.AST]:
        subject = self.context.namer.fresh("subject")
        if isinstance(statement.subject, DISPLAYS):
            self.context.displays.add(subject)
        before = at(assign(subject, statement.subject), statement)
        structure: _Structure | None = None
        is_of_sequences = _is_of_sequences(statement)
        chain = unmatched = [before]
        for case in statement.cases:
            rest: list[gast.AST] = []
            if _is_value_pattern(case.pattern):
                unmatched += _lower_case(case, subject, rest)
            elif is_of_sequences:
                unmatched += _Sequences(self.context.namer.fresh).lower(case, subject, rest)
            else:
                structure = structure or _Structure(self, statement)
                unmatched += structure.lower(case, subject, rest)
            unmatched = rest
        return chain


def _lower_case(case: gast.AST, subject: str, rest: list[gast.AST]) -> list[gast.AST]:
    """Lower a case with a value pattern; `rest` runs if it does not match.

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


class _Sequences:
    """Lowers a case whose pattern consists of sequence patterns with value patterns inside.

    The length of a subject may be staged, so the parts are read once the tests before them are true.
    """

    def __init__(self, fresh: Callable[[str], str]):
        self.fresh = fresh
        self.before: list[gast.AST] = []
        self.bindings: list[gast.AST] = []

    def lower(self, case: gast.AST, subject: str, rest: list[gast.AST]) -> list[gast.AST]:
        pattern = case.pattern
        test = self.test(pattern, load(subject))
        if case.guard is None:
            return [*self.before, at(gast.If(test, [*self.bindings, *case.body], rest), pattern)]
        matched = self.fresh("matched")
        guarded = [*copy.deepcopy(self.bindings), at(assign(matched, case.guard), case.guard)]
        return [
            *self.before,
            at(assign(matched, test), pattern),
            _if(load(matched), guarded, pattern),
            at(gast.If(load(matched), [*self.bindings, *case.body], rest), pattern),
        ]

    def test(self, pattern: gast.AST, subject: gast.AST) -> gast.AST:
        """Return the condition under which a subject, an expression, matches; collect what it needs."""
        if _is_value_pattern(pattern):
            self.bindings += _bindings(pattern, subject)
            return _test(pattern, subject) or constant(True)
        if isinstance(pattern, gast.MatchAs):
            test = self.test(pattern.pattern, subject)
            self.bindings.append(at(assign(pattern.name, copy.deepcopy(subject)), pattern))
            return test
        if isinstance(pattern, gast.MatchOr):
            return at(gast.BoolOp(gast.Or(), [self.test(p, subject) for p in pattern.patterns]), pattern)
        items, patterns = self.fresh("items"), pattern.patterns
        stars = [i for i, part in enumerate(patterns) if isinstance(part, gast.MatchStar)]
        before = stars[0] if stars else len(patterns)
        counts = [constant(before), constant(len(patterns) - before - 1 if stars else None)]
        if isinstance(subject, gast.Subscript):  # it is read only once the test of the outer pattern is true
            made = operator("sequence", copy.deepcopy(subject.value), *counts, copy.deepcopy(subject.slice))
        else:
            made = operator("sequence", copy.deepcopy(subject), *counts)
        self.before.append(at(assign(items, made), pattern))
        tests: list[gast.AST] = [at(gast.Attribute(load(items), "matches", gast.Load()), pattern)]
        for i, part in enumerate(patterns):
            if isinstance(part, gast.MatchStar):
                if part.name is not None:
                    rest = gast.Attribute(load(items), "rest", gast.Load())
                    self.bindings.append(at(assign(part.name, rest), part))
                continue
            place = constant(i if i < before else i - len(patterns))
            test = self.test(part, at(gast.Subscript(load(items), place, gast.Load()), part))
            if not isinstance(test, gast.Constant):
                tests.append(test)
        return _conjunction(tests)


class _Structure:
    """Lowers the cases of one statement whose patterns have structure.

    Each alternative of a pattern is an *attempt*: Python matches its structure and captures its parts, and
    the flag `matched` becomes the conjunction of the tests of these parts. Names are bound once it is known.
    """

    def __init__(self, lowering: LowerMatch, statement: gast.Match):
        self.fresh = lowering.context.namer.fresh
        self.subject = statement.subject
        self.matched = self.fresh("matched")
        self.captures: dict[str, str] = {}

    def lower(self, case: gast.AST, subject: str, rest: list[gast.AST]) -> list[gast.AST]:
        """Lower one case; `rest` runs if it does not match."""
        pattern, body, guard = case.pattern, case.body, case.guard
        self.captures = {name: self.fresh("part") for name in _names(pattern)}
        out = [self.set_matched(constant(False), pattern)]
        if self.captures:
            targets = [store(part) for part in self.captures.values()]
            out.append(at(gast.Assign(targets, constant(None), None), pattern))
        attempts: list[gast.AST] = []
        for alternative in _alternatives(pattern):
            attempt = self.attempt([(subject, copy.deepcopy(alternative))], [], self.subject)
            unmatched = gast.UnaryOp(gast.Not(), load(self.matched))
            attempts += [_if(unmatched, attempt, pattern)] if attempts else attempt
        out += attempts
        if guard is not None:
            guarded = [*self.bind(pattern), self.set_matched(guard, guard)]
            out.append(_if(load(self.matched), guarded, pattern))
        decided = _if(load(self.matched), [*self.bind(pattern), *body], pattern)
        decided.orelse = rest
        return [*out, decided]

    def bind(self, location: gast.AST) -> list[gast.AST]:
        """Return the assignments of the captured parts to the names of a pattern."""
        return [at(assign(name, load(part)), location) for name, part in self.captures.items()]

    def set_matched(self, value: gast.AST, location: gast.AST) -> gast.AST:
        return at(assign(self.matched, value), location)

    def attempt(
        self, parts: list[tuple[str, gast.AST]], tests: list[gast.AST], location: gast.AST
    ) -> list[gast.AST]:
        """Match parts with their patterns in order, once the tests before them may all be true."""
        out: list[gast.AST] = []
        while parts:
            (subject, pattern), *parts = parts
            out += _bindings(pattern, subject, self.captures)
            if _is_value_pattern(pattern):
                test = _test(pattern, subject)
                tests = tests if test is None else [*tests, test]
                continue
            while isinstance(pattern, gast.MatchAs):
                pattern = pattern.pattern
            inner: list[tuple[str, gast.AST]] = []
            skeleton = self.skeleton(pattern, inner)
            before = tests
            if tests:
                test = self.fresh("test")
                out.append(at(assign(test, _conjunction(tests)), location))
                before = [at(load(test), location)]
            statement = gast.match_case(skeleton, None, self.attempt([*inner, *parts], before, pattern))
            statement = at(gast.Match(at(load(subject), location), [statement]), pattern)
            is_possible = gast.Compare(load(test), [gast.IsNot()], [constant(False)]) if tests else None  # type: ignore[arg-type]
            return [*out, _if(is_possible, [statement], pattern) if tests else statement]
        return [*out, self.set_matched(_conjunction(tests), location)]

    def skeleton(self, pattern: gast.AST, parts: list[tuple[str, gast.AST]]) -> gast.AST:
        """Return a pattern with a capture in the place of each subpattern that Python must not match itself.

        Append the names of these captures, with the subpatterns, to `parts`.
        """

        def capture(inner: gast.AST) -> gast.AST:
            if isinstance(inner, gast.MatchStar):
                return at(gast.MatchStar(self.captures.get(inner.name)), inner)
            if isinstance(inner, gast.MatchAs) and inner.pattern is None:
                return at(gast.MatchAs(None, self.captures.get(inner.name)), inner)
            if _is_text(inner):
                return inner
            name = self.fresh("part")
            parts.append((name, inner))
            return at(gast.MatchAs(None, name), inner)

        if isinstance(pattern, gast.MatchSequence):
            return at(gast.MatchSequence(list(map(capture, pattern.patterns))), pattern)
        if isinstance(pattern, gast.MatchMapping):
            patterns = list(map(capture, pattern.patterns))
            rest = self.captures.get(pattern.rest)
            return at(gast.MatchMapping(pattern.keys, patterns, rest), pattern)
        patterns, keywords = (list(map(capture, p)) for p in (pattern.patterns, pattern.kwd_patterns))
        return at(gast.MatchClass(pattern.cls, patterns, pattern.kwd_attrs, keywords), pattern)


def _if(test: gast.AST, body: list[gast.AST], location: gast.AST) -> gast.AST:
    return at(gast.If(at(test, location), body, []), location)


def _conjunction(tests: list[gast.AST]) -> gast.AST:
    if len(tests) > 1:
        return at(gast.BoolOp(gast.And(), tests), tests[0])
    return tests[0] if tests else constant(True)


# Kinds of patterns


def _subpatterns(pattern: gast.AST) -> list[gast.AST]:
    if isinstance(pattern, gast.MatchAs):
        return [] if pattern.pattern is None else [pattern.pattern]
    return [*getattr(pattern, "patterns", ()), *getattr(pattern, "kwd_patterns", ())]


def _stays(statement: gast.Match) -> bool:
    """Return whether Python matches all patterns by itself."""
    cases = statement.cases
    is_flat = all(case.guard is None and _is_flat(case.pattern) for case in cases)
    return is_flat and not all(_is_value_pattern(case.pattern) for case in cases)


def _is_of_sequences(statement: gast.Match) -> bool:
    """Return whether the length of a subject may decide, and no other structure."""
    patterns = [case.pattern for case in statement.cases]
    return (
        not isinstance(statement.subject, DISPLAYS)
        and any(map(_holds_sequence, patterns))
        and all(map(_is_of_parts, patterns))
    )


def _holds_sequence(pattern: gast.AST) -> bool:
    return isinstance(pattern, gast.MatchSequence) or any(map(_holds_sequence, _subpatterns(pattern)))


def _is_of_parts(pattern: gast.AST) -> bool:
    """Return whether a pattern consists of sequences and value patterns, and no alternatives bind names."""
    if _is_value_pattern(pattern) or isinstance(pattern, gast.MatchStar):
        return True
    if isinstance(pattern, gast.MatchOr) and _names(pattern):
        return False
    kinds = gast.MatchSequence, gast.MatchAs, gast.MatchOr
    return isinstance(pattern, kinds) and all(map(_is_of_parts, _subpatterns(pattern)))


def _is_flat(pattern: gast.AST) -> bool:
    """Return whether nothing but the structure of a subject, and texts in it, decide a pattern."""
    if isinstance(pattern, (gast.MatchAs, gast.MatchOr)):
        return all(map(_is_flat, _subpatterns(pattern)))
    if _is_class_test(pattern):
        return False
    is_leaf = isinstance(pattern, (gast.MatchSequence, gast.MatchMapping, gast.MatchClass))
    parts = _subpatterns(pattern)
    return all(map(_is_capture, parts)) if is_leaf else _is_text(pattern)


def _is_capture(pattern: gast.AST) -> bool:
    is_name = isinstance(pattern, gast.MatchAs) and pattern.pattern is None
    return is_name or isinstance(pattern, gast.MatchStar) or _is_text(pattern)


def _is_text(pattern: gast.AST) -> bool:
    """Return whether a pattern is a text, or several; no number equals it."""
    if isinstance(pattern, gast.MatchOr):
        return all(map(_is_text, pattern.patterns))
    value = pattern.value if isinstance(pattern, gast.MatchValue) else None
    return isinstance(value, gast.Constant) and isinstance(value.value, (str, bytes))


def _is_value_pattern(pattern: gast.AST) -> bool:
    if isinstance(pattern, gast.MatchOr):
        return all(_is_value_pattern(p) and not _names(p) for p in pattern.patterns)
    if isinstance(pattern, gast.MatchAs) or _is_class_test(pattern):
        return all(map(_is_value_pattern, _subpatterns(pattern)))
    return isinstance(pattern, (gast.MatchValue, gast.MatchSingleton))


def _is_class_test(pattern: gast.AST) -> bool:
    """Return whether a pattern tests the class of its subject, and the subject as a whole."""
    if not isinstance(pattern, gast.MatchClass) or pattern.kwd_patterns or len(pattern.patterns) > 1:
        return False
    return not pattern.patterns or getattr(pattern.cls, "id", "") in _OF_ONE_VALUE


def _names(pattern: gast.AST) -> list[str]:
    """Return the names that a pattern captures, each once."""
    own = [getattr(pattern, "name", None), getattr(pattern, "rest", None)]
    inner = itertools.chain.from_iterable(map(_names, _subpatterns(pattern)))
    return list(dict.fromkeys(name for name in (*own, *inner) if name is not None))


def _alternatives(pattern: gast.AST) -> Iterator[gast.AST]:
    """Yield the patterns that `|` combines, also inside others, in the order in which Python tries them."""
    parts = _subpatterns(pattern)
    if _is_value_pattern(pattern):
        yield pattern
    elif isinstance(pattern, gast.MatchOr):
        for part in parts:
            yield from _alternatives(part)
    else:
        for chosen in itertools.product(*map(_alternatives, parts)):
            fields = {name: getattr(pattern, name) for name in pattern._fields}
            if isinstance(pattern, gast.MatchAs):
                fields["pattern"] = chosen[0]
            elif chosen:
                count = len(pattern.patterns)
                fields["patterns"] = list(chosen[:count])
                if "kwd_patterns" in fields:
                    fields["kwd_patterns"] = list(chosen[count:])
            yield at(type(pattern)(**fields), pattern)


# Value patterns


def _load(subject: str | gast.AST) -> gast.AST:
    """Return the expression that loads a subject, which is a name or an expression."""
    return load(subject) if isinstance(subject, str) else copy.deepcopy(subject)


def _test(pattern: gast.AST, subject: str | gast.AST) -> gast.AST | None:
    """Return the condition under which a value pattern matches, or None if it always does."""
    if isinstance(pattern, gast.MatchValue):
        test = gast.Compare(_load(subject), [gast.Eq()], [pattern.value])
    elif isinstance(pattern, gast.MatchSingleton):
        test = gast.Compare(_load(subject), [gast.Is()], [constant(pattern.value)])
    elif isinstance(pattern, gast.MatchOr):
        tests = [_test(p, subject) for p in pattern.patterns]
        if None in tests:
            return None
        test = gast.BoolOp(gast.Or(), tests)
    elif isinstance(pattern, gast.MatchClass):
        arguments = [_load(subject), pattern.cls, *map(constant, [True] if pattern.patterns else [])]
        of_class = at(operator("is_of_class", *arguments), pattern)
        inner = _test(pattern.patterns[0], subject) if pattern.patterns else None
        test = of_class if inner is None else gast.BoolOp(gast.And(), [of_class, inner])
    else:
        return None if pattern.pattern is None else _test(pattern.pattern, subject)
    return at(test, pattern)


def _bindings(
    pattern: gast.AST, subject: str | gast.AST, names: Mapping[str, str] | None = None
) -> list[gast.AST]:
    """Return the assignments of a subject to the names that a pattern gives it, or to those in `names`."""
    names = names or {}
    bindings: list[gast.AST] = []
    while isinstance(pattern, gast.MatchAs) or _is_class_test(pattern):
        if getattr(pattern, "name", None) is not None:
            bindings.insert(0, at(assign(names.get(pattern.name, pattern.name), _load(subject)), pattern))
        pattern = next(iter(_subpatterns(pattern)), None)
    return bindings
