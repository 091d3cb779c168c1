"""Which results of a graph are arrays without dimensions, where NumPy has scalars too."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph.ir import Graph, Node
from ..graph.types import ArrayType, ScalarType
from .calls import by_numpy

_WRITTEN = ("setitem", "add_at")


def given_forms(inputs: Any) -> dict[int, bool]:
    """For each argument without dimensions whether it is an array, where the `Inputs` of its graph know."""
    staged = {leaf: i for i, leaf in enumerate(inputs.staged)}
    return {staged[leaf]: form == "array" for leaf, form in inputs.forms.items() if leaf in staged}


def array_results(graph: Graph, given: dict[int, bool]) -> list[bool]:
    """For each result whether it is an array of no dimensions; `given` says so of arguments."""
    known = {node: given.get(i, False) for i, node in enumerate(graph.arguments)}
    return [_is_array(result, known) for result in graph.results]


def _is_array(node: Node, known: dict[Node, bool]) -> bool:
    """Whether NumPy has an array where a node gives a value of no dimensions."""
    if not isinstance(node.type, ArrayType) or node.type.shape:
        return False
    if node not in known:
        known[node] = _found(node, known)
    return known[node]


def _found(node: Node, known: dict[Node, bool]) -> bool:
    if node.op == "constant":
        return isinstance(node.attrs["value"], np.ndarray)
    if node.op in _WRITTEN:
        return True
    if node.op in ("same", "check_bound", "with_shape"):
        return _is_array(node.inputs[0], known)
    if node.op == "output" and any(node.inputs[0].graphs()):
        return _of_inner(node.inputs[0], node.attrs["index"], known)
    kinds = [i.type for i in node.inputs]
    if not all(isinstance(k, (ArrayType, ScalarType)) and k != ScalarType(str) for k in kinds):
        return False
    for length in (1, 2):
        try:
            with np.errstate(all="ignore"):
                made = by_numpy(node, [_sample(i, known, length) for i in node.inputs])
        except Exception:  # noqa: BLE001, S112 - of these lengths it cannot be told
            continue
        return isinstance(made, np.ndarray)
    return False


def _of_inner(node: Node, index: int, known: dict[Node, bool]) -> bool:
    graphs = list(node.graphs())
    inner = graphs[0]
    first = len(node.inputs) - len(inner.arguments)
    loop = node.op != "cond"
    for graph in graphs:
        shift = node.attrs.get("elements", 0) if loop else 0
        for place, argument in enumerate(graph.arguments):
            if place >= shift:
                known[argument] = _is_array(node.inputs[first + place], known)
    return any(_is_array(graph.results[index + loop], known) for graph in graphs)


def _sample(node: Node, known: dict[Node, bool], length: int) -> Any:
    """Ones of a node's type, in which lengths that are open are `length`."""
    kind = node.type
    if isinstance(kind, ScalarType):
        return kind.python(1)
    ones = np.ones([length if n is None else n for n in kind.shape], kind.dtype)
    return ones if kind.shape or _is_array(node, known) else ones[()]
