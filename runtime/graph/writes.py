"""Which arguments of a graph are written in place when it runs, itself or in a graph inside it."""

from __future__ import annotations

from typing import Any

from .ir import Graph, Node
from .types import ArrayType, ListType, MaybeType

_WRITING = frozenset(
    ("setitem", "add_at", "list_append", "list_set", "list_add_at", "list_insert", "list_pop")
)


def written_arguments(graph: Graph, known: dict[Graph, set[Node]]) -> set[Node]:
    """The arguments of a graph that it writes to in place, itself or in a graph inside it.

    `known` has what was found before, so that no graph is walked twice.
    """
    if graph not in known:
        known[graph] = _written(graph, known)
    return known[graph]


def _written(graph: Graph, known: dict[Graph, set[Node]]) -> set[Node]:
    found: set[Node] = set()
    same: dict[Any, Node] = {a: a for a in graph.arguments}
    for node in graph.nodes:
        if node.op in _WRITING:
            origin = same.get(node.inputs[0])
            if origin is not None:
                found.add(origin)
                same[node] = origin
        elif node.op == "output" and node.inputs[0].op in ("cond", "while", "for", "list_pop"):
            origin = same.get((node.inputs[0], node.attrs["index"]))
            if origin is not None:
                same[node] = origin
        if node.op == "list_pop" and node.inputs[0] in same:
            same[node, 0] = same[node.inputs[0]]
        for inner in node.graphs():
            _follow(node, inner, written_arguments(inner, known), found, same)
    return {a for a in found if isinstance(held_type(a), (ArrayType, ListType))}


def _follow(node: Node, inner: Graph, written: set[Node], found: set[Node], same: dict[Any, Node]) -> None:
    """What a condition or loop writes of its operands, and which of its results is then which of them."""
    size = node.attrs.get("elements", 0)
    offset = len(node.inputs) - len(inner.arguments)
    for place, argument in enumerate(inner.arguments):
        if argument not in written:
            continue
        origin = same.get(node.inputs[place + offset])
        if origin is None:
            continue
        found.add(origin)
        if node.op == "cond":
            for i in range(len(inner.results)):
                same.setdefault((node, i), origin)
        elif 0 <= place - size < len(inner.results) - 1:
            same.setdefault((node, place - size), origin)


def held_type(node: Node) -> Any:
    return node.type.held if isinstance(node.type, MaybeType) else node.type
