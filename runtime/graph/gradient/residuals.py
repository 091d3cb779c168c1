"""Residuals: values computed in inner graphs and read by the graphs that reverse them.

The inner graphs of a conditional or loop have already run when their reverse graphs run. A conditional saves
a residual as an additional result, and a loop as a list to which its body appends in each iteration. A
residual is saved when a gradient rule first reads it, so no unused value is saved.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compile.writer import may_view
from ..ir.graph import Graph, Missing, Node, Slot
from ..ir.subgraphs import Loop, argument_sources
from ..ir.types import ArrayType, ListType, ScalarType
from ..rules.methods import copy
from ..tracing import recording
from ..tracing.tensor import wrap
from ..tracing.trace import Builder, current_builder, using_builder

INT = ScalarType(int)
_VIEWS = frozenset(
    ("same", "numpy.swapaxes", "numpy.transpose", "numpy.ndarray.transpose", "numpy.expand_dims",
     "numpy.broadcast_to")
)  # fmt: skip
"""Ops whose results are made again from their operand, which costs less than a residual of their own."""


class ForwardGraph:
    """A branch or loop body whose values its reverse graph reads.

    `holder` is the conditional or loop, and `outer` its owner: a builder or another `ForwardGraph`.
    """

    open = True

    def __init__(self, graph: Graph, holder: Node, outer: Any):
        self.graph, self.holder, self.outer = graph, holder, outer
        self.owned: set[Node] = set()
        self._residuals: dict[Node, Node] = {}
        self._dimensions: dict[tuple[Node, int], Node] = {}

    def read(self, node: Node, reader: ReverseBuilder) -> Node:
        """Return the node that stands for a forward value in the graph of `reader`."""
        if node.op == "constant":
            return reader.constant(node.attrs["value"], node.type)
        for relation, operand, argument in argument_sources(self.holder, self.graph):
            if argument is node and relation == "=":
                return reader.capture(operand, self.outer)
        if node.op in _VIEWS and len(node.inputs) == 1 and isinstance(node.inputs[0].type, ArrayType):
            source = reader.capture(node.inputs[0], self)
            return reader.append(Node(node.op, (source,), dict(node.attrs), node.type, node.source))
        return self.residual(node, reader)

    def residual(self, node: Node, reader: ReverseBuilder) -> Node:
        """Save a value each time the graph runs, and return its node in the graph of `reader`."""
        raise NotImplementedError

    def dimension(self, node: Node, axis: int) -> Node:
        """Return a node for the length of an axis, so that the residual is the length, not the array."""
        length = self._dimensions.get((node, axis))
        if length is None:
            length = Node("dimension", (node,), {"axis": axis}, INT, node.source)
            self._dimensions[node, axis] = length
            self.graph.nodes.insert(self._after(node), length)
        return length

    def _after(self, node: Node) -> int:
        """Return the index at which to insert a node directly after another."""
        return self.graph.nodes.index(node) + 1 if node.op != "argument" else 0

    def _unaliased(self, node: Node) -> Node:
        """Return a node, copied if it may be a view, so that later writes do not change it."""
        is_array = getattr(node.type, "shape", ()) or node.op == "getitem"
        if not is_array or not may_view(node):
            return node
        attrs = {"function": copy, "args": (Slot(0),), "kwargs": {}}
        copied = Node("numpy.ndarray.copy", (node,), attrs, node.type, node.source)
        self.graph.nodes.insert(self._after(node), copied)
        return copied

    def _output(self, index: int, like: Node, kind: Any) -> Node:
        """Add an output of the holder to the outer graph."""
        output = Node("output", (self.holder,), {"index": index}, kind, like.source)
        self.outer.graph.nodes.append(output)
        self.outer.owned.add(output)
        return output


class ForwardBranch(ForwardGraph):
    """A branch of a conditional. `other` is the graph of the other branch."""

    def __init__(self, graph: Graph, other: Graph, holder: Node, outer: Any):
        super().__init__(graph, holder, outer)
        self._other = other

    def residual(self, node: Node, reader: ReverseBuilder) -> Node:
        if node not in self._residuals:
            index = len(self.graph.results)
            self.graph.results.append(self._unaliased(node))
            placeholder = _placeholder(node)
            self._other.nodes.append(placeholder)
            self._other.results.append(placeholder)
            self._residuals[node] = self._output(index, node, node.type)
        return reader.capture(self._residuals[node], self.outer)


def _placeholder(node: Node) -> Node:
    """Return an unused value for the branch that does not compute a residual.

    It has the type of the residual, so that operations on the merged value are valid.
    """
    kind = node.type
    if isinstance(kind, ListType):
        return Node("list", (), {}, kind, node.source)
    if isinstance(kind, ArrayType) and kind.shape:
        attrs = {"function": np.zeros, "args": (tuple(n or 0 for n in kind.shape), kind.dtype), "kwargs": {}}
        return Node("numpy.zeros", (), attrs, kind, node.source)
    if isinstance(kind, ArrayType):
        return Node("constant", (), {"value": np.zeros((), kind.dtype)[()]}, kind, node.source)
    if isinstance(kind, ScalarType):
        return Node("constant", (), {"value": kind.python()}, kind, node.source)
    return Node("constant", (), {"value": Missing.VALUE}, None, node.source)


class ForwardBody(ForwardGraph):
    """The body of a loop."""

    def residual(self, node: Node, reader: ReverseBuilder) -> Node:
        if node in Loop(self.holder).elements:
            element = self._element(reader)
            if element is not None:
                return element
        if node not in self._residuals:
            kind = ListType(node.type)
            start = Node("list", (), {}, kind, node.source)
            carried = Node("argument", (), {"name": "residuals"}, kind, node.source)
            value = self._unaliased(node)
            appended = Node("list_append", (carried, value), {}, kind, node.source)
            self.graph.nodes.insert(self._after(value), appended)
            self._residuals[node] = self._carry(start, carried, appended)
        item = Node(
            "list_get", (reader.capture(self._residuals[node], self.outer), reader.index), {}, node.type
        )
        return reader.append(item)

    def _element(self, reader: ReverseBuilder) -> Node | None:
        """Recompute the element of an iteration, or return None if it cannot be recomputed."""
        source = self.holder.inputs[1]
        if isinstance(source.type, ArrayType):
            items = wrap(source, self.outer)
            return recording.to_node(recording.getitem(items, wrap(reader.index, reader)))
        if source.op == "range":
            start, _, step = (wrap(i, self.outer) for i in source.inputs)
            return recording.to_node(start + step * wrap(reader.index, reader))
        return None

    def iteration_count(self) -> Node:
        """Return the outer graph's node for the number of iterations that the loop ran."""
        start = Node("constant", (), {"value": 0}, INT, self.holder.source)
        carried = Node("argument", (), {"name": "rounds"}, INT, self.holder.source)
        one = Node("constant", (), {"value": 1}, INT, self.holder.source)
        incremented = Node("add", (carried, one), {}, INT, self.holder.source)
        self.graph.nodes += [one, incremented]
        return self._carry(start, carried, incremented)

    def _carry(self, start: Node, carried: Node, result: Node) -> Node:
        """Add a carried value to the loop, and return its final value."""
        loop, nodes = Loop(self.holder), self.outer.graph.nodes
        nodes.insert(nodes.index(self.holder), start)
        self.outer.owned.add(start)
        loop.rebuild([*loop.carries(), (start, carried, result)], loop.captures())
        return self._output(len(loop.carried), result, result.type)


class ReverseBuilder(Builder):
    """Builder of the graph that reverses a branch or body.

    `index` is the iteration of the forward loop that corresponds to the current reverse iteration.
    """

    def __init__(self, name: str, forward: ForwardGraph):
        super().__init__(name, current_builder())
        self.forward = forward
        self._read: dict[Node, Node] = {}
        self.index: Any = None

    def capture(self, node: Node, owner: Any) -> Node:
        if owner is not self.forward:
            return super().capture(node, owner)
        if node not in self._read:
            with using_builder(self):
                self._read[node] = self.forward.read(node, self)
        return self._read[node]

    def append(self, node: Node) -> Node:
        self.graph.nodes.append(node)
        self.owned.add(node)
        return node
