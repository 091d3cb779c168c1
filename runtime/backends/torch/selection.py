"""Conditionals on small tensors that become selections, and loop tests that are separated from their bodies.

`torch.cond` takes about a hundred microseconds per run, and adding two small tensors takes one. So a
conditional between existing small tensors becomes a selection. Inside loops, branches and operators, so does
a conditional whose branches add, compare and reduce them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from ..functional.abstract_values import is_small
from .capture import Program
from .higher_order import remove_first_argument

_aten = torch.ops.aten

NAMING = frozenset((_aten.full, _aten.zeros, _aten.clone, _aten.alias))
SAFE = NAMING | {
    _aten.add, _aten.sub, _aten.neg, _aten.eq, _aten.ne, _aten.lt, _aten.le, _aten.gt, _aten.ge,
    _aten.logical_not, _aten.logical_and, _aten.logical_or, _aten.where, _aten.all, _aten.any, _aten.abs,
    _aten.amax, _aten.amin, _aten.max, _aten.min, _aten.sum,
}  # fmt: skip
"""Operators that never raise and whose derivatives are always finite."""


def is_selectable(programs: Sequence[Program], avals: Sequence[Any], *, compute: bool) -> bool:
    """Return whether a conditional may run both programs and select between their results.

    Programs that compute nothing always qualify; programs of safe operators qualify only if `compute` is
    true.
    """
    operators = SAFE if compute else NAMING
    return all(is_small(aval.shape) for aval in avals) and all(
        not program.written and all(_is_safe(node, operators) for node in program.graph.graph.nodes)
        for program in programs
    )


def split_test(program: Program, count: int) -> Callable[..., torch.Tensor] | None:
    """Split the test off a loop body, a program from (test, *values) to their next values.

    Return a function from the values to the test, and remove the test from the program. Return None, and keep
    the program, if the test needs anything else that the program computes.
    """
    graph = program.graph.graph
    [[test_node, *results]] = graph.output_node().args
    inputs = [node for node in graph.nodes if node.op == "placeholder"]
    values: dict[Any, Any] = dict(zip(inputs[count:], program.operands, strict=True))
    needed: set[torch.fx.Node] = set()
    pending = [test_node]
    while pending:
        node = pending.pop()
        if node in results or node in values or node in needed:
            continue
        if node.op == "placeholder" or not _is_safe(node, SAFE):
            return None
        needed.add(node)
        pending.extend(node.all_input_nodes)
    steps = [(node, node.target, (node.args, node.kwargs)) for node in graph.nodes if node in needed]

    def test(*arguments: torch.Tensor) -> torch.Tensor:
        known = values | dict(zip(results, arguments, strict=True))
        for node, operator, inputs in steps:
            args, kwargs = torch.fx.node.map_arg(inputs, known.__getitem__)
            known[node] = operator(*args, **kwargs)
        return known[test_node]

    remove_first_argument(program)
    return test


def _is_safe(node: torch.fx.Node, operators: frozenset[Any]) -> bool:
    if node.op in ("placeholder", "output"):
        return True
    if node.op != "call_function" or getattr(node.target, "overloadpacket", None) not in operators:
        return False
    value = node.meta.get("val")
    return isinstance(value, torch.Tensor) and is_small(value.shape)
