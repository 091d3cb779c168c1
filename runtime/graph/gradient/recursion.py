"""The gradient rule for calls of graphs.

The reverse of a called graph is a called graph, too. It computes the forward values again, then the
cotangents of the arguments from those of the results. The calls inside are reversed by calls of it.
"""

from __future__ import annotations

from typing import Any

from ...backends import BACKENDS
from ...errors import GradientError
from ..ir.copying import copy_attributes
from ..ir.graph import Graph, Node
from ..ir.subgraphs import unrepeatable_effects
from ..tracing import recording
from ..tracing.tensor import Tensor, wrap
from ..tracing.trace import Builder, current_builder, tracing_into
from .cotangents import cast_cotangent, is_differentiable, zeros_like
from .reverse import OP_RULES, Reverse
from .unsupported import sites


def reverse_call(reverse: Reverse, node: Node, cotangents: dict[int, Any]) -> None:
    graph = node.attrs["graph"]
    seeds = []
    for i in _differentiable(graph.results):
        seed = cotangents.get(i)
        if seed is None:
            seed = zeros_like(reverse.result(node, i, lambda i=i: graph.results[i].type))  # type: ignore[misc]
        seeds.append(cast_cotangent(seed, graph.results[i].type))
    inputs = [*(reverse.value(i) for i in node.inputs), *seeds]
    call = recording.add("call", inputs, None, effect=True, graph=_reversed(graph))
    sources = _differentiable(graph.arguments)
    kinds = [graph.arguments[i].type for i in sources]
    for i, total in zip(sources, recording.outputs(call, kinds), strict=True):
        reverse.accumulate(node.inputs[i], total)


def _differentiable(nodes: list[Node]) -> list[int]:
    return [i for i, node in enumerate(nodes) if is_differentiable(node.type)]


def _reversed(graph: Graph) -> Graph:
    """Return the graph from the arguments of a called graph, and the cotangents of its results, to theirs."""
    made = current_builder().root.reversed_graphs
    if graph not in made:
        _check_repeatable(graph)
        made[graph] = Graph(f"{graph.name}_gradient")
        _fill(made[graph], graph)
    return made[graph]


def _fill(new: Graph, graph: Graph) -> None:
    called = {part: part for part in graph.program()}
    builder = Builder(new.name, current_builder())
    with tracing_into(builder, BACKENDS[Tensor]):
        copies = {a: builder.argument(a.type, a.attrs["name"]) for a in graph.arguments}
        kinds = [graph.results[i].type for i in _differentiable(graph.results)]
        seeds = [wrap(builder.argument(kind, f"cotangent_{i}"), builder) for i, kind in enumerate(kinds)]
        for node in graph.nodes:
            inputs = [copies[i] for i in node.inputs]
            attrs = copy_attributes(node, called)
            copies[node] = builder.add(node.op, inputs, attrs, node.type, effect=node.effect)
            copies[node].source = node.source
        sources = [copies[graph.arguments[i]] for i in _differentiable(graph.arguments)]
        inner = Reverse(builder, list(builder.graph.nodes), sources)
        for i, seed in zip(_differentiable(graph.results), seeds, strict=True):
            inner.accumulate(copies[graph.results[i]], seed)
        inner.run()
        totals = [inner.cotangent(source) for source in sources]
        builder.graph.results = [
            recording.to_node(zeros_like(wrap(source, builder)) if total is None else total)
            for source, total in zip(sources, totals, strict=True)
        ]
    new.arguments, new.nodes, new.results = (
        builder.graph.arguments, builder.graph.nodes, builder.graph.results
    )  # fmt: skip


def _check_repeatable(graph: Graph) -> None:
    for node in unrepeatable_effects(graph):
        raise GradientError(
            f"the recursive function {graph.name!r} has the side effect {node.op}",
            why="its gradient computes its values again, which would repeat the effect",
            remedy="move the effect out of the function",
            sites=sites(node),
        )


OP_RULES["call"] = reverse_call
