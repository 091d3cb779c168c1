"""Graphs that go on where machine code gave up.

The graph of a checkpoint takes the live values and computes the results of the region: first the rest of the
innermost graph that was running, then the rest of each graph around it, with the later iterations of the
loops.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import getitem
from typing import Any

from ..ir.graph import Graph, Node, Slot
from ..ir.subgraphs import Loop
from ..ir.types import ArrayType, ScalarType
from .codegen.bailouts import Checkpoint, Frame, operand_of


@dataclass
class ResumeGraph:
    """A graph from live values to the results of a region.

    `outer_loop` continues the region's own loop. It is None if its iterable differs in form.
    """

    graph: Graph
    outer_loop: Node | None


class _Builder:
    def __init__(self, checkpoint: Checkpoint):
        self.checkpoint = checkpoint
        self.graph = Graph(checkpoint.frames[0].graph.name)
        self.copies: dict[Node, Node] = {}
        self.counters: dict[tuple[int, str], Node] = {}
        for value in checkpoint.live:
            self.copies[value] = self._argument(value.type)
        for counter in checkpoint.counters:
            self.counters[counter] = self._argument(ScalarType(int))

    def _argument(self, kind: Any) -> Node:
        node = Node("argument", (), {"name": f"x{len(self.graph.arguments)}"}, kind)
        self.graph.arguments.append(node)
        return node

    def add(self, op: str, inputs: tuple[Node, ...], attrs: dict[str, Any], kind: Any, like: Node) -> Node:
        node = Node(op, inputs, attrs, kind, like.source, like.effect)
        self.graph.nodes.append(node)
        return node

    def copy(self, value: Node) -> Node:
        """Return the copy of a value of the region, computed again if it is not live."""
        if value not in self.copies and value.op == "argument":
            self.copies[value] = self.copy(operand_of(self.checkpoint, value))
        if value not in self.copies:
            inputs = tuple([self.copy(i) for i in value.inputs])
            self.copies[value] = self.add(value.op, inputs, value.attrs, value.type, value)
        return self.copies[value]

    def rest(self, graph: Graph, first: int) -> list[Node]:
        """Add the nodes of a graph from an index on, and return the results of the graph."""
        for node in graph.nodes[first:]:
            self.copy(node)
        return [self.copy(r) for r in graph.results]

    def leave(self, level: int, results: list[Node]) -> Node | None:
        """Bind the results of the node around a running graph; return the loop over its later iterations."""
        frame = self.checkpoint.frames[level]
        node = frame.node
        assert node is not None
        outer = self.checkpoint.frames[level - 1]
        if node.op == "cond":
            self._bind(outer, frame, dict(enumerate(results)))
            return None
        test, *carried = results
        loop = Loop(node)
        inputs, has_same_form = [test], True
        if node.op == "for":
            later = self._later_elements(level, node.inputs[1])
            has_same_form = later is not None
            inputs.append(later or self._skipped(level, node.inputs[1]))
        inputs += [*carried, *(self.copy(o) for o in loop.operands)]
        new = self.add(node.op, tuple(inputs), node.attrs, None, node)
        parts = {
            i: self.add("output", (new,), {"index": i}, c.type, node) for i, c in enumerate(loop.carried)
        }
        self._bind(outer, frame, parts)
        return new if has_same_form else None

    def _bind(self, outer: Frame, frame: Frame, parts: dict[int, Node]) -> None:
        for node in outer.graph.nodes:
            if node.op == "output" and node.inputs[0] is frame.node:
                self.copies[node] = parts[node.attrs["index"]]

    def _later_elements(self, level: int, source: Node) -> Node | None:
        """Return what gives the later elements and has the form of `source`, or None if nothing has."""
        if (level, "following") in self.counters:
            stop, step = (self.copy(i) for i in source.inputs[1:])
            return self.add(
                "range", (self.counters[level, "following"], stop, step), source.attrs, None, source
            )
        return self._after(source, self.counters[level, "done"])

    def _after(self, source: Node, count: Node) -> Node | None:
        """Return what gives the elements of an iterable after the first `count`."""
        if source.op == "reversed":
            return None
        if source.op == "zip":
            parts = [self._after(part, count) for part in source.inputs]
            known = tuple([part for part in parts if part is not None])
            return self.add("zip", known, source.attrs, None, source) if len(known) == len(parts) else None
        if source.op == "enumerate":
            rest = self._after(source.inputs[0], count)
            start = self._integer("add", self.copy(source.inputs[1]), count, source)
            return rest and self.add("enumerate", (rest, start), source.attrs, None, source)
        if source.op == "range":
            start, stop, step = (self.copy(i) for i in source.inputs)
            start = self._integer("add", start, self._integer("mul", count, step, source), source)
            return self.add("range", (start, stop, step), source.attrs, None, source)
        if not isinstance(source.type, ArrayType):
            return None
        attrs = {"function": getitem, "args": (Slot(0), slice(Slot(1), None)), "kwargs": {}}
        kind = ArrayType(source.type.dtype, (None, *source.type.shape[1:]))
        return self.add("getitem", (self.copy(source), count), attrs, kind, source)

    def _integer(self, op: str, a: Node, b: Node, like: Node) -> Node:
        return self.add(op, (a, b), {}, ScalarType(int), like)

    def _skipped(self, level: int, source: Node) -> Node:
        return self.add("skip", (self.copy(source), self.counters[level, "done"]), {}, source.type, source)


def resume_graph(checkpoint: Checkpoint) -> ResumeGraph:
    """Return the graph that goes on at a checkpoint."""
    builder = _Builder(checkpoint)
    for frame in checkpoint.frames:  # what had not been computed yet warns first
        for node in frame.graph.nodes:
            if node in checkpoint.recreated:
                builder.copy(node)
    first, outer_loop = checkpoint.index, None
    for level in range(len(checkpoint.frames) - 1, 0, -1):
        results = builder.rest(checkpoint.frames[level].graph, first)
        outer_loop = builder.leave(level, results)
        first = checkpoint.frames[level].index + 1
    builder.graph.results = builder.rest(checkpoint.frames[0].graph, first)
    return ResumeGraph(builder.graph, outer_loop)
