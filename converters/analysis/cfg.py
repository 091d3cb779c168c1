"""The control flow graph of one function.

A *node* stands for what runs as one step: a simple statement, the test of an `if`, the binding of a
loop's target, the items of a `with`. Compound statements have an *entry* and an *exit* node of
their own, where what holds before and after the whole can be asked. An edge is normal or a
*raise edge*: from every step of a `try` to its handlers, from every step of a `with` to what
follows, since a context manager may swallow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import gast

from ..trees import operator_name


@dataclass
class Graph:
    """Nodes by number; `nodes[n]` are the trees that step n evaluates."""

    nodes: list[Sequence[gast.AST]] = field(default_factory=list)
    successors: list[list[int]] = field(default_factory=list)
    raises: list[list[int]] = field(default_factory=list)
    steps: dict[gast.AST, int] = field(default_factory=dict)
    entries: dict[gast.AST, int] = field(default_factory=dict)
    exits: dict[gast.AST, int] = field(default_factory=dict)
    heads: dict[gast.AST, int] = field(default_factory=dict)
    entry: int = 0
    exit: int = 0


def build(function: gast.AST) -> Graph:
    """The graph of a function's body."""
    builder = _Builder()
    end = builder.block(function.body, builder.graph.entry)
    builder.link(end, builder.graph.exit)
    return builder.graph


class _Builder:
    def __init__(self) -> None:
        self.graph = Graph()
        self.catchers: list[int] = []
        self.finals: list[int] = []
        self.loops: list[tuple[int, int, int]] = []
        self.graph.entry = self.add()
        self.graph.exit = self.add()

    def add(self, *trees: gast.AST) -> int:
        graph = self.graph
        graph.nodes.append(trees)
        graph.successors.append([])
        graph.raises.append([])
        number = len(graph.nodes) - 1
        if self.catchers:
            graph.raises[number].append(self.catchers[-1])
        for tree in trees:
            graph.steps[tree] = number
        return number

    def link(self, source: int | None, target: int) -> None:
        if source is not None:
            self.graph.successors[source].append(target)

    def after(self, source: int | None, *trees: gast.AST) -> int:
        number = self.add(*trees)
        self.link(source, number)
        return number

    def block(self, statements: list[gast.AST], current: int | None) -> int | None:
        for statement in statements:
            kind = type(statement)
            if kind in _COMPOUND:
                entry = self.after(current)
                self.graph.entries[statement] = entry
                end = _COMPOUND[kind](self, statement, entry)
                leave = self.add()
                self.link(end, leave)
                self.graph.exits[statement] = leave
                current = leave
            else:
                current = self.simple(statement, current)
        return current

    def simple(self, statement: gast.AST, current: int | None) -> int | None:
        node = self.after(current, statement)
        if isinstance(statement, gast.Return):
            self.link(node, self.finals[-1] if self.finals else self.graph.exit)
            return None
        if isinstance(statement, gast.Raise):
            return None
        if isinstance(statement, (gast.Break, gast.Continue)):
            head, leave, depth = self.loops[-1]
            target = leave if isinstance(statement, gast.Break) else head
            self.link(node, self.finals[-1] if len(self.finals) > depth else target)
            self.link(node, target)
            return None
        return node

    def if_(self, statement: gast.If, current: int) -> int:
        test = self.after(current, statement.test)
        leave = self.add()
        self.link(self.block(statement.body, test), leave)
        self.link(self.block(statement.orelse, test), leave)
        return leave

    def while_(self, statement: gast.While, current: int) -> int:
        head = self.after(current, statement.test)
        self.graph.heads[statement] = head
        return self.loop(statement, head, head)

    def for_(self, statement: gast.For, current: int) -> int:
        source, until = for_parts(statement)
        iterated = self.after(current, source)
        head = self.after(iterated, *([until] if until is not None else []))
        self.graph.heads[statement] = head
        return self.loop(statement, head, self.after(head, statement.target))

    def loop(self, statement: gast.AST, head: int, start: int) -> int:
        leave = self.add()
        self.loops.append((head, leave, len(self.finals)))
        self.link(self.block(statement.body, start), head)
        self.loops.pop()
        self.link(self.block(statement.orelse, head), leave)
        return leave

    def with_(self, statement: gast.With, current: int) -> int:
        items = self.after(current, *statement.items)
        leave = self.add()
        self.catchers.append(leave)
        end = self.block(statement.body, self.after(items))
        self.catchers.pop()
        self.link(end, leave)
        return leave

    def try_(self, statement: gast.Try, current: int) -> int:
        leave = self.add()
        final = self.add() if statement.finalbody else leave
        if statement.finalbody:
            self.catchers.append(final)
            self.finals.append(final)
        caught = self.add()
        self.catchers.append(caught)
        end = self.block(statement.body, self.after(current))
        self.catchers.pop()
        self.link(self.block(statement.orelse, end), final)
        previous = caught
        for handler in statement.handlers:
            test = self.after(previous, *([handler.type] if handler.type is not None else []))
            bound = self.after(test, *([handler.name] if handler.name is not None else []))
            end = self.block(handler.body, bound)
            if handler.name is not None and end is not None:
                end = self.after(end, at_end_of(handler))
            self.link(end, final)
            previous = test
        if statement.finalbody:
            self.link(previous, final)
        if statement.finalbody:
            self.catchers.pop()
            self.finals.pop()
            end = self.block(statement.finalbody, final)
            self.link(end, leave)
            self.link(end, self.finals[-1] if self.finals else self.graph.exit)
        return leave

    def match_(self, statement: gast.Match, current: int) -> int:
        previous = self.after(current, statement.subject)
        leave = self.add()
        for case in statement.cases:
            tested = self.after(previous, case.pattern)
            unmatched = self.add()
            self.graph.raises[tested].append(unmatched)  # it may have bound some of its names, or none
            if case.guard is not None:
                tested = self.after(tested, case.guard)
                self.link(tested, unmatched)
            self.link(self.block(case.body, tested), leave)
            if _matches_always(case):
                return leave
            previous = unmatched
        self.link(previous, leave)
        return leave


_COMPOUND = {
    gast.If: _Builder.if_,
    gast.While: _Builder.while_,
    gast.For: _Builder.for_,
    gast.AsyncFor: _Builder.for_,
    gast.With: _Builder.with_,
    gast.AsyncWith: _Builder.with_,
    gast.Try: _Builder.try_,
    gast.TryStar: _Builder.try_,
    gast.Match: _Builder.match_,
}

COMPOUND = tuple(_COMPOUND)


def _matches_always(case: gast.AST) -> bool:
    return isinstance(case.pattern, gast.MatchAs) and case.pattern.pattern is None and case.guard is None


def for_parts(statement: gast.For) -> tuple[gast.AST, gast.AST | None]:
    """What a `for` iterates, and the test that lowered jumps left: `for x in ag__.until(xs, test)`."""
    if operator_name(statement.iter) == "until":
        source, until = statement.iter.args
        return source, until.body
    return statement.iter, None


def at_end_of(handler: gast.ExceptHandler) -> gast.Delete:
    """`except E as name` deletes the name when the handler ends."""
    return gast.Delete([gast.Name(handler.name.id, gast.Del(), None, None)])
