"""Which node may compute into an array that ends there, instead of making a new one.

NumPy then asks for no memory. That is measurably faster for large arrays only: from about the size at
which NumPy itself computes `(a + b) * c` into the memory of `a + b`. The array has to be the graph's
own, of the very dtype and shape of the result, and seen by nobody else. Where another operand is an
array of several dimensions a new array might lie in memory in another order, and a sum over it be
rounded otherwise, so there a new one is made. So it is for complex numbers, whose products NumPy rounds
otherwise where the result lies in the memory of an operand.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..ir import Graph, Node, Slot
from ..record import UFUNCS
from ..sharing import Sharing, makes
from ..types import ArrayType

SMALLEST = 256 * 1024  # bytes
_FUNCTIONS = {name: f for name, f in UFUNCS.items() if name not in ("pow", "matmul")}  # `x ** 2` is a square


class Buffers:
    """The arrays of a graph that nodes may compute into."""

    def __init__(self, graph: Graph):
        self._sharing = Sharing(graph) if any(map(_is_large, graph.walk())) else None

    def target(self, node: Node, ends: set[Node], owned: Any) -> Node | None:
        """The input of a node whose array may hold its result."""
        sharing = self._sharing
        if sharing is None or not ends or not _is_large(node) or self.function(node) is None:
            return None
        for used in node.inputs:
            if (
                used in ends
                and used in owned
                and used.type == node.type
                and makes(used)
                and sharing.is_alone(used)
                and all(i is used or node.type.ndim == 1 or _is_single(i) for i in node.inputs)
            ):
                return used
        return None

    @staticmethod
    def function(node: Node) -> np.ufunc | None:
        """The ufunc that takes a node's inputs and an array for its result."""
        found = _FUNCTIONS.get(node.op) or node.attrs.get("function")
        if not isinstance(found, np.ufunc) or found.nout != 1 or found.signature is not None:
            return None
        args = node.attrs.get("args")
        if args is not None and (node.attrs["kwargs"] or args != tuple(Slot(i) for i in range(found.nin))):
            return None
        return found


def _is_large(node: Node) -> bool:
    kind = node.type
    if not isinstance(kind, ArrayType) or not kind.shape or None in kind.shape or kind.dtype.kind == "c":
        return False
    return math.prod(d for d in kind.shape if d is not None) * kind.dtype.itemsize >= SMALLEST


def _is_single(node: Node) -> bool:
    return not (isinstance(node.type, ArrayType) and node.type.shape)
