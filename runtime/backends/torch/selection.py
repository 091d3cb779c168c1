"""Conditions on numbers, without an operator on graphs.

`torch.cond` takes some hundred microseconds whenever it runs, a sum of two numbers takes one. A condition
whose branches only give names to numbers selects one of each pair; in a body that may run again and again, so
does one whose branches add and compare numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from .capture import Program

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


def _is_safe(node: torch.fx.Node, operators: frozenset[Any]) -> bool:
    if node.op in ("placeholder", "output"):
        return True
    if node.op != "call_function" or getattr(node.target, "overloadpacket", None) not in operators:
        return False
    value = node.meta.get("val")
    return isinstance(value, torch.Tensor) and not value.shape
