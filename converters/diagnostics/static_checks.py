"""What cannot be staged although its syntax is converted, where a function's own text shows it for certain.

A statement *decides* when it is converted and its condition, or what it iterates, may be staged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import gast

from .analysis import Facts, completes
from .places import Place, Span, decides_nothing, decisions
from .trees import COMPREHENSIONS, FUNCTIONS, LOOPS, TRIES, blocks, contains, is_endless, within

CONVERTED_SPECIAL = frozenset(("__init__", "__call__"))
PROPERTIES = frozenset(("property", "cached_property", "setter", "getter", "deleter"))


def refusals(function: gast.AST, caller: str) -> list[Place]:
    """The places of one function, as it was written; `caller` is what Python itself calls, if it is that."""
    if caller:
        first = next(decisions(function.body), None)
        return [] if first is None else [Place(Span.of(first[1]), "AG008", first[0], caller)]
    facts = Facts(function)
    found = [*_in_class_bodies(function.body), *_Raises(facts).block(function.body, None)]
    if not contains(function.body, (gast.Yield, gast.YieldFrom)):
        returns = _Returns(facts)
        returns.block(function.body, frozenset(("none",)), None)
        found += returns.found
    lists = _Lists(facts)
    lists.block(function.body, frozenset())
    return [*found, *lists.found, *_sets(function.body)]


def called_by_python(function: gast.AST) -> str:
    """What a method is, if Python itself calls it, so that no call of it is converted."""
    name = function.name
    if name.startswith("__") and name.endswith("__") and name not in CONVERTED_SPECIAL:
        return f"'{name}'"
    return f"the property '{name}'" if PROPERTIES & decorators(function) else ""


def decorators(function: gast.AST) -> set[str]:
    """The last names of a function's decorators."""
    return {getattr(d, "attr", getattr(d, "id", "")) for d in function.decorator_list}


def _in_class_bodies(body: list[gast.AST]) -> Iterator[Place]:
    for node in within(body):
        if isinstance(node, gast.ClassDef):
            for construct, test in decisions(node.body):
                yield Place(Span.of(test), "AG007", construct)
            yield from _in_class_bodies(node.body)


def _sets(body: list[gast.AST]) -> Iterator[Place]:
    for node in within(body):
        if isinstance(node, gast.SetComp):
            yield Place(Span.of(node), "AG011", "set comprehension")


def _decides(statement: gast.AST, facts: Facts) -> bool:
    if not isinstance(statement, (gast.If, gast.While, gast.For)) or statement in facts.staying:
        return False
    if isinstance(statement, gast.For):
        return contains(statement.iter, (gast.Name,)) and not _is_plain_range(statement.iter)
    return not decides_nothing(statement.test)


def _is_plain_range(iterated: gast.AST) -> bool:
    is_range = isinstance(iterated, gast.Call) and getattr(iterated.func, "id", "") == "range"
    return is_range and all(isinstance(argument, gast.Constant) for argument in iterated.args)


@dataclass
class _Raises:
    """`raise` and `assert` under what decides, inside a `try` with an `except`."""

    facts: Facts

    def block(
        self, statements: list[gast.AST], tried: gast.AST | None, *, decided: bool = False
    ) -> Iterator[Place]:
        for statement in statements:
            kind = type(statement)
            if kind is gast.Raise and tried is not None and decided:
                yield Place(Span.of(statement), "AG009", "raise", f"of line {tried.lineno}")
            elif kind is gast.Assert and tried is not None:
                if not decides_nothing(statement.test):
                    yield Place(Span.of(statement), "AG009", "assert", f"of line {tried.lineno}")
            elif kind in FUNCTIONS or kind is gast.ClassDef:
                continue
            below = decided or _decides(statement, self.facts)
            for inner in blocks(statement):
                if kind in TRIES and statement.handlers and inner is statement.body:
                    yield from self.block(inner, statement)
                else:
                    yield from self.block(inner, tried, decided=below)


Outcome = frozenset[str]
"""How control may leave a function from a point on: with `none`, a `value`, or one of them, `any`."""


@dataclass
class _Jumps:
    """The outcomes of the jumps in a loop."""

    broken: Outcome
    continued: Outcome


