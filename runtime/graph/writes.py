"""Which arguments of a graph are written in place when it runs, itself or in a graph inside it."""

from __future__ import annotations

from typing import Any

from .ir import Graph, Node
from .types import ArrayType, ListType, MaybeType

_WRITING = frozenset(("setitem", "list_append", "list_set", "list_pop"))


def written_arguments(graph: Graph) -> set[Node]:
    """The arguments of a graph that it writes to in place, itself or in a graph inside it."""
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
            offset = len(node.inputs) - len(inner.arguments)
            if node.op == "for":
                offset = 2 - node.attrs["elements"]
            for argument in written_arguments(inner):
                place = inner.arguments.index(argument) + offset
                origin = same.get(node.inputs[place])
                if origin is None:
                    continue
                found.add(origin)
                results = inner.results if node.op == "cond" else inner.results[1:]
                for i in range(len(results)):
                    if (
                        node.op == "cond"
                        or inner.arguments.index(argument) - node.attrs.get("elements", 0) == i
                    ):
                        same.setdefault((node, i), origin)
    return {a for a in found if isinstance(held_type(a), (ArrayType, ListType))}


def held_type(node: Node) -> Any:
    return node.type.held if isinstance(node.type, MaybeType) else node.type
