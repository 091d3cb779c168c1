"""Graph to graph: constants folded, common sub-expressions once, unused work dropped.

Each rewriting keeps the program order of what is left, and never touches a node with an effect. A
node that fails when it is folded stays, so that it fails at run time, if anyone needs it.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .ir import Graph, Node
from .run import EXPRESSIONS
from .types import ArrayType, ScalarType

MAX_FOLDED = 4096
_FOLDABLE = frozenset(name for name in EXPRESSIONS if hasattr(operator, name)) | {"not_", "either"}


def optimise(graph: Graph) -> None:
    """Rewrite a graph and the graphs inside it, in place."""
    replaced: dict[Node, Node] = {}
    _simplify(graph, replaced)
    drop_unused(graph)


def _simplify(graph: Graph, replaced: dict[Node, Node]) -> None:
    known: dict[Any, Node] = {}
    kept: list[Node] = []
    for node in graph.nodes:
        node.inputs = tuple([replaced.get(i, i) for i in node.inputs])
        original = node
        folded = _folded(node)
        if folded is not None:
            node = _replace(node, folded, replaced)
        for inner in node.graphs():
            _simplify(inner, replaced)
        key = _key(node)
        if key is not None and key in known:
            replaced[node] = replaced[original] = known[key]
            continue
        if key is not None:
            known[key] = node
        kept.append(node)
    graph.nodes[:] = kept
    graph.results[:] = [replaced.get(r, r) for r in graph.results]


def _replace(node: Node, value: Any, replaced: dict[Node, Node]) -> Node:
    made = Node("constant", (), {"value": value}, node.type, node.source)
    replaced[node] = made
    return made


def _folded(node: Node) -> Any:
    if node.op not in _FOLDABLE or node.effect or not isinstance(node.type, (ScalarType, ArrayType)):
        return None
    if not node.inputs or any(i.op != "constant" for i in node.inputs):
        return None
    values = [i.attrs["value"] for i in node.inputs]
    if sum(getattr(v, "size", 1) for v in values) > MAX_FOLDED:
        return None
    try:
        with np.errstate(all="raise"):
            if node.op == "either":
                return values[0] or values[1]
            made = getattr(operator, node.op)(*values)
    except Exception:  # noqa: BLE001 - whatever it raises, it raises at run time too
        return None
    fits = isinstance(node.type, ArrayType) or type(made) is node.type.python
    return made if fits and getattr(made, "size", 1) <= MAX_FOLDED else None


def _key(node: Node) -> Any:
    """Equal for nodes that compute the same, None for nodes that must stay apart."""
    if node.effect or node.op in _APART or node.op.startswith(_CREATING) or any(True for _ in node.graphs()):
        return None
    try:
        attrs = tuple(sorted((k, _hashable(v)) for k, v in node.attrs.items() if k != "source"))
        key = (node.op, tuple(map(id, node.inputs)), attrs, node.type)
        hash(key)
    except TypeError:
        return None
    return key


_APART = frozenset(
    ("argument", "list", "list_append", "list_pop", "list_set", "list_copy", "setitem", "range", "enumerate",
     "zip", "reversed", "iterate", "dataset")
)  # fmt: skip


_CREATING = (
    "numpy.zeros",
    "numpy.ones",
    "numpy.empty",
    "numpy.full",
    "numpy.copy",
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


def drop_unused(graph: Graph) -> None:
    """Drop nodes that no result and no effect needs, here and in inner graphs, with their results."""
    size = -1
    while size != len(graph.nodes):
        _keep_needed(graph)
        size = len(graph.nodes)
        outputs: dict[Node, list[Node]] = {}
        for node in graph.nodes:
            if node.op == "output":
                outputs.setdefault(node.inputs[0], []).append(node)
        for node in graph.nodes:
            if node.op == "cond":
                _drop_results(node, outputs.get(node, []))
            for inner in node.graphs():
                drop_unused(inner)
            if node.op == "cond":
                _drop_operands(node)
        _keep_needed(graph)


def _keep_needed(graph: Graph) -> None:
    needed: set[Node] = set(graph.results)
    for node in reversed(graph.nodes):
        if node.effect or node in needed:
            needed.add(node)
            needed.update(node.inputs)
    graph.nodes[:] = [n for n in graph.nodes if n in needed]


def _drop_results(node: Node, outputs: list[Node]) -> None:
    """A condition leaves only the results that someone takes."""
    kept = sorted({user.attrs["index"] for user in outputs})
    place = {old: new for new, old in enumerate(kept)}
    for inner in node.graphs():
        inner.results[:] = [inner.results[i] for i in kept]
    for user in outputs:
        user.attrs["index"] = place[user.attrs["index"]]


def _drop_operands(node: Node) -> None:
    """A condition takes only the operands that one of its branches uses."""
    graphs = list(node.graphs())
    used = [
        any(
            a in {i for n in g.nodes for i in n.inputs} or a in g.results
            for g, a in zip(graphs, arguments, strict=True)
        )
        for arguments in zip(*(g.arguments for g in graphs), strict=True)
    ]
    for graph in graphs:
        graph.arguments[:] = [a for a, keep in zip(graph.arguments, used, strict=True) if keep]
    node.inputs = (node.inputs[0], *(i for i, keep in zip(node.inputs[1:], used, strict=True) if keep))
