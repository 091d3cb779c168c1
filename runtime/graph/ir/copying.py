"""Copy graphs: their nodes, the inner graphs, and the graphs that they call."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from .graph import Graph, Node

NO_ATTRS: Mapping[str, Any] = MappingProxyType({})


def copy_called(graph: Graph, defaults: Mapping[str, Any] = NO_ATTRS) -> dict[Graph, Graph]:
    """Return a copy of each graph that a graph calls, directly or through others.

    `defaults` are attributes for the nodes that do not have them.
    """
    called = {part: Graph(part.name) for part in graph.program()[1:]}
    for part, new in called.items():
        _fill(new, part, called, defaults)
    return called


def copy_attributes(
    node: Node, called: Mapping[Graph, Graph], defaults: Mapping[str, Any] = NO_ATTRS
) -> dict[str, Any]:
    """Copy the attributes of a node. `called` maps the graphs that it may call to their replacements."""
    attrs = dict(node.attrs)
    for key, value in attrs.items():
        if isinstance(value, Graph):
            is_inner = node.op != "call"
            attrs[key] = _fill(Graph(value.name), value, called, defaults) if is_inner else called[value]
    return attrs


def _fill(new: Graph, graph: Graph, called: Mapping[Graph, Graph], defaults: Mapping[str, Any]) -> Graph:
    """Fill an empty graph with copies of the nodes of another graph, and return it."""
    copies = {a: Node(a.op, (), dict(a.attrs), a.type, a.source) for a in graph.arguments}
    new.arguments = list(copies.values())
    for node in graph.nodes:
        attrs = {**defaults, **copy_attributes(node, called, defaults)}
        inputs = tuple([copies[i] for i in node.inputs])
        copies[node] = Node(node.op, inputs, attrs, node.type, node.places, node.effect)
        new.nodes.append(copies[node])
    new.results = [copies[r] for r in graph.results]
    return new
