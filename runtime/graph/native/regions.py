"""Regions: the loops of a graph that become machine code, each as a graph of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.graph import Graph, Node
from ..ir.subgraphs import LAZY_ITERABLES, Loop, is_embedded
from ..ir.types import ListType, MaybeType
from .codegen.statuses import OPS


def region_graph(node: Node) -> Graph:
    """Return the graph whose only operation is a loop."""
    loop = Loop(node)
    graph = Graph("region")

    def argument(value: Node, kind: Any = None) -> Node:
        attrs = {
            "name": f"x{len(graph.arguments)}",
            "is_natural": _is_natural(value),
            "may_vary": value.op in _VARYING,
        }
        new = Node("argument", (), attrs, kind or value.type, node.source)
        graph.arguments.append(new)
        return new

    def constant(value: Node) -> Node:
        new = Node("constant", (), value.attrs, value.type, value.source)
        graph.nodes.append(new)
        return new

    def iterable(value: Node) -> Node:
        if value.op not in LAZY_ITERABLES:
            return argument(value)
        parts = [
            constant(part) if value.op == "range" and i == 2 and part.op == "constant" else iterable(part)
            for i, part in enumerate(value.inputs)
        ]
        new = Node(value.op, tuple(parts), value.attrs, value.type, value.source)
        graph.nodes.append(new)
        return new

    start = [argument(node.inputs[0])]
    if node.op == "for":
        start.append(iterable(node.inputs[1]))
    initial = [argument(v, _carried_type(v, c)) for v, c, _ in loop.carries()]
    operands = [constant(o) if is_embedded(o) else argument(o) for o in loop.operands]
    new = Node(node.op, (*start, *initial, *operands), node.attrs, None, node.source)
    graph.nodes.append(new)
    for i, carried in enumerate(loop.carried):
        output = Node("output", (new,), {"index": i}, carried.type, node.source)
        graph.nodes.append(output)
        graph.results.append(output)
    return graph


def _carried_type(initial: Node, carried: Node) -> Any:
    """Return the type with which a carried value enters: a later iteration may bind it or give it elements."""
    is_open = isinstance(carried.type, MaybeType) or (
        isinstance(initial.type, ListType) and initial.type.element is None
    )
    return carried.type if is_open else initial.type


_VARYING = frozenset(("argument", "output", "min", "max"))
"""Ops whose result may have another type than the graph says: an array without dimensions, or `max(100, x)`."""


def _is_natural(node: Node) -> bool:
    """Return whether a value is known to be an integer that is not negative, and stays so as a counter."""
    if node.op in ("dimension", "len"):
        return True
    return node.op == "constant" and type(node.attrs["value"]) is int and node.attrs["value"] >= 0


def may_compile(loop: Node) -> bool:
    """Return whether the ops and types in a loop are among those that are compiled."""
    if loop.attrs.get("maximum_iterations") is not None:
        return False
    return all(is_compiled(node) for node in Loop(loop).body.walk())


def is_compiled(node: Node) -> bool:
    """Return whether the op of a node is compiled, at least for some types and arguments."""
    if node.op in OPS or node.op.startswith("math."):
        return True
    return isinstance(node.attrs.get("function"), np.ufunc)