class _Returns:
    """Conditions and loops of which one way surely leads to None and the other to a value."""

    def __init__(self, facts: Facts):
        self.facts = facts
        self.found: list[Place] = []

    def block(self, statements: list[gast.AST], after: Outcome, jumps: _Jumps | None) -> Outcome:
        """How control may leave from the start of a block, given how it may from its end on."""
        for statement in reversed(statements):
            after = self.statement(statement, after, jumps)
        return after

    def statement(self, statement: gast.AST, after: Outcome, jumps: _Jumps | None) -> Outcome:
        if isinstance(statement, gast.Return):
            return frozenset((_kind_of(statement.value),))
        if isinstance(statement, gast.Raise):
            return frozenset()
        if isinstance(statement, (gast.Break, gast.Continue)):
            assert jumps is not None
            return jumps.broken if isinstance(statement, gast.Break) else jumps.continued
        if isinstance(statement, gast.If):
            ways = (self.block(statement.body, after, jumps), self.block(statement.orelse, after, jumps))
            return self.either(statement, *ways)
        if isinstance(statement, LOOPS):
            done = self.block(statement.orelse, after, jumps)
            again = frozenset() if is_endless(statement) else done
            once = self.block(statement.body, again, _Jumps(after, again))
            return once if is_endless(statement) else self.either(statement, once, done)
        if isinstance(statement, TRIES):
            after = self.block(statement.finalbody, after, jumps)
            caught = [self.block(handler.body, after, jumps) for handler in statement.handlers]
            body = self.block(statement.body, self.block(statement.orelse, after, jumps), jumps)
            return body.union(*caught)
        if isinstance(statement, (gast.With, gast.AsyncWith)):
            return self.block(statement.body, after, jumps) | (
                after if completes(statement.body) else frozenset()
            )
        if isinstance(statement, gast.Match):
            return after.union(*(self.block(case.body, after, jumps) for case in statement.cases))
        return after

    def either(self, statement: gast.AST, first: Outcome, second: Outcome) -> Outcome:
        differ = {first, second} == {frozenset(("none",)), frozenset(("value",))}
        if differ and _decides(statement, self.facts):
            construct = type(statement).__name__.lower()
            tested = statement.iter if isinstance(statement, gast.For) else statement.test
            self.found.append(Place(Span.of(tested), "AG010", construct))
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
    """Methods that a list lacks once its length is staged, on lists that the function makes."""

    GROWING = frozenset(("append", "extend", "pop"))
    MISSING = frozenset(("insert", "remove", "sort"))

    def __init__(self, facts: Facts):
        self.facts = facts
        self.found: list[Place] = []
        nodes = [*within(facts.function.body)]
        stored = Counter(n.id for n in nodes if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store))
        made = {
            n.targets[0].id
            for n in nodes
            if isinstance(n, gast.Assign)
            and isinstance(n.targets[0], gast.Name)
            and isinstance(n.value, (gast.List, gast.ListComp))
        }
        self.made = {name for name in made if stored[name] == 1} - facts.always_live

    def block(self, statements: list[gast.AST], grown: frozenset[str], *, decided: bool = False) -> set[str]:
        """Look at a block; the lists that grow in it under what decides."""
        here: set[str] = set()
        for statement in statements:
            if isinstance(statement, (*FUNCTIONS, gast.ClassDef)):
                continue
            for name, call in self.calls(statement):
                if call.func.attr in self.MISSING and name in grown:
                    self.found.append(Place(Span.of(call), "AG013", call.func.attr, f"'{name}'"))
                elif call.func.attr in self.GROWING and decided:
                    here.add(name)
            below = decided or _decides(statement, self.facts)
            here.update(*[self.block(inner, grown, decided=below) for inner in blocks(statement)])
            if not decided:  # inside, a list that is plain before keeps a plain length
                grown |= here
        return here

    def calls(self, statement: gast.AST) -> Iterator[tuple[str, gast.AST]]:
        value = statement.value if isinstance(statement, (gast.Expr, gast.Assign)) else None
        if isinstance(value, gast.Call) and isinstance(value.func, gast.Attribute):
            base = value.func.value
            if isinstance(base, gast.Name) and base.id in self.made:
                yield base.id, value
