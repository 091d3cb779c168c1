"""Conditions on numbers, without an operator on graphs.

`torch.cond` takes some hundred microseconds whenever it runs, a sum of two numbers takes one. A condition
whose branches only give names to numbers selects one of each pair; in a body that may run again and again, so
does one whose branches add and compare numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from .capture import Program
from .graphs import without_first

_aten = torch.ops.aten

NAMING = frozenset((_aten.full, _aten.zeros, _aten.clone, _aten.alias))
SAFE = NAMING | {
    _aten.add, _aten.sub, _aten.neg, _aten.eq, _aten.ne, _aten.lt, _aten.le, _aten.gt, _aten.ge,
    _aten.logical_not, _aten.logical_and, _aten.logical_or, _aten.where,
}  # fmt: skip
"""Operators that raise nothing, on any values, and whose gradients are finite where those of results are."""


def is_selectable(programs: Sequence[Program], types: Sequence[Any], *, compute: bool) -> bool:
    """Whether both programs are to run where one is asked for; with `compute` also those that compute."""
    operators = SAFE if compute else NAMING
    return all(not kind.shape for kind in types) and all(
        not program.written and all(_is_safe(node, operators) for node in program.graph.graph.nodes)
        for program in programs
    )


def separated(program: Program, count: int) -> Callable[..., torch.Tensor] | None:
    """The test of a loop, out of a program from (going, *values) to the same: from values to going.

    The program is left with the values, where the test asks for nothing else that it computes.
    """
    graph = program.graph.graph
    [[again, *left]] = graph.output_node().args
    inputs = [node for node in graph.nodes if node.op == "placeholder"]
    values: dict[Any, Any] = dict(zip(inputs[count:], program.operands, strict=True))
    found: set[torch.fx.Node] = set()
    waiting = [again]
    while waiting:
        node = waiting.pop()
        if node in left or node in values or node in found:
            continue
        if node.op == "placeholder" or not _is_safe(node, SAFE):
            return None
        found.add(node)
        waiting.extend(node.all_input_nodes)
    steps = [(node, node.target, (node.args, node.kwargs)) for node in graph.nodes if node in found]

    def test(*given: torch.Tensor) -> torch.Tensor:
        known = values | dict(zip(left, given, strict=True))
        for node, operator, inputs in steps:
            args, kwargs = torch.fx.node.map_arg(inputs, known.__getitem__)
            known[node] = operator(*args, **kwargs)
        return known[again]

    without_first(program)
    return test


def _is_safe(node: torch.fx.Node, operators: frozenset[Any]) -> bool:
    if node.op in ("placeholder", "output"):
        return True
    if node.op != "call_function" or getattr(node.target, "overloadpacket", None) not in operators:
        return False
    value = node.meta.get("val")
    return isinstance(value, torch.Tensor) and not value.shape
