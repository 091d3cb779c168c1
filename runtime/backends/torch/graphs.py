"""Graphs rewritten: constants become inputs, and programs share their operands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch


def constants_as_inputs(graph: torch.fx.GraphModule, count: int) -> list[torch.Tensor]:
    """Constants become operands, given back: a program with some in inner graphs cannot be saved."""
    aten = torch.ops.aten
    found: list[torch.Tensor] = []
    for node in list(graph.graph.nodes):
        if node.op != "get_attr" or not isinstance(getattr(graph, node.target, None), torch.Tensor):
            continue
        constant = getattr(graph, node.target)
        first = next(n for n in graph.graph.nodes if n.op != "placeholder")
        with graph.graph.inserting_before(first):
            placeholder = graph.graph.placeholder(f"constant_{count + len(found)}")
        placeholder.meta = dict(node.meta)
        for user in list(node.users):
            if user.target in (aten.lift_fresh_copy.default, aten.lift_fresh.default):
                user.target = aten.clone.default
        node.replace_all_uses_with(placeholder)
        graph.graph.erase_node(node)
        found.append(aten.lift_fresh.default(constant))
    return found


def without_first(program: Any) -> None:
    """Take the first argument, which nothing uses, and the first result from a program."""
    graph = program.graph.graph
    output = graph.output_node()
    output.args = (tuple(output.args[0][1:]),)
    graph.eliminate_dead_code()
    graph.erase_node(next(n for n in graph.nodes if n.op == "placeholder"))
    program.graph.recompile()
    del program.values[0], program.shared[0]


def operands_of(programs: Sequence[Any]) -> list[Any]:
    """The operands of several programs, each once."""
    found: dict[Any, Any] = {}
    for program in programs:
        found.update((_identity(v), v) for v in program.operands)
    return list(found.values())


def _identity(value: Any) -> Any:
    return value.node.expr if isinstance(value, torch.SymInt) else id(value)


def with_operands(
    program: Any, count: int, operands: Sequence[Any], *, alone: bool = False
) -> torch.fx.GraphModule:
    """The graph of a program with `operands` after its `count` arguments, in the place of its own."""
    graph = torch.fx.Graph()
    inner = [n for n in program.graph.graph.nodes if n.op == "placeholder"]
    copies = {}
    for i, node in enumerate(inner[:count]):
        copies[node] = graph.placeholder(f"argument_{i}")
        copies[node].meta = dict(node.meta)
    places = [_identity(v) for v in program.operands]
    for i, operand in enumerate(operands):
        node = graph.placeholder(f"operand_{i}")
        node.meta = {"val": operand}
        for old, place in zip(inner[count:], places, strict=True):
            if place == _identity(operand):
                copies[old] = node
    results = graph.graph_copy(program.graph.graph, copies)
    graph.output(results[0] if alone else results)
    return torch.fx.GraphModule(program.graph, graph)


def registered(tracer: Any, name: str, module: Any) -> str:
    """A name for a part of the module that is traced; the number at its end may change."""
    stem, number = name.rstrip("0123456789"), 0
    while hasattr(tracer.root, f"{stem}{number}"):
        number += 1
    setattr(tracer.root, f"{stem}{number}", module)
    return f"{stem}{number}"
