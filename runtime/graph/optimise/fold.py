"""Constant folding: arithmetic on constants is done once, when the graph is made.

A node that raises or warns when it is folded stays, so that it does so at run time, if anyone needs it.
Constants go into the graphs of conditions and loops that capture them.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..ir import Graph, Node
from ..run import EXPRESSIONS, convert
from ..types import ArrayType, ScalarType
from .rewriting import Replacements, constant, is_constant

MAX_FOLDED = 4096
_OPERATORS = frozenset(name for name in EXPRESSIONS if hasattr(operator, name)) - {"contains"}
_BUILTINS = frozenset((bool, int, float, complex, abs, round, min, max))


def fold(graph: Graph) -> None:
    """Put constants in the place of nodes whose value is known."""
    gone = Replacements()
    kept: list[Node] = []
    for node in graph.nodes:
        gone.apply(node)
        made = _folded(node)
        if made is not None:
            gone[node] = node = made
        for inner, pairs in captures(node):
            _propagate(inner, pairs)
            fold(inner)
        kept.append(node)
    gone.finish(graph, kept)


def captures(node: Node) -> Iterable[tuple[Graph, list[tuple[Node, Node]]]]:
    """Each graph of a condition or loop, with the operands that it captures and its arguments for them."""
    own = node.attrs.get("elements", 0) + node.attrs.get("carried", 0)
    for inner in node.graphs():
        arguments = inner.arguments[own:]
        operands = node.inputs[len(node.inputs) - len(arguments) :]
        yield inner, list(zip(operands, arguments, strict=True))


def _propagate(graph: Graph, pairs: list[tuple[Node, Node]]) -> None:
    made = Replacements({a: constant(o.attrs["value"], o) for o, a in pairs if is_constant(o)})
    if made:
        for node in graph.nodes:
            made.apply(node)
        made.finish(graph, [*made.values(), *graph.nodes])


def _folded(node: Node) -> Node | None:
    kind = node.type
    if node.op == "dimension" and node.inputs[0].type.shape[node.attrs["axis"]] is not None:
        return constant(node.inputs[0].type.shape[node.attrs["axis"]], node)
    if node.effect or not isinstance(kind, (ScalarType, ArrayType)):
        return None
    if not node.inputs or not all(map(is_constant, node.inputs)):
        return None
    values = [i.attrs["value"] for i in node.inputs]
    if sum(getattr(v, "size", 1) for v in values) > MAX_FOLDED:
        return None
    try:
        with np.errstate(all="raise"):
            made = computed(node, values)
    except Exception:  # noqa: BLE001 - whatever it raises, it raises at run time too
        return None
    if isinstance(kind, ScalarType):
        fits = type(made) is kind.python
    else:
        fits = isinstance(made, (np.ndarray, np.generic)) and made.dtype == kind.dtype
    return constant(made, node) if fits and getattr(made, "size", 1) <= MAX_FOLDED else None


def computed(node: Node, values: list[Any]) -> Any:
    """What a node computes of constants; None for one that is not computed here."""
    function: Any = node.attrs.get("function")
    if node.op == "either":
        return bool(values[0] or values[1])
    if node.op == "convert":
        return convert(values[0], node.attrs["dtype"])
    if node.op in _OPERATORS:
        return getattr(operator, node.op)(*values)
    if "args" not in node.attrs and function in _BUILTINS:
        return function(*values)
    return None
