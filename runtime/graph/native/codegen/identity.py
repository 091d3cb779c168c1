"""Results that machine code cannot hand out: arrays without dimensions, and lists whose arrays are shared.

Machine code has one form for a NumPy scalar and an array without dimensions, and the arrays of a list leave
it as copies. Both are right only where nobody could see the difference.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...ir.graph import Graph, Node
from ...ir.subgraphs import Loop, argument_sources
from ...ir.types import ArrayType, ListType, bound_type
from ..assembly.statuses import UnsupportedError

_MAKE_ARRAYS = frozenset(
    ("numpy.where", "numpy.copy", "numpy.zeros", "numpy.ones", "numpy.full", "numpy.empty",
     "numpy.zeros_like", "numpy.ones_like", "numpy.full_like", "numpy.empty_like")
)  # fmt: skip
_PASS_ON = frozenset(
    ("same", "check_bound", "some", "numpy.ndarray.copy", "numpy.ndarray.astype", "min", "max")
)
_MAY_NOT_BE_NEW = frozenset(
    (
        "argument",
        "output",
        "getitem",
        "same",
        "convert",
        "check_bound",
        "some",
        "list_get",
        "constant",
        "min",
        "max",
    )
)


def check_results(graph: Graph) -> None:
    """Raise `UnsupportedError` if a result of a region, or an item of a list in it, cannot leave it."""
    arrays = _zero_dimensional(graph)
    kept = [*graph.results, *(item for node in graph.walk() for item in _items(node))]
    if any(node in arrays for node in kept):
        raise UnsupportedError("an array without dimensions leaves machine code")
    if any(_is_list_of_arrays(result) for result in graph.results) and _shares_items(graph):
        raise UnsupportedError("the arrays in a list may have other names")


# --- Arrays without dimensions --------------------------------------------------------------------


def _zero_dimensional(graph: Graph) -> set[Node]:
    """Return the nodes that may be arrays without dimensions, rather than NumPy scalars."""
    found: set[Node] = set()
    count = -1
    while len(found) > count:
        count = len(found)
        _visit(graph, found)
    return found


def _visit(graph: Graph, found: set[Node]) -> None:
    for node in graph.nodes:
        kind = bound_type(node.type)
        if isinstance(kind, ArrayType) and not kind.shape and _may_be_array(node, found):
            found.add(node)
        for inner in node.graphs():
            found.update(a for _, operand, a in argument_sources(node, inner) if operand in found)
            _visit(inner, found)
        if node.op in ("while", "for"):
            loop = Loop(node)
            found.update(a for _, a, result in loop.carries() if result in found)


def _may_be_array(node: Node, found: set[Node]) -> bool:
    if node.op == "output":
        source, index = node.inputs[0], node.attrs["index"]
        if source.op == "cond":
            return any(inner.results[index] in found for inner in source.graphs())
        return source.op in ("while", "for") and Loop(source).carried[index] in found
    return node.op in _MAKE_ARRAYS or (node.op in _PASS_ON and any(i in found for i in node.inputs))


# --- Lists of arrays ------------------------------------------------------------------------------


def _items(node: Node) -> tuple[Node, ...]:
    """Return the values that a node puts into a list."""
    if node.op == "list":
        return node.inputs
    return {"list_append": node.inputs[1:2], "list_set": node.inputs[2:3]}.get(node.op, ())


def _is_list_of_arrays(node: Node) -> bool:
    kind = bound_type(node.type)
    element = kind.element if isinstance(kind, ListType) else None
    return isinstance(element, ArrayType) and bool(element.shape)


def _shares_items(graph: Graph) -> bool:
    """Return whether an array in a list may be known by another name, or be in a list twice."""
    if any(_is_list_of_arrays(a) and not a.attrs.get("is_empty") for a in graph.arguments):
        return True
    return any(
        _is_shared(item, inner) for inner in _graphs(graph) for node in inner.nodes for item in _items(node)
    )


def _graphs(graph: Graph) -> Iterator[Graph]:
    yield graph
    for node in graph.nodes:
        for inner in node.graphs():
            yield from _graphs(inner)


def _is_shared(item: Node, graph: Graph) -> bool:
    if not isinstance(item.type, ArrayType) or not item.type.shape:
        return False
    names = {item}
    while item.op in ("setitem", "add_at"):  # the same array, written to
        item = item.inputs[0]
        names.add(item)
    if item.op == "constant" and len(names) > 1:  # the write makes a copy
        names.remove(item)
    elif item.op in _MAY_NOT_BE_NEW:
        return True
    if item not in graph.nodes or names & set(graph.results):
        return True
    keeps = 0
    for user in graph.nodes:
        if names & set(user.inputs):
            is_view = (
                user.op in _MAY_NOT_BE_NEW and isinstance(user.type, ArrayType) and bool(user.type.shape)
            )
            if is_view or user.op in ("cond", "while", "for"):
                return True
            keeps += sum(i in names for i in _items(user))
    return keeps > 1
