"""Whether a graph is one: the tests call `verify` after each optimisation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..ir import Graph, Node, Slot
from ..merging import merge_types
from ..types import ArrayType, ListType, MaybeType, TupleType


class GraphError(AssertionError):
    """A graph breaks a rule that every graph keeps."""


def verify(graph: Graph) -> None:
    """Check a graph and the graphs inside it.

    Raises:
        GraphError: a node uses what is not defined before it in the same graph, a condition's or loop's
            graphs do not agree in number or type with its operands and results, or a result is taken of a
            node that has none there.
    """
    _verify(graph, set())


def _fail(graph: Graph, node: Node, reason: str) -> None:
    raise GraphError(f"in {graph.name}: {node.op} {reason}\n{graph}")


def _verify(graph: Graph, everywhere: set[Node]) -> None:
    defined: set[Node] = set()
    for argument in graph.arguments:
        if argument.op != "argument":
            _fail(graph, argument, "stands among the arguments")
    for node in (*graph.arguments, *graph.nodes):
        if node in everywhere:
            _fail(graph, node, "stands in two places")
        everywhere.add(node)
        for used in node.inputs:
            if used not in defined:
                _fail(graph, node, f"uses {used.op}, which is not defined before it in this graph")
        for slot in _slots(node.attrs):
            if slot.index >= len(node.inputs):
                _fail(graph, node, f"has no input {slot.index}")
        _verify_node(graph, node)
        for inner in node.graphs():
            _verify(inner, everywhere)
        defined.add(node)
    for result in graph.results:
        if result not in defined:
            _fail(graph, result, "is a result, but not defined")


def _verify_node(graph: Graph, node: Node) -> None:
    inner = list(node.graphs())
    if any(n.effect for g in inner for n in g.nodes) and not node.effect:
        _fail(graph, node, "holds an effect, but has none")
    if node.op == "output":
        source, index = node.inputs[0], node.attrs["index"]
        for g in source.graphs():
            results = g.results if source.op == "cond" else g.results[1:]
            if index >= len(results):
                _fail(graph, node, f"takes result {index} of {len(results)}")
            if not agree(results[index].type, node.type):
                _fail(graph, node, f"is {node.type} of a result {results[index].type}")
    elif node.op == "cond":
        then, orelse = inner
        for g in inner:
            _same(graph, node, node.inputs[1:], g.arguments)
        _same(graph, node, then.results, orelse.results, lengths=False)
    elif node.op in ("while", "for"):
        [body] = inner
        size, count = node.attrs.get("elements", 0), node.attrs["carried"]
        first = 2 if node.op == "for" else 1
        _same(graph, node, node.inputs[first:], body.arguments[size:])
        if len(body.arguments) < size + count:
            _fail(graph, node, f"carries {count} values of {len(body.arguments) - size}")
        _same(graph, node, body.results[1:], body.arguments[size : size + count])


def _same(
    graph: Graph, node: Node, first: Sequence[Node], second: Sequence[Node], *, lengths: bool = True
) -> None:
    if len(first) != len(second):
        _fail(graph, node, f"has {len(first)} values for {len(second)}")
    for a, b in zip(first, second, strict=True):
        if not agree(a.type, b.type, lengths=lengths):
            _fail(graph, node, f"has {a.type} for {b.type}")


def agree(first: Any, second: Any, *, lengths: bool = True) -> bool:
    """Whether one value may be of both types: a length may be unknown, a variable unbound.

    With `lengths=False` lengths may differ too: those of what two branches leave, or of their items.
    """
    if first is None or second is None or first == second:
        return True  # None is the type of what stands for a missing value
    if isinstance(first, ArrayType) and isinstance(second, ArrayType):
        pairs = zip(first.shape, second.shape, strict=False)
        return (
            first.dtype == second.dtype
            and first.ndim == second.ndim
            and (not lengths or all(None in pair or pair[0] == pair[1] for pair in pairs))
        )
    if all(isinstance(t, ListType) for t in (first, second)) or MaybeType in (type(first), type(second)):
        try:  # items, and what may be unbound, stay what they are where the type that holds them grows
            merge_types(first, second)
        except TypeError:
            return False
        return True
    if isinstance(first, TupleType) and isinstance(second, TupleType):
        return len(first.parts) == len(second.parts) and all(
            agree(a, b, lengths=lengths) for a, b in zip(first.parts, second.parts, strict=True)
        )
    return bool(first == second)


def _slots(value: Any) -> Iterator[Slot]:
    if isinstance(value, Slot):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _slots(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _slots(part)
    elif isinstance(value, slice):
        yield from _slots((value.start, value.stop, value.step))
