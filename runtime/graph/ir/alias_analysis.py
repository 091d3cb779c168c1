"""Which values of a graph may share memory, and which of them the caller gets to see.

Values that may be one array, or views of one, or that one list may hold, are one *group*. A group
*escapes* when it holds an argument or a result of the whole graph, or a constant: its arrays are seen
from outside, so there have to be as many of them as the user's code makes. What is unknown shares.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from .ir import Graph, Node
from .run import EXPRESSIONS
from .types import ArrayType, ListType, MaybeType, ScalarType, TupleType

Value: TypeAlias = Node | tuple[Node, int]
"""A node; of a node with several results, node and place."""

_SEVERAL = frozenset(("cond", "while", "for", "list_pop"))  # their results share each for itself
_SILENT = frozenset(
    ("argument", "constant", "raise", "print", "text", "check", "contains", "len", "dimension")
)
_COMPUTING = frozenset(EXPRESSIONS) - {"list_copy", "list_get", "same"}
_MAKING = frozenset(
    f"numpy.{name}" for name in (
        "sum", "prod", "mean", "min", "max", "amin", "amax", "any", "all", "std", "var", "argmin", "argmax",
        "cumsum", "cumprod", "count_nonzero", "dot", "vdot", "inner", "outer", "tensordot", "concatenate",
        "stack", "vstack", "hstack", "where", "sort", "argsort", "clip", "round", "zeros", "ones", "empty",
        "full", "zeros_like", "ones_like", "full_like", "empty_like", "arange", "linspace", "eye", "copy",
        "tile", "repeat", "roll", "diff", "take", "isclose", "ndarray.copy",
        "ndarray.flatten", "ndarray.clip", "linalg.norm", "linalg.solve", "linalg.inv",
    )
)  # fmt: skip


def makes(node: Node) -> bool:
    """Whether what a node gives is new memory, or needs none."""
    if isinstance(node.type, ScalarType) or node.op in _SILENT:
        return True
    if any(isinstance(i.type, ListType) for i in node.inputs):
        return False
    return node.op in _COMPUTING or node.op in _MAKING or is_elementwise(node)


def is_elementwise(node: Node) -> bool:
    """Whether a node computes an array, or scalar, element by element: of one of Python's operators or a
    ufunc.
    """
    if node.op in EXPRESSIONS:
        return node.op in ELEMENTWISE and isinstance(node.type, (ArrayType, ScalarType))
    function = node.attrs.get("function")
    return isinstance(function, np.ufunc) and function.signature is None


ELEMENTWISE = frozenset(
    ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and_", "or_", "xor", "lt",
     "le", "gt", "ge", "eq", "ne", "neg", "pos", "abs", "invert")
)  # fmt: skip


def is_plain(kind: Any) -> bool:
    """Whether values of a type are never changed in place, so that no one can tell one from two."""
    if isinstance(kind, MaybeType):
        return is_plain(kind.held)
    if isinstance(kind, TupleType):
        return all(map(is_plain, kind.parts))
    return isinstance(kind, ScalarType)


class Sharing:
    """The groups of a graph and of the graphs inside it."""

    def __init__(self, graph: Graph):
        self._parent: dict[Value, Value] = {}
        self._escaping: set[Value] = set()
        self._listed: set[Value] = set()
        self._sizes: dict[Value, int] = {}
        self._visit(graph)
        for value in (*graph.arguments, *graph.results):
            self._escaping.add(self.group(value))

    def group(self, value: Value) -> Value:
        """The one value that stands for a value's group."""
        root, parents = value, self._parent
        while (above := parents.get(root, root)) is not root:
            root = above
        while (above := parents.get(value, value)) is not root:
            parents[value] = root
            value = above
        return root

    def escapes(self, value: Value) -> bool:
        """Whether an array of the value's group is seen from outside the graph."""
        return self.group(value) in self._escaping

    def listed(self, value: Value) -> bool:
        """Whether a list may hold an array of the value's group."""
        return self.group(value) in self._listed

    def is_alone(self, value: Value) -> bool:
        """Whether no other value may share memory with a value."""
        return self._sizes.get(self.group(value), 1) == 1 and not self.escapes(value)

    def join(self, first: Value, second: Value) -> None:
        """Let two values share from now on."""
        a, b = self.group(first), self.group(second)
        if a is not b:
            self._parent[b] = a
            self._sizes[a] = self._sizes.get(a, 1) + self._sizes.get(b, 1)
            for marked in (self._escaping, self._listed):
                if b in marked:
                    marked.add(a)

    def _visit(self, graph: Graph) -> None:
        for node in graph.nodes:
            if any(node.graphs()):
                self._control(node)
            elif node.op == "output":
                source = node.inputs[0]
                if source.op in _SEVERAL:
                    self.join((source, node.attrs["index"]), node)
                elif not makes(source):
                    self.join(source, node)
            elif node.op == "list_pop":
                self.join(node.inputs[0], (node, 0))
                self.join(node.inputs[0], (node, 1))
            elif not makes(node):
                self._inputs(node)
            if isinstance(node.type, ListType):
                self._listed.add(self.group(node))
            if node.op == "constant" and isinstance(node.attrs["value"], np.ndarray):
                self._escaping.add(self.group(node))

    def _inputs(self, node: Node) -> None:
        for used in node.inputs:
            if not is_plain(used.type):
                self.join(used, node)

    def _control(self, node: Node) -> None:
        graphs = list(node.graphs())
        for inner in graphs:
            self._visit(inner)
        if node.op == "cond":
            for inner in graphs:
                for operand, argument in zip(node.inputs[1:], inner.arguments, strict=True):
                    self.join(operand, argument)
                for i, result in enumerate(inner.results):
                    self.join((node, i), result)
            return
        [body] = graphs
        first = 0
        if node.op == "for":
            first = node.attrs["elements"]
            for item in body.arguments[:first]:
                self.join(node.inputs[1], item)
        for operand, argument in zip(operands_of(node), body.arguments[first:], strict=True):
            self.join(operand, argument)
        for i, result in enumerate(body.results[1:]):
            self.join((node, i), result)
            self.join((node, i), body.arguments[first + i])


def operands_of(loop: Node) -> tuple[Node, ...]:
    """What a loop hands to its body: the carried values, then what the body captured."""
    return loop.inputs[2:] if loop.op == "for" else loop.inputs[1:]
