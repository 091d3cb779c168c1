"""Graph rewriting: constants become inputs, and programs share operands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch


def constants_as_inputs(graph: torch.fx.GraphModule, count: int) -> list[torch.Tensor]:
    """Turn constants into operands and return them, so that the program can be saved."""
    aten = torch.ops.aten
    constants: list[torch.Tensor] = []
    for node in list(graph.graph.nodes):
        if node.op != "get_attr" or not isinstance(getattr(graph, node.target, None), torch.Tensor):
            continue
        constant = getattr(graph, node.target)
        first = next(n for n in graph.graph.nodes if n.op != "placeholder")
        with graph.graph.inserting_before(first):
            placeholder = graph.graph.placeholder(f"constant_{count + len(constants)}")
        placeholder.meta = dict(node.meta)
        for user in list(node.users):
            if user.target in (aten.lift_fresh_copy.default, aten.lift_fresh.default):
                user.target = aten.clone.default
        node.replace_all_uses_with(placeholder)
        graph.graph.erase_node(node)
        constants.append(aten.lift_fresh.default(constant))
    return constants


def remove_first_argument(program: Any) -> None:
    """Remove the unused first argument and the first result of a program."""
    graph = program.graph.graph
    output = graph.output_node()
    output.args = (tuple(output.args[0][1:]),)
    graph.eliminate_dead_code()
    graph.erase_node(next(n for n in graph.nodes if n.op == "placeholder"))
    program.graph.recompile()
    del program.values[0], program.shared[0]


def operands_of(programs: Sequence[Any]) -> list[Any]:
    """Return the distinct operands of several programs."""
    operands = {_identity(v): v for program in programs for v in program.operands}
    return list(operands.values())


def _identity(value: Any) -> Any:
    return value.node.expr if isinstance(value, torch.SymInt) else id(value)


def with_operands(
    program: Any, count: int, operands: Sequence[Any], *, first_only: bool = False
) -> torch.fx.GraphModule:
    """Return a program's graph with `operands` in place of its own, which follow `count` arguments."""
    graph = torch.fx.Graph()
    placeholders = [n for n in program.graph.graph.nodes if n.op == "placeholder"]
    copies = {}
    for i, node in enumerate(placeholders[:count]):
        copies[node] = graph.placeholder(f"argument_{i}")
        copies[node].meta = dict(node.meta)
    identities = [_identity(v) for v in program.operands]
    for i, operand in enumerate(operands):
        node = graph.placeholder(f"operand_{i}")
        node.meta = {"val": operand}
        for old, identity in zip(placeholders[count:], identities, strict=True):
            if identity == _identity(operand):
                copies[old] = node
    results = graph.graph_copy(program.graph.graph, copies)
    graph.output(results[0] if first_only else results)
    return torch.fx.GraphModule(program.graph, graph)


def register_module(tracer: Any, name: str, module: Any) -> str:
    """Register a module under a fresh name on the traced module, and return the name."""
    stem, number = name.rstrip("0123456789"), 0
    while hasattr(tracer.root, f"{stem}{number}"):
        number += 1
    setattr(tracer.root, f"{stem}{number}", module)
    return f"{stem}{number}"
