"""Which values may share memory, and results that machine code cannot hand out.

Machine code has one form for a NumPy scalar and an array without dimensions; the arrays of a list leave it as
copies, and so do parts of arrays that do not lie in one piece. All of that is right only where nobody could
see the difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from ...ir.alias_analysis import SEPARATE_RESULTS, is_immutable, makes_new_memory
from ...ir.graph import Graph, Node
from ...ir.subgraphs import Loop, argument_sources
from ...ir.types import ArrayType, ListType, TupleType, bound_type
from ..assembly.statuses import UnsupportedError

PRODUCTS, SUMS = ("matmul",), ("numpy.sum", "numpy.mean")
"""Ops that add in an order which depends on the layout of their operands."""
_MAKE_ARRAYS = frozenset(
    ("numpy.where", "numpy.copy", "numpy.zeros", "numpy.ones", "numpy.full", "numpy.empty",
     "numpy.zeros_like", "numpy.ones_like", "numpy.full_like", "numpy.empty_like")
)  # fmt: skip
_PASS_ON = frozenset(
    ("same", "check_bound", "some", "numpy.ndarray.copy", "numpy.ndarray.astype", "min", "max")
)
_WRITES = frozenset(("setitem", "add_at"))
_KEEP_THE_ARRAY = frozenset(
    ("output", "same", "check_bound", "some", "setitem", "add_at", "cond", "while", "for", "list_get")
)
_MAY_NOT_BE_NEW = frozenset(
    ("argument", "output", "getitem", "same", "convert", "check_bound", "some", "list_get", "constant", "min",
     "max")
)  # fmt: skip


def check_results(graph: Graph, memory: Memory) -> None:
    """Raise `UnsupportedError` if a result of a region, or an item of a list in it, cannot leave it."""
    arrays = _zero_dimensional(graph)
    kept = [*graph.results, *(item for node in graph.walk() for item in _items(node))]
    if any(node in arrays for node in kept):
        raise UnsupportedError("an array without dimensions leaves machine code")
    if any(_is_list_of_arrays(result) for result in graph.results) and _shares_items(graph):
        raise UnsupportedError("the arrays in a list may have other names")
    for a, b in combinations(dict.fromkeys(graph.results), 2):
        if memory.may_share_new_memory(a, b) and any(
            map(_selects_a_part, memory.sources(a) | memory.sources(b))
        ):
            raise UnsupportedError("two results may share parts of their memory")


# --- Shared memory --------------------------------------------------------------------------------


class Memory:
    """The values of a region whose memory a value may have, or a part of it."""

    def __init__(self, graph: Graph):
        self.arguments = tuple(graph.arguments)
        self._arguments = frozenset(graph.arguments)
        self._outer: dict[Node, list[Node]] = {}
        """What the arguments of inner graphs may be."""
        for node in graph.walk():
            for inner in node.graphs():
                for _, operand, argument in argument_sources(node, inner):
                    self._outer.setdefault(argument, []).append(operand)
            if node.op in ("while", "for"):
                for _, argument, result in Loop(node).carries():
                    self._outer[argument].append(result)
        self._known: dict[Node, frozenset[Node]] = {}
        self.leaving = frozenset().union(*map(self.sources, graph.results))
        """The values that a result of the region may be, or be a part of."""

    def sources(self, node: Node) -> frozenset[Node]:
        """Return a value and all those that it may be, or be a part of."""
        if node not in self._known:
            found, waiting = {node}, [node]
            while waiting:
                following = [n for n in self._direct_sources(waiting.pop()) if n not in found]
                found.update(following)
                waiting += following
            self._known[node] = frozenset(found)
        return self._known[node]

    def _direct_sources(self, node: Node) -> list[Node]:
        if node.op == "argument":
            return self._outer.get(node, [])
        if node.op == "output" and node.inputs[0].op in SEPARATE_RESULTS and any(node.inputs[0].graphs()):
            source, index = node.inputs[0], node.attrs["index"]
            if source.op == "cond":
                return [inner.results[index] for inner in source.graphs()]
            return [Loop(source).carried[index]]
        if makes_new_memory(node) and not isinstance(node.type, (ListType, TupleType)):
            return []
        return [n for n in node.inputs if not is_immutable(n.type)]

    def is_of_caller(self, node: Node) -> bool:
        """Return whether a value may be an argument of the region, or a part of one."""
        return bool(self.arguments_of(node))

    def arguments_of(self, node: Node) -> frozenset[Node]:
        """Return the arguments of the region that a value may be, or be a part of."""
        return self._arguments & self.sources(node)

    def may_be_operands(self, graph: Graph, *ops: str) -> frozenset[Node]:
        """Return all values of which the operands of some ops may be a part, if they are floats."""
        operands = {i for n in graph.walk() if n.op in ops for i in n.inputs if _is_float_array(i)}
        return frozenset().union(*map(self.sources, operands))

    def have_common_source(self, a: Node, b: Node) -> bool:
        """Return whether two values may share memory. It may be a copy of an argument that is written to."""
        return not self.sources(a).isdisjoint(self.sources(b))

    def may_share_new_memory(self, a: Node, b: Node) -> bool:
        """Return whether two values may share memory that the region allocates.

        Each result that is a constant leaves as a copy, since equal constants are one. A write makes a copy.
        """
        common = (self.sources(a) & self.sources(b)) - self._arguments
        return any(n.op in _WRITES or not (n.op == "constant" or self._direct_sources(n)) for n in common)


def _is_float_array(node: Node) -> bool:
    return isinstance(node.type, ArrayType) and bool(node.type.shape) and node.type.dtype.kind == "f"


def _selects_a_part(node: Node) -> bool:
    """Return whether a node is a view of an array, other than of one of its items."""
    if node.op == "getitem":
        key = node.attrs["args"][1]
        parts = key if type(key) is tuple else (key,)
        return any(isinstance(p, slice) or p is None or p is Ellipsis for p in parts)
    return not makes_new_memory(node) and node.op not in _KEEP_THE_ARRAY


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
        _has_other_names(item, inner)
        for inner in _graphs(graph)
        for node in inner.nodes
        for item in _items(node)
    )


def _graphs(graph: Graph) -> Iterator[Graph]:
    yield graph
    for node in graph.nodes:
        for inner in node.graphs():
            yield from _graphs(inner)


def _has_other_names(item: Node, graph: Graph) -> bool:
    """Return whether an array in a list may be known by another name, or be in a list twice."""
    if not isinstance(item.type, ArrayType) or not item.type.shape:
        return False
    names = {item}
    while item.op in _WRITES:  # the same array, written to
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
