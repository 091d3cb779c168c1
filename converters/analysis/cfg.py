"""Control flow graph of one function.

A *node* is one step of execution: a simple statement, the test of an `if`, the binding of a loop target, the
items of a `with`. A compound statement has an *entry* and an *exit* node of its own, which carry the facts
before and after it. *Exception edges* lead from each step of a `try` to its handlers, and from each step of a
`with` to the statement after it, because a context manager may swallow the exception.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import gast

from ..trees.builders import operator_name


@dataclass
class Graph:
    """Edges and nodes by number: `nodes[n]` contains the trees that step n evaluates.

    The *head* of a loop tests whether it goes on; that of a `try` or `with` is where exceptions arrive.
    """

    nodes: list[Sequence[gast.AST]] = field(default_factory=list)
    successors: list[list[int]] = field(default_factory=list)
    exception_edges: list[list[int]] = field(default_factory=list)
    steps: dict[gast.AST, int] = field(default_factory=dict)
    entries: dict[gast.AST, int] = field(default_factory=dict)
    exits: dict[gast.AST, int] = field(default_factory=dict)
    heads: dict[gast.AST, int] = field(default_factory=dict)
    entry: int = 0
    exit: int = 0


def build(function: gast.AST) -> Graph:
    builder = _Builder()
    end = builder.block(function.body, builder.graph.entry)
    builder.link(end, builder.graph.exit)
    return builder.graph


class _Builder:
    def __init__(self) -> None:
        self.graph = Graph()
        self.handler_entries: list[int] = []
        self.finally_entries: list[int] = []
        self.loops: list[tuple[int, int, int]] = []
        self.graph.entry = self.add_node()
        self.graph.exit = self.add_node()

    def add_node(self, *trees: gast.AST) -> int:
        graph = self.graph
        graph.nodes.append(trees)
        graph.successors.append([])
        graph.exception_edges.append([])
        number = len(graph.nodes) - 1
        if self.handler_entries:
            graph.exception_edges[number].append(self.handler_entries[-1])
        for tree in trees:
            graph.steps[tree] = number
        return number

    def link(self, source: int | None, target: int) -> None:
        if source is not None:
            self.graph.successors[source].append(target)

    def add_after(self, source: int | None, *trees: gast.AST) -> int:
        number = self.add_node(*trees)
        self.link(source, number)
        return number

    def block(self, statements: list[gast.AST], current: int | None) -> int | None:
        for statement in statements:
            kind = type(statement)
            if kind in _COMPOUND:
                entry = self.add_after(current)
                self.graph.entries[statement] = entry
                end = _COMPOUND[kind](self, statement, entry)
                exit_node = self.add_node()
                self.link(end, exit_node)
                self.graph.exits[statement] = exit_node
                current = exit_node
            else:
                current = self.simple(statement, current)
        return current

    def simple(self, statement: gast.AST, current: int | None) -> int | None:
        node = self.add_after(current, statement)
        if isinstance(statement, gast.Return):
            self.link(node, self.finally_entries[-1] if self.finally_entries else self.graph.exit)
            return None
        if isinstance(statement, gast.Raise):
            return None
        if isinstance(statement, (gast.Break, gast.Continue)):
            head, exit_node, depth = self.loops[-1]
            target = exit_node if isinstance(statement, gast.Break) else head
            self.link(node, self.finally_entries[-1] if len(self.finally_entries) > depth else target)
            self.link(node, target)
            return None
        return node

    def if_(self, statement: gast.If, current: int) -> int:
        test = self.add_after(current, statement.test)
        exit_node = self.add_node()
        self.link(self.block(statement.body, test), exit_node)
        self.link(self.block(statement.orelse, test), exit_node)
        return exit_node

    def while_(self, statement: gast.While, current: int) -> int:
        head = self.add_after(current, statement.test)
        self.graph.heads[statement] = head
        return self.loop(statement, head, head)

    def for_(self, statement: gast.For, current: int) -> int:
        source, until = split_for_iterable(statement)
        iterated = self.add_after(current, source)
        head = self.add_after(iterated, *([until] if until is not None else []))
        self.graph.heads[statement] = head
        return self.loop(statement, head, self.add_after(head, statement.target))

    def loop(self, statement: gast.AST, head: int, start: int) -> int:
        exit_node = self.add_node()
        self.loops.append((head, exit_node, len(self.finally_entries)))
        self.link(self.block(statement.body, start), head)
        self.loops.pop()
        self.link(self.block(statement.orelse, head), exit_node)
        return exit_node

    def with_(self, statement: gast.With, current: int) -> int:
        items = self.add_after(current, *statement.items)
        exit_node = self.graph.heads[statement] = self.add_node()
        self.handler_entries.append(exit_node)
        end = self.block(statement.body, self.add_after(items))
        self.handler_entries.pop()
        self.link(end, exit_node)
        return exit_node

    def try_(self, statement: gast.Try, current: int) -> int:
        exit_node = self.add_node()
        final = self.add_node() if statement.finalbody else exit_node
        if statement.finalbody:
            self.handler_entries.append(final)
            self.finally_entries.append(final)
        caught = self.graph.heads[statement] = self.add_node()
        self.handler_entries.append(caught)
        end = self.block(statement.body, self.add_after(current))
        self.handler_entries.pop()
        self.link(self.block(statement.orelse, end), final)
        previous = caught
        for handler in statement.handlers:
            test = self.add_after(previous, *([handler.type] if handler.type is not None else []))
            bound = self.add_after(test, *([handler.name] if handler.name is not None else []))
            end = self.block(handler.body, bound)
            if handler.name is not None and end is not None:
                deleted = gast.Name(handler.name.id, gast.Del(), None, None)
                end = self.add_after(end, gast.Delete([deleted]))
            self.link(end, final)
            previous = test
        if statement.finalbody:
            self.link(previous, final)
            self.handler_entries.pop()
            self.finally_entries.pop()
            end = self.block(statement.finalbody, final)
            self.link(end, exit_node)
            self.link(end, self.finally_entries[-1] if self.finally_entries else self.graph.exit)
        return exit_node

    def match_(self, statement: gast.Match, current: int) -> int:
        previous = self.add_after(current, statement.subject)
        exit_node = self.add_node()
        for case in statement.cases:
            tested = self.add_after(previous, case.pattern)
            unmatched = self.add_node()
            self.graph.exception_edges[tested].append(unmatched)  # a failed match may have bound some names
            if case.guard is not None:
                tested = self.add_after(tested, case.guard)
                self.link(tested, unmatched)
            self.link(self.block(case.body, tested), exit_node)
            is_capture = isinstance(case.pattern, gast.MatchAs) and case.pattern.pattern is None
            if is_capture and case.guard is None:  # it always matches
                return exit_node
            previous = unmatched
        self.link(previous, exit_node)
        return exit_node


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


def split_for_iterable(statement: gast.For) -> tuple[gast.AST, gast.AST | None]:
    """Split the header `for x in ag__.until(iterable, lambda: test)` into its iterable and its test."""
    if operator_name(statement.iter) == "until":
        source, until = statement.iter.args
        return source, until.body
    return statement.iter, None
