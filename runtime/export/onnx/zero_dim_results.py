"""Determine which 0-d results of a graph are arrays, and which are NumPy scalars."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...graph.ir.expressions import convert
from ...graph.ir.graph import Graph, Node, fill_slots
from ...graph.ir.subgraphs import argument_sources
from ...graph.ir.types import ArrayType, ScalarType
from ...graph.rules.ufuncs import UFUNCS

IN_PLACE_OPS = ("setitem", "add_at")


def argument_forms(inputs: Any) -> dict[int, bool]:
    """Map each 0-d argument to whether it is an array, if the `Inputs` of its graph specify this."""
    staged = {leaf: i for i, leaf in enumerate(inputs.staged)}
    return {staged[leaf]: form == "array" for leaf, form in inputs.forms.items() if leaf in staged}


def array_results(graph: Graph, argument_flags: dict[int, bool]) -> list[bool]:
    """For each result, return whether it is a 0-d array. `argument_flags` comes from `argument_forms`."""
    known = {node: argument_flags.get(i, False) for i, node in enumerate(graph.arguments)}
    return [_is_array(result, known) for result in graph.results]


def _is_array(node: Node, known: dict[Node, bool]) -> bool:
    """Return whether NumPy computes an array, not a scalar, for a 0-d node."""
    if not isinstance(node.type, ArrayType) or node.type.shape:
        return False
    if node not in known:
        known[node] = _compute_is_array(node, known)
    return known[node]


def _compute_is_array(node: Node, known: dict[Node, bool]) -> bool:
    if node.op == "constant":
        return isinstance(node.attrs["value"], np.ndarray)
    if node.op in IN_PLACE_OPS:
        return True
    if node.op in ("same", "check_bound", "some", "with_shape"):
        return _is_array(node.inputs[0], known)
    if node.op == "output" and any(node.inputs[0].graphs()):
        return _is_subgraph_array(node.inputs[0], node.attrs["index"], known)
    kinds = [i.type for i in node.inputs]
    if not all(isinstance(k, (ArrayType, ScalarType)) and k != ScalarType(str) for k in kinds):
        return False
    for length in (1, 2):
        try:
            with np.errstate(all="ignore"):
                value = _run_numpy(node, [_sample(i, known, length) for i in node.inputs])
        except Exception:  # noqa: BLE001, S112 - NumPy rejects samples of this length
            continue
        return isinstance(value, np.ndarray)
    return False


def _is_subgraph_array(node: Node, index: int, known: dict[Node, bool]) -> bool:
    graphs = list(node.graphs())
    for graph in graphs:
        for relation, operand, argument in argument_sources(node, graph):
            if relation != "in":
                known[argument] = _is_array(operand, known)
    return any(_is_array(graph.results[index + (node.op != "cond")], known) for graph in graphs)


def _sample(node: Node, known: dict[Node, bool], length: int) -> Any:
    """Return ones of a node's type, with unknown dimensions set to `length`."""
    kind = node.type
    if isinstance(kind, ScalarType):
        return kind.python(1)
    ones = np.ones([length if n is None else n for n in kind.shape], kind.dtype)
    return ones if kind.shape or _is_array(node, known) else ones[()]


def _run_numpy(node: Node, values: list[Any]) -> Any:
    """Run a node on sample values with NumPy and return its result, or None if its op does not call NumPy."""
    if node.op in UFUNCS:
        return UFUNCS[node.op](*values)
    if node.op == "convert":
        return convert(values[0], node.attrs["dtype"])
    if "args" in node.attrs:
        args, kwargs = fill_slots(node.attrs["args"], values), fill_slots(node.attrs["kwargs"], values)
        return (operator.getitem if node.op == "getitem" else node.attrs["function"])(*args, **kwargs)
    return None
