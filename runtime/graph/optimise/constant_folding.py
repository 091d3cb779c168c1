"""Constant folding, and the node replacement that all optimizations share.

A node whose evaluation raises or warns is not folded, so that it still does so at run time. Constants are
propagated into the inner graphs that capture them.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..ir.expressions import EXPRESSIONS, convert
from ..ir.graph import Graph, Node
from ..ir.subgraphs import captures_of
from ..ir.types import ArrayType, ScalarType

MAX_FOLDED_SIZE = 4096
_OPERATORS = frozenset(name for name in EXPRESSIONS if hasattr(operator, name)) - {"contains"}
_BUILTINS = frozenset((bool, int, float, complex, abs, round, min, max))


class Replacements(dict[Node, Node]):
    """Replacements of removed nodes, collected while a graph is walked in program order."""

    def resolve(self, node: Node) -> Node:
        """Return the final replacement of a node, or the node itself."""
        while (replacement := self.get(node)) is not None:
            node = replacement
        return node

    def apply(self, node: Node) -> None:
        """Replace the inputs of a node."""
        if any(i in self for i in node.inputs):
            node.inputs = tuple([self.resolve(i) for i in node.inputs])

    def finish(self, graph: Graph, nodes: list[Node]) -> None:
        """Set the nodes of a graph and replace its results."""
        graph.nodes[:] = nodes
        graph.results[:] = [self.resolve(r) for r in graph.results]

    def apply_to_graph(self, graph: Graph) -> None:
        """Replace the inputs of all nodes of a graph, and its results."""
        if self:
            for node in graph.nodes:
                self.apply(node)
            self.finish(graph, graph.nodes)


def make_constant(value: Any, like: Node) -> Node:
    """Return a constant with the type and source of another node."""
    return Node("constant", (), {"value": value}, like.type, like.source)


def is_constant(node: Node) -> bool:
    return node.op == "constant"


def fold_constants(graph: Graph) -> None:
    """Replace nodes whose values are known with constants."""
    replacements = Replacements()
    nodes: list[Node] = []
    for node in graph.nodes:
        replacements.apply(node)
        constant = _fold(node)
        if constant is not None:
            replacements[node] = node = constant
        for inner, pairs in captures_of(node):
            _propagate_constants(inner, pairs)
            fold_constants(inner)
        nodes.append(node)
    replacements.finish(graph, nodes)


def _propagate_constants(graph: Graph, pairs: list[tuple[Node, Node]]) -> None:
    constants = Replacements({a: make_constant(o.attrs["value"], o) for o, a in pairs if is_constant(o)})
    constants.apply_to_graph(graph)
    graph.nodes[:0] = constants.values()


def _fold(node: Node) -> Node | None:
    kind = node.type
    if node.op == "dimension" and node.inputs[0].type.shape[node.attrs["axis"]] is not None:
        return make_constant(node.inputs[0].type.shape[node.attrs["axis"]], node)
    if node.effect or not isinstance(kind, (ScalarType, ArrayType)):
        return None
    if not node.inputs or not all(map(is_constant, node.inputs)):
        return None
    operands = [i.attrs["value"] for i in node.inputs]
    if sum(getattr(v, "size", 1) for v in operands) > MAX_FOLDED_SIZE:
        return None
    try:
        with np.errstate(all="raise"):
            value = _evaluate(node, operands)
    except Exception:  # noqa: BLE001 - the node raises the same error at run time
        return None
    if isinstance(kind, ScalarType):
        has_type = type(value) is kind.python
    else:
        has_type = isinstance(value, (np.ndarray, np.generic)) and value.dtype == kind.dtype
    return make_constant(value, node) if has_type and getattr(value, "size", 1) <= MAX_FOLDED_SIZE else None


def _evaluate(node: Node, operands: list[Any]) -> Any:
    """Return the value of a node for constant operands, or None if its op is not folded."""
    function: Any = node.attrs.get("function")
    if node.op == "either":
        return bool(operands[0] or operands[1])
    if node.op == "convert":
        return convert(operands[0], node.attrs["dtype"])
    if node.op in _OPERATORS:
        return getattr(operator, node.op)(*operands)
    if "args" not in node.attrs and function in _BUILTINS:
        return function(*operands)
    return None
