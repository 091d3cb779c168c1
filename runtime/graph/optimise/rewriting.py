"""What the optimisations share: nodes in the place of nodes, and constants."""

from __future__ import annotations

from typing import Any

from ..ir import Graph, Node


class Replacements(dict[Node, Node]):
    """What stands for the nodes that are gone, while a graph is walked in program order."""

    def of(self, node: Node) -> Node:
        """What stands for a node, at the end of a chain of replacements too."""
        while (found := self.get(node)) is not None:
            node = found
        return node

    def apply(self, node: Node) -> None:
        """Let a node use what stands for its inputs."""
        if any(i in self for i in node.inputs):
            node.inputs = tuple([self.of(i) for i in node.inputs])

    def finish(self, graph: Graph, nodes: list[Node]) -> None:
        """Let a graph have these nodes, and the results that stand for its own."""
        graph.nodes[:] = nodes
        graph.results[:] = [self.of(r) for r in graph.results]


def constant(value: Any, like: Node) -> Node:
    """A constant in the place of a node."""
    return Node("constant", (), {"value": value}, like.type, like.source)


def is_constant(node: Node) -> bool:
    return node.op == "constant"
