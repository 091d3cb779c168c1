"""Analysis of in-place writes: which arguments a graph writes to when it runs."""

from __future__ import annotations

from typing import Any

from .alias_analysis import SEPARATE_RESULTS
from .graph import Graph, Node
from .subgraphs import Loop, argument_sources
from .types import ArrayType, ListType, bound_type

_WRITING_OPS = frozenset(
    ("setitem", "add_at", "list_append", "list_set", "list_add_at", "list_insert", "list_pop", "list_update")
)


def written_arguments(graph: Graph, cache: dict[Graph, set[Node]]) -> set[Node]:
    """Return the arguments that a graph or its inner graphs write to. `cache` stores results by graph."""
    if graph in cache:
        return cache[graph]
    written: set[Node] = set()
    argument_of: dict[Any, Node] = {a: a for a in graph.arguments}  # by node or (node, result index)
    for node in graph.nodes:
        if node.op in _WRITING_OPS:
            argument = argument_of.get(node.inputs[0])
            if argument is not None:
                written.add(argument)
                argument_of[node] = argument
                if node.op in ("list_pop", "list_update"):
                    argument_of[node, 0] = argument
        elif node.op == "output" and node.inputs[0].op in SEPARATE_RESULTS:
            argument = argument_of.get((node.inputs[0], node.attrs["index"]))
            if argument is not None:
                argument_of[node] = argument
        for inner in node.graphs():
            inner_written = written_arguments(inner, cache)
            carried = [] if node.op == "cond" else Loop(node).carried
            for _, operand, inner_argument in argument_sources(node, inner):
                argument = argument_of.get(operand)
                if inner_argument not in inner_written or argument is None:
                    continue
                written.add(argument)
                results = [i for i, c in enumerate(carried) if c is inner_argument]
                for i in range(len(inner.results)) if node.op == "cond" else results:
                    argument_of.setdefault((node, i), argument)
    cache[graph] = {a for a in written if isinstance(bound_type(a.type), (ArrayType, ListType))}
    return cache[graph]
