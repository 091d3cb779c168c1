"""Inner graphs of conditionals and loops, and the node inputs that correspond to their arguments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from .graph import Graph, Node
from .types import ArrayType, ScalarType

Pair: TypeAlias = tuple[Node, Node]
"""An input of a node, and the corresponding argument of an inner graph."""


class Loop:
    """A snapshot of the parts of a `while` or `for` node.

    Inputs: the first test, the iterated value of a `for`, the `initial` carried values, captured `operands`.
    Arguments of the body: the `elements` of the iterated value, the `carried` values, the `captured` values.
    Results of the body: the next test, the `results` for the carried values.
    """

    def __init__(self, node: Node):
        self.node = node
        self.body: Graph = node.attrs["body"]
        start, size = (2, node.attrs["elements"]) if node.op == "for" else (1, 0)
        count = node.attrs["carried"]
        self.initial, self.operands = node.inputs[start : start + count], node.inputs[start + count :]
        self.elements = self.body.arguments[:size]
        self.carried = self.body.arguments[size : size + count]
        self.captured = self.body.arguments[size + count :]
        self.results = self.body.results[1:]

    def captures(self) -> list[Pair]:
        return list(zip(self.operands, self.captured, strict=True))

    def carries(self) -> list[tuple[Node, Node, Node]]:
        """Return the initial value, the argument and the result of each carried value."""
        return list(zip(self.initial, self.carried, self.results, strict=True))

    def rebuild(self, carries: list[tuple[Node, Node, Node]], captures: Iterable[Pair]) -> None:
        """Set the carried and the captured values of the node."""
        captures = list(captures)
        start = 2 if self.node.op == "for" else 1
        self.node.inputs = (
            *self.node.inputs[:start], *(initial for initial, _, _ in carries), *(o for o, _ in captures)
        )  # fmt: skip
        self.node.attrs["carried"] = len(carries)
        self.body.arguments[:] = [*self.elements, *(a for _, a, _ in carries), *(a for _, a in captures)]
        self.body.results[1:] = [result for _, _, result in carries]


def argument_sources(node: Node, inner: Graph) -> list[tuple[str, Node, Node]]:
    """Return a triple for each argument of an inner graph: a relation, an input of `node`, and the argument.

    The relation is "=" (the same value), "from" (the initial value of a carried value) or "in" (an element of
    the iterated value).
    """
    if node.op == "cond":
        return [("=", *pair) for pair in zip(node.inputs[1:], inner.arguments, strict=True)]
    loop = Loop(node)
    return [
        *(("in", node.inputs[1], element) for element in loop.elements),
        *(("from", initial, carried) for initial, carried, _ in loop.carries()),
        *(("=", *pair) for pair in loop.captures()),
    ]


def has_effect(graph: Graph) -> bool:
    """Return whether a node of a graph or of its inner graphs has an effect."""
    return any(node.effect for node in graph.walk())


_REPEATABLE_EFFECTS = frozenset(("call", "check_bound", "list_some", "raise", "some"))


def unrepeatable_effects(graph: Graph) -> Iterator[Node]:
    """Yield the nodes of a graph, and of those that it calls, whose effects another run would repeat."""
    for node in graph.all_nodes():
        if node.effect and node.op not in _REPEATABLE_EFFECTS and not any(node.graphs()):
            yield node


def called_names(graph: Graph) -> dict[Graph, str]:
    """Return the graphs that a graph calls, directly or through others, each with a name of its own."""
    names: dict[Graph, str] = {}
    for called in graph.program()[1:]:
        count = sum(other.name == called.name for other in names)
        names[called] = called.name if not count else f"{called.name}_{count + 1}"
    return names


LAZY_ITERABLES = frozenset(("range", "enumerate", "zip", "reversed"))


def source_leaves(source: Node) -> Iterator[Node]:
    """Yield the values that the iterated value of a loop is made of, apart from a constant step."""
    if source.op not in LAZY_ITERABLES:
        yield source
        return
    for i, part in enumerate(source.inputs):
        if not (source.op == "range" and i == 2 and part.op == "constant"):
            yield from source_leaves(part)


def is_embedded(operand: Node) -> bool:
    """Return whether compiled code for a loop contains a captured value: a constant number."""
    if operand.op != "constant":
        return False
    return isinstance(operand.type, ScalarType) or (
        isinstance(operand.type, ArrayType) and not operand.type.shape
    )


def captures_of(node: Node) -> Iterator[tuple[Graph, list[Pair]]]:
    """Yield each inner graph of a node with the values that it captures."""
    for inner in node.graphs():
        yield inner, [(o, a) for relation, o, a in argument_sources(node, inner) if relation == "="]
