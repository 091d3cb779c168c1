"""Buffer reuse: compute a result into the array of an operand at its last use.

This saves an allocation. It is measurably faster only for large arrays, from about the size at which NumPy
itself computes `(a + b) * c` into the memory of `a + b`. The graph must have created the array, nothing may
alias it, and it must have the dtype and shape of the result. Two cases are excluded because their results
could be rounded differently. A second operand with several dimensions may give a new array a different
memory layout. NumPy rounds products of complex numbers differently if the result overlaps an operand.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..ir.alias_analysis import AliasAnalysis, makes_new_memory
from ..ir.graph import Graph, Node, Slot
from ..ir.types import ArrayType
from ..rules.ufuncs import UFUNCS

MIN_SIZE = 256 * 1024  # bytes
_FUNCTIONS: dict[str, np.ufunc | None] = {**UFUNCS, "pow": None, "matmul": None}  # `x ** 2` is a square


class Buffers:
    """Selector of reusable arrays in a graph."""

    def __init__(self, graph: Graph):
        self._aliases = AliasAnalysis(graph) if any(map(_is_large, graph.walk())) else None

    def target(self, node: Node, last_uses: set[Node], owned: Any) -> Node | None:
        """Return an input whose array can store the result of the node, or None."""
        aliases = self._aliases
        if aliases is None or not last_uses or not _is_large(node) or self.function(node) is None:
            return None
        for operand in node.inputs:
            if (
                operand in last_uses
                and operand in owned
                and operand.type == node.type
                and makes_new_memory(operand)
                and aliases.is_unaliased(operand)
                and all(
                    i is operand or node.type.ndim == 1 or not getattr(i.type, "shape", ())
                    for i in node.inputs
                )
            ):
                return operand
        return None

    @staticmethod
    def function(node: Node) -> np.ufunc | None:
        """Return the ufunc that computes a node from its inputs, or None."""
        function = _FUNCTIONS.get(node.op) or node.attrs.get("function")
        if not isinstance(function, np.ufunc) or function.nout != 1 or function.signature is not None:
            return None
        args = node.attrs.get("args")
        if args is not None and (node.attrs["kwargs"] or args != tuple(Slot(i) for i in range(function.nin))):
            return None
        return function


def _is_large(node: Node) -> bool:
    kind = node.type
    if not isinstance(kind, ArrayType) or not kind.shape or None in kind.shape or kind.dtype.kind == "c":
        return False
    return math.prod(d for d in kind.shape if d is not None) * kind.dtype.itemsize >= MIN_SIZE
