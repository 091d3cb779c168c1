"""Common subexpression elimination: compute equal nodes of one graph once."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.alias_analysis import AliasAnalysis, makes_new_memory
from ..ir.graph import Graph, Node
from ..ir.subgraphs import captures_of
from ..ir.types import ArrayType, ListType, holds_references, is_reference
from .constant_folding import Replacements


def eliminate_common_subexpressions(graph: Graph) -> None:
    """Replace each node that repeats an earlier one, inner graphs included."""
    _eliminate(graph, AliasAnalysis(graph))


def _eliminate(graph: Graph, aliases: AliasAnalysis) -> None:
    replacements = Replacements()
    seen: dict[Any, Node] = {}
    nodes: list[Node] = []
    for node in graph.nodes:
        replacements.apply(node)
        for inner, pairs in captures_of(node):
            _merge_arguments(inner, pairs)
            _eliminate(inner, aliases)
        key = _key(node)
        first = node if key is None else seen.setdefault(key, node)
        if first is not node and can_share(first, node, aliases):
            aliases.union(first, node)
            replacements[node] = first
            continue
        nodes.append(node)
    replacements.finish(graph, nodes)


def can_share(first: Node, second: Node, aliases: AliasAnalysis) -> bool:
    """Return whether `first` can replace the equal node `second` without an observable difference."""
    if (
        second.op == "constant"
        or not isinstance(second.type, (ArrayType, ListType))
        or _is_numpy_scalar(second)
    ):
        return True
    if not makes_new_memory(second):
        return not {first, second} <= aliases.results  # two views of one array are two objects
    both_escape = aliases.escapes(first) and aliases.escapes(second)
    return not (both_escape or aliases.is_in_list(first) or aliases.is_in_list(second))


def _is_numpy_scalar(node: Node) -> bool:
    return isinstance(node.type, ArrayType) and not node.type.shape and node.op != "convert"


def _merge_arguments(graph: Graph, pairs: list[tuple[Node, Node]]) -> None:
    """Merge the arguments of an inner graph that capture the same operand."""
    first: dict[Node, Node] = {}
    duplicates = Replacements()
    for operand, argument in pairs:
        if first.setdefault(operand, argument) is not argument:
            duplicates[argument] = first[operand]
    duplicates.apply_to_graph(graph)


def _key(node: Node) -> Any:
    """Return a key that nodes with the same value share, or None if the node must not be merged."""
    if node.effect or node.op in _UNMERGEABLE or node.op.startswith(_CREATING):
        return None
    if node.type is None and node.op != "constant":  # has several results, or none
        return None
    if any(
        is_reference(i.type) or (node.op not in _SHALLOW and holds_references(i.type)) for i in node.inputs
    ):
        return None  # the object may change
    try:
        attrs = tuple(sorted((k, _hashable(v)) for k, v in node.attrs.items() if k != "source"))
        key = (node.op, tuple(map(id, node.inputs)), attrs, node.type)
        hash(key)
    except TypeError:
        return None
    return key


_SHALLOW = frozenset(("list_get", "len", "output"))
"""Ops that do not look into the items of a list."""
_UNMERGEABLE = frozenset(
    ("argument", "reference", "list", "list_append", "list_pop", "list_set", "list_add_at", "list_insert",
     "list_copy", "list_update", "deque", "set_of", "dict_of", "dict_values", "dict_items", "sorting_order",
     "permuted", "groups", "nsmallest", "nlargest", "new_object",
     "set_intersection", "set_difference", "set_symmetric_difference",
     "setitem", "add_at", "range", "enumerate", "zip", "reversed", "iterate", "dataset")
)  # fmt: skip
_CREATING = (
    "numpy.zeros", "numpy.ones", "numpy.empty", "numpy.full", "numpy.copy", "numpy.ndarray.copy",
    "numpy.array", "numpy.eye",
)  # fmt: skip


def _hashable(value: Any) -> Any:
    """Return a hashable key, which is the same for attributes that are equal bit for bit."""
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
