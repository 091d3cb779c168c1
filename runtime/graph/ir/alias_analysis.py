"""Alias analysis: which values of a graph may share memory, and which of them the caller can see.

Values that may be the same array, views of the same array, or elements of the same list form one *alias
set*. An alias set *escapes* if it contains an argument or a result of the whole graph, or a constant. The
caller can tell the arrays of such a set apart, so the graph must create as many of them as the user's code
does. An operation without a rule is assumed to alias its inputs.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from .expressions import EXPRESSIONS
from .graph import Graph, Node
from .subgraphs import Loop, argument_sources
from .types import NULLABLE_TYPES, ArrayType, ListType, ScalarType, TupleType

Value: TypeAlias = Node | tuple[Node, int]
"""A node, or one of several results of a node as (node, index)."""

SEPARATE_RESULTS = frozenset(("cond", "while", "for", "list_pop", "list_update"))
"""Ops whose results have separate alias sets."""
_WITHOUT_MEMORY = frozenset(
    ("argument", "constant", "raise", "print", "text", "attempt", "check", "contains", "len", "dimension")
)
_COMPUTING = frozenset(EXPRESSIONS) - {"list_copy", "list_get", "list_some", "same"}
_ALLOCATING = frozenset(
    f"numpy.{name}" for name in (
        "sum", "prod", "mean", "min", "max", "amin", "amax", "any", "all", "std", "var", "argmin", "argmax",
        "cumsum", "cumprod", "count_nonzero", "dot", "vdot", "inner", "outer", "tensordot", "concatenate",
        "stack", "vstack", "hstack", "where", "sort", "argsort", "clip", "round", "zeros", "ones", "empty",
        "full", "zeros_like", "ones_like", "full_like", "empty_like", "arange", "linspace", "eye", "copy",
        "tile", "repeat", "roll", "diff", "take", "isclose", "ndarray.copy",
        "ndarray.flatten", "ndarray.clip", "linalg.norm", "linalg.solve", "linalg.inv",
    )
)  # fmt: skip
ELEMENTWISE = frozenset(
    ("add", "sub", "mul", "mul_in_place", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and_",
     "or_", "xor", "lt", "le", "gt", "ge", "eq", "ne", "neg", "pos", "abs", "invert")
)  # fmt: skip


def makes_new_memory(node: Node) -> bool:
    """Return whether the result of a node is newly allocated or needs no memory, so it aliases no input."""
    if isinstance(node.type, ScalarType) or node.op in _WITHOUT_MEMORY:
        return True
    if any(isinstance(i.type, ListType) for i in node.inputs):
        return False
    return node.op in _COMPUTING or node.op in _ALLOCATING or is_elementwise(node) or _sums_axes(node)


def _sums_axes(node: Node) -> bool:
    """Return whether a node is a `sum_to` that removes axes; one that removes none may return its operand."""
    kinds = [n.type for n in (node, *node.inputs[:1])]
    shapes = [kind.shape for kind in kinds if isinstance(kind, ArrayType)]
    return node.op == "sum_to" and len(shapes) == 2 and len(shapes[0]) < len(shapes[1])


def is_elementwise(node: Node) -> bool:
    """Return whether a node applies a Python operator or a ufunc element by element."""
    if node.op in EXPRESSIONS:
        return node.op in ELEMENTWISE and isinstance(node.type, (ArrayType, ScalarType))
    function = node.attrs.get("function")
    return isinstance(function, np.ufunc) and function.signature is None


def is_immutable(kind: Any) -> bool:
    """Return whether values of a type are never written to in place, so that aliases cannot be observed."""
    if isinstance(kind, NULLABLE_TYPES):
        return is_immutable(kind.held)
    if isinstance(kind, TupleType):
        return all(map(is_immutable, kind.parts))
    return isinstance(kind, ScalarType)


class AliasAnalysis:
    """Alias sets of a graph and its inner graphs, as a union-find forest."""

    def __init__(self, graph: Graph):
        self._parent: dict[Value, Value] = {}
        self._escaping: set[Value] = set()
        self._in_lists: set[Value] = set()
        self._sizes: dict[Value, int] = {}
        self.results = frozenset(graph.results)
        """The results of the outermost graph."""
        self._visit(graph)
        for value in (*graph.arguments, *graph.results):
            self._escaping.add(self.alias_set(value))

    def alias_set(self, value: Value) -> Value:
        """Return the representative of the alias set of a value."""
        root, parents = value, self._parent
        while (parent := parents.get(root, root)) is not root:
            root = parent
        while (parent := parents.get(value, value)) is not root:
            parents[value] = root
            value = parent
        return root

    def escapes(self, value: Value) -> bool:
        """Return whether the caller may see an array that aliases a value."""
        return self.alias_set(value) in self._escaping

    def is_in_list(self, value: Value) -> bool:
        """Return whether a list may contain an array that aliases a value."""
        return self.alias_set(value) in self._in_lists

    def is_unaliased(self, value: Value) -> bool:
        """Return whether no other value of the graph or the caller may share memory with a value."""
        return self._sizes.get(self.alias_set(value), 1) == 1 and not self.escapes(value)

    def union(self, first: Value, second: Value) -> None:
        """Merge the alias sets of two values."""
        a, b = self.alias_set(first), self.alias_set(second)
        if a is not b:
            self._parent[b] = a
            self._sizes[a] = self._sizes.get(a, 1) + self._sizes.get(b, 1)
            for marked in (self._escaping, self._in_lists):
                if b in marked:
                    marked.add(a)

    def _visit(self, graph: Graph) -> None:
        for node in graph.nodes:
            self._visit_node(node)
            if isinstance(node.type, ListType):
                self._in_lists.add(self.alias_set(node))
            if node.op == "constant" and isinstance(node.attrs["value"], np.ndarray):
                self._escaping.add(self.alias_set(node))

    def _visit_node(self, node: Node) -> None:
        if any(node.graphs()):
            self._visit_control_flow(node)
        elif node.op == "output":
            source = node.inputs[0]
            if source.op in SEPARATE_RESULTS:
                self.union((source, node.attrs["index"]), node)
            elif not makes_new_memory(source):
                self.union(source, node)
        elif node.op in ("list_pop", "list_update"):
            for value in ((node, 0), (node, 1), *node.inputs[1:]):
                self.union(node.inputs[0], value)  # type: ignore[arg-type]
        elif not makes_new_memory(node):
            for used in node.inputs:
                if not is_immutable(used.type):
                    self.union(used, node)

    def _visit_control_flow(self, node: Node) -> None:
        for inner in node.graphs():
            self._visit(inner)
            for _, operand, argument in argument_sources(node, inner):
                self.union(operand, argument)
            for i, result in enumerate(inner.results if node.op == "cond" else inner.results[1:]):
                self.union((node, i), result)
        if node.op != "cond":
            for i, argument in enumerate(Loop(node).carried):
                self.union((node, i), argument)
