"""Where the reverse of an inner graph finds the values of that graph.

The graphs of conditions and loops have run when their reverse runs. What the reverse reads of them, they
*keep*: a condition as one more result, a loop as one more list that its body appends to in each round. A
reader asks for a value when it is used first, so nothing is kept that no rule reads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import record
from ..compile.writer import may_view
from ..ir import Graph, Missing, Node, Slot
from ..rules.methods import copy
from ..staged import wrap
from ..trace import Builder, current, within
from ..types import ArrayType, ListType, ScalarType

INT = ScalarType(int)


class Region:
    """The graph of a branch or body, as the owner of its nodes.

    Args:
        graph: the graph.
        holder: the condition or loop that holds it.
        outer: what owns that: a builder, or another region.
    """

    open = True

    def __init__(self, graph: Graph, holder: Node, outer: Any):
        self.graph, self.holder, self.outer = graph, holder, outer
        self.owned: set[Node] = set()
        self._kept: dict[Node, Node] = {}
        self._dimensions: dict[tuple[Node, int], Node] = {}

    def operand(self, argument: Node) -> Node | None:
        """What an argument stands for outside, if it is the same in each round."""
        raise NotImplementedError

    def read(self, node: Node, reader: Reader) -> Node:
        """A value as the graph of the reader sees it."""
        if node.op == "constant":
            return reader.constant(node.attrs["value"], node.type)
        outside = self.operand(node)
        if outside is not None:
            return reader.lift(outside, self.outer)
        return self.kept(node, reader)

    def kept(self, node: Node, reader: Reader) -> Node:
        raise NotImplementedError

    def dimension(self, node: Node, axis: int) -> Node:
        """A length of an array, which is kept in the place of the array."""
        found = self._dimensions.get((node, axis))
        if found is None:
            found = Node("dimension", (node,), {"axis": axis}, INT, node.source)
            self._dimensions[node, axis] = found
            self.graph.nodes.insert(self._after(node), found)
        return found

    def _after(self, node: Node) -> int:
        """The place of a node that comes right after another."""
        return self.graph.nodes.index(node) + 1 if node.op != "argument" else 0

    def _own(self, node: Node) -> Node:
        """A value that later writes do not change: a copy of what may be a part of an array."""
        is_array = getattr(node.type, "shape", ()) or node.op == "getitem"
        if not is_array or not may_view(node):
            return node
        attrs = {"function": copy, "args": (Slot(0),), "kwargs": {}}
        made = Node("numpy.ndarray.copy", (node,), attrs, node.type, node.source)
        self.graph.nodes.insert(self._after(node), made)
        return made

    def _output(self, index: int, like: Node, kind: Any) -> Node:
        """A new result of the holder, in the graph outside."""
        made = Node("output", (self.holder,), {"index": index}, kind, like.source)
        self.outer.graph.nodes.append(made)
        self.outer.owned.add(made)
        return made


class Branch(Region):
    """The graph of one side of a condition; `other` is that of the other side."""

    def __init__(self, graph: Graph, other: Graph, holder: Node, outer: Any):
        super().__init__(graph, holder, outer)
        self._other = other

    def operand(self, argument: Node) -> Node | None:
        arguments = self.graph.arguments
        return self.holder.inputs[1 + arguments.index(argument)] if argument in arguments else None

    def kept(self, node: Node, reader: Reader) -> Node:
        if node not in self._kept:
            index = len(self.graph.results)
            self.graph.results.append(self._own(node))
            nothing = _nothing(node)
            self._other.nodes.append(nothing)
            self._other.results.append(nothing)
            self._kept[node] = self._output(index, node, node.type)
        return reader.lift(self._kept[node], self.outer)


def _nothing(node: Node) -> Node:
    """Stands for a value on the side of a condition that does not compute it, where nobody reads it.

    It is of the same type, so that what is computed of both sides at once goes through.
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


class Body(Region):
    """The body of a loop."""

    def __init__(self, graph: Graph, holder: Node, outer: Any):
        super().__init__(graph, holder, outer)
        self._rounds: Node | None = None

    @property
    def elements(self) -> int:
        size: int = self.holder.attrs.get("elements", 0)
        return size

    @property
    def carried(self) -> int:
        count: int = self.holder.attrs["carried"]
        return count

    @property
    def first(self) -> int:
        """The place of the first carried value among the inputs of the loop."""
        return 2 if self.holder.op == "for" else 1

    def operand(self, argument: Node) -> Node | None:
        own = self.elements + self.carried
        captured = self.graph.arguments[own:]
        if argument not in captured:
            return None
        return self.holder.inputs[self.first + self.carried + captured.index(argument)]

    def kept(self, node: Node, reader: Reader) -> Node:
        if node in self.graph.arguments[: self.elements]:
            found = self._element(node, reader)
            if found is not None:
                return found
        if node not in self._kept:
            held = ListType(node.type)
            start = Node("list", (), {}, held, node.source)
            carried = Node("argument", (), {"name": "kept"}, held, node.source)
            own = self._own(node)
            added = Node("list_append", (carried, own), {}, held, node.source)
            self.graph.nodes.insert(self._after(own), added)
            self._kept[node] = self._carry(start, carried, added)
        made = Node("list_get", (reader.lift(self._kept[node], self.outer), reader.index), {}, node.type)
        return reader.append(made)

    def _element(self, node: Node, reader: Reader) -> Node | None:
        """What a loop over an array or a range takes in a round, computed again."""
        source = self.holder.inputs[1]
        if isinstance(source.type, ArrayType):
            items = wrap(source, self.outer)
            return record.to_node(record.getitem(items, wrap(reader.index, reader)))
        if source.op == "range":
            start, _, step = (wrap(i, self.outer) for i in source.inputs)
            return record.to_node(start + step * wrap(reader.index, reader))
        return None

    def rounds(self) -> Node:
        """How many rounds the loop has run, in the graph outside."""
        if self._rounds is None:
            start = Node("constant", (), {"value": 0}, INT, self.holder.source)
            carried = Node("argument", (), {"name": "rounds"}, INT, self.holder.source)
            one = Node("constant", (), {"value": 1}, INT, self.holder.source)
            added = Node("add", (carried, one), {}, INT, self.holder.source)
            self.graph.nodes += [one, added]
            self._rounds = self._carry(start, carried, added)
        return self._rounds

    def _carry(self, start: Node, carried: Node, again: Node) -> Node:
        """Let the loop carry one more value; that value after the loop."""
        count = self.carried
        nodes = self.outer.graph.nodes
        nodes.insert(nodes.index(self.holder), start)
        self.outer.owned.add(start)
        self.graph.arguments.insert(self.elements + count, carried)
        self.graph.results.append(again)
        at = self.first + count
        self.holder.inputs = (*self.holder.inputs[:at], start, *self.holder.inputs[at:])
        self.holder.attrs["carried"] = count + 1
        return self._output(count, again, again.type)


class Reader(Builder):
    """The graph of the reverse of a region, under construction.

    `index` is the number of the round that a body's reverse goes back over.
    """

    def __init__(self, name: str, region: Region):
        super().__init__(name, current())
        self.region = region
        self._read: dict[Node, Node] = {}
        self.index: Any = None

    def lift(self, node: Node, owner: Any) -> Node:
        if owner is not self.region:
            return super().lift(node, owner)
        if node not in self._read:
            with within(self):
                self._read[node] = self.region.read(node, self)
        return self._read[node]

    def append(self, node: Node) -> Node:
        self.graph.nodes.append(node)
        self.owned.add(node)
        return node
