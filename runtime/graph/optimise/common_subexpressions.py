"""Common sub-expressions: what is computed twice in one graph from the same operands is computed once."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir import Graph, Node
from ..sharing import Sharing, makes
from ..types import ArrayType, ListType
from .fold import captures
from .rewriting import Replacements


def cse(graph: Graph) -> None:
    """Let equal nodes be one."""
    _share(graph, Sharing(graph))


def _share(graph: Graph, sharing: Sharing) -> None:
    gone = Replacements()
    known: dict[Any, Node] = {}
    kept: list[Node] = []
    for node in graph.nodes:
        gone.apply(node)
        for inner, pairs in captures(node):
            _join_arguments(inner, pairs)
            _share(inner, sharing)
        key = _key(node)
        first = node if key is None else known.setdefault(key, node)
        if first is not node and may_be_one(first, node, sharing):
            sharing.join(first, node)
            gone[node] = first
            continue
        kept.append(node)
    gone.finish(graph, kept)


def may_be_one(first: Node, second: Node, sharing: Sharing) -> bool:
    """Whether no one can tell that two values, of which the second is the same anew, are one."""
    if second.op == "constant" or not isinstance(second.type, (ArrayType, ListType)) or not makes(second):
        return True
    if _is_number(second):
        return True
    apart = sharing.escapes(first) and sharing.escapes(second)
    return not (apart or sharing.listed(first) or sharing.listed(second))


def _is_number(node: Node) -> bool:
    """Whether a node gives a NumPy scalar, which no one can write to."""
    return isinstance(node.type, ArrayType) and not node.type.shape and node.op != "convert"


def _join_arguments(graph: Graph, pairs: list[tuple[Node, Node]]) -> None:
    """Let the arguments of a graph that stand for one operand be one."""
    first: dict[Node, Node] = {}
    same = Replacements()
    for operand, argument in pairs:
        if first.setdefault(operand, argument) is not argument:
            same[argument] = first[operand]
    if same:
        for node in graph.nodes:
            same.apply(node)
        same.finish(graph, graph.nodes)


def _key(node: Node) -> Any:
    """Equal for nodes that compute the same, None for nodes that must stay apart."""
    if node.effect or node.op in _APART or node.op.startswith(_CREATING):
        return None
    if node.type is None and node.op != "constant":  # its results are told apart only where they are taken
        return None
    try:
        attrs = tuple(sorted((k, _hashable(v)) for k, v in node.attrs.items() if k != "source"))
        key = (node.op, tuple(map(id, node.inputs)), attrs, node.type)
        hash(key)
    except TypeError:
        return None
    return key


_APART = frozenset(
    ("argument", "list", "list_append", "list_pop", "list_set", "list_add_at", "list_insert", "list_copy",
     "setitem", "add_at", "range", "enumerate", "zip", "reversed", "iterate", "dataset")
)  # fmt: skip
_CREATING = (
    "numpy.zeros",
    "numpy.ones",
    "numpy.empty",
    "numpy.full",
    "numpy.copy",
    "numpy.ndarray.copy",
    "numpy.array",
    "numpy.eye",
)


def _hashable(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return ("array", value.dtype.str, value.shape, value.tobytes()) if value.size <= 64 else id(value)
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, *map(_hashable, value))
    if isinstance(value, dict):
        return tuple((k, _hashable(v)) for k, v in value.items())
    if isinstance(value, slice):
        return ("slice", _hashable(value.start), _hashable(value.stop), _hashable(value.step))
    if isinstance(value, np.generic):
        return (type(value).__name__, value.tobytes())
    if isinstance(value, (complex, np.dtype)):
        return (type(value).__name__, repr(value))
    if isinstance(value, float):
        return ("float", value.hex())
    return (type(value).__name__, value)
