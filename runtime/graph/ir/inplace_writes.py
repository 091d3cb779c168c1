"""Analysis of in-place writes: which arguments of a graph are written when it runs."""

from __future__ import annotations

from typing import Any

from .graph import Graph, Node
from .types import ArrayType, ListType, bound_type

_WRITING_OPS = frozenset(
    ("setitem", "add_at", "list_append", "list_set", "list_add_at", "list_insert", "list_pop")
)


def written_arguments(graph: Graph, cache: dict[Graph, set[Node]]) -> set[Node]:
    """Return the arguments that a graph or one of its inner graphs writes in place, memoized in `cache`."""
    if graph not in cache:
        cache[graph] = _written_arguments(graph, cache)
    return cache[graph]


def _written_arguments(graph: Graph, cache: dict[Graph, set[Node]]) -> set[Node]:
    written: set[Node] = set()
    argument_of: dict[Any, Node] = {a: a for a in graph.arguments}  # by node or (node, result index)
    for node in graph.nodes:
        if node.op in _WRITING_OPS:
            argument = argument_of.get(node.inputs[0])
            if argument is not None:
                written.add(argument)
                argument_of[node] = argument
                if node.op == "list_pop":
                    argument_of[node, 0] = argument
        elif node.op == "output" and node.inputs[0].op in ("cond", "while", "for", "list_pop"):
            argument = argument_of.get((node.inputs[0], node.attrs["index"]))
            if argument is not None:
                argument_of[node] = argument
        for inner in node.graphs():
            _add_inner_writes(node, inner, written_arguments(inner, cache), written, argument_of)
    return {a for a in written if isinstance(bound_type(a.type), (ArrayType, ListType))}


def _add_inner_writes(
    node: Node, inner: Graph, inner_written: set[Node], written: set[Node], argument_of: dict[Any, Node]
) -> None:
    """Map the writes of an inner graph to the arguments that its operands and results stand for."""
    elements = node.attrs.get("elements", 0)
    offset = len(node.inputs) - len(inner.arguments)
    for i, inner_argument in enumerate(inner.arguments):
        if inner_argument not in inner_written:
            continue
        argument = argument_of.get(node.inputs[i + offset])
        if argument is None:
            continue
        written.add(argument)
        if node.op == "cond":
            for result in range(len(inner.results)):
                argument_of.setdefault((node, result), argument)
        elif 0 <= i - elements < len(inner.results) - 1:
            argument_of.setdefault((node, i - elements), argument)
