"""Regions: the loops of a graph that become machine code, each as a graph of its own."""

from __future__ import annotations

import os
from collections.abc import Container, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from ..ir.graph import Graph, Missing, Node
from ..ir.subgraphs import LAZY_ITERABLES, Loop, is_embedded
from ..ir.types import NULLABLE_TYPES, ArrayType, ListType, bound_type
from .assembly.statuses import OPS


def read_results(loop: Node, graph: Graph) -> set[int]:
    """Return the indices of the results of a loop that its graph reads."""
    return {n.attrs["index"] for n in graph.nodes if n.op == "output" and n.inputs[0] is loop}


def region_graph(node: Node, read: Container[int]) -> Graph:
    """Return the graph whose only operation is a loop, with the results whose indices are `read`."""
    loop = Loop(node)
    graph = Graph("region")

    def argument(value: Node, kind: Any = None, *, is_bound: bool = False, is_rising: bool = False) -> Node:
        attrs = {
            "name": f"x{len(graph.arguments)}",
            "least": _least(value, is_rising=is_rising),
            "is_empty": isinstance(value.type, ListType) and value.type.element is None,
            "may_vary": not is_bound and may_vary(value),  # any integer may be the bound of a range
        }
        new = Node("argument", (), attrs, kind or value.type, node.source)
        graph.arguments.append(new)
        return new

    def constant(value: Node) -> Node:
        new = Node("constant", (), value.attrs, value.type, value.source)
        graph.nodes.append(new)
        return new

    def iterable(value: Node, *, is_bound: bool = False, is_rising: bool = False) -> Node:
        if value.op not in LAZY_ITERABLES:
            return argument(value, is_bound=is_bound, is_rising=is_rising)
        is_range = value.op == "range"
        rises = is_range and _is_positive(value.inputs[2])
        parts = [
            constant(part)
            if is_range and i == 2 and part.op == "constant"
            else iterable(part, is_bound=is_range, is_rising=rises and not i)
            for i, part in enumerate(value.inputs)
        ]
        new = Node(value.op, tuple(parts), value.attrs, value.type, value.source)
        graph.nodes.append(new)
        return new

    start = [argument(node.inputs[0])]
    if node.op == "for":
        start.append(iterable(node.inputs[1]))
    initial = [argument(v, _carried_type(v, c)) for v, c, _ in loop.carries()]
    operands = [constant(o) if is_embedded(o) else argument(o) for o in loop.operands]
    new = Node(node.op, (*start, *initial, *operands), node.attrs, None, node.source)
    graph.nodes.append(new)
    for i, carried in enumerate(loop.carried):
        if i in read:
            result = Node("output", (new,), {"index": i}, carried.type, node.source)
        else:
            result = Node("constant", (), {"value": Missing.VALUE}, None, node.source)
        graph.nodes.append(result)
        graph.results.append(result)
    return graph


def _carried_type(initial: Node, carried: Node) -> Any:
    """Return the type with which a carried value enters. A later iteration may bind it or add elements."""
    is_open = isinstance(carried.type, NULLABLE_TYPES) or (
        isinstance(initial.type, ListType) and initial.type.element is None
    )
    return carried.type if is_open else initial.type


def may_vary(node: Node) -> bool:
    """Return whether a value may have another type than the graph says: a 0-d array, or `max(100, x)`."""
    kind = bound_type(node.type)
    is_scalar = isinstance(kind, ArrayType) and not kind.shape
    return is_scalar or node.op not in ("constant", "dimension", "len")


_LARGEST_LEAST = 2**31  # which machine code compares with; a Python int may have more than 64 bits


def _least(node: Node, *, is_rising: bool) -> int | None:
    """Return the least integer that enters the region in place of a value, or None if that is not known.

    That is 0 for one that is not negative and stays so as a counter, or the value if it `is_rising`.
    """
    if node.op in ("dimension", "len"):
        return 0
    if node.op != "constant" or type(node.attrs["value"]) is not int or node.attrs["value"] < 0:
        return None
    return min(node.attrs["value"], _LARGEST_LEAST) if is_rising else 0


def _is_positive(node: Node) -> bool:
    return node.op == "constant" and type(node.attrs["value"]) is int and node.attrs["value"] > 0


def excluded(graph: Graph) -> Iterator[tuple[Node, str]]:
    """Yield the loops of a graph that are not compiled because of an op in them, each with the reason."""
    for node in graph.nodes:
        reason = obstacle(node) if is_loop(node) else ""
        if reason:
            yield node, reason
        if reason or not is_loop(node):
            for inner in node.graphs():
                yield from excluded(inner)


def is_loop(node: Node) -> bool:
    return node.op in ("while", "for")


def obstacle(loop: Node) -> str:
    """Return why the ops in a loop rule out its compilation, or "" if all of them may be compiled."""
    if loop.attrs.get("maximum_iterations") is not None:
        return "its number of iterations is bounded"
    wrong = next((node for node in Loop(loop).body.walk() if not is_compiled(node)), None)
    return "" if wrong is None else located(f"{wrong.op} is not compiled", wrong, loop)


def located(reason: str, node: Node | None, region: Node) -> str:
    """Return a reason with the line of the node that it is about, and its code, unless it is the region's."""
    places, around = () if node is None else node.places[-1:], region.places[-1:]
    for place in places:
        if around and place.file != around[0].file:
            return f"{reason} ({os.path.basename(place.file)}:{place.line}: {place.text})"
        if not around or place.line != around[0].line:
            return f"{reason} (line {place.line}: {place.text})"
    return reason


def is_compiled(node: Node) -> bool:
    """Return whether the op of a node is compiled, at least for some types and arguments."""
    if node.op in OPS or node.op.startswith("math."):
        return True
    return isinstance(node.attrs.get("function"), np.ufunc)


_OF_ELEMENTS = frozenset(("getitem", "setitem", "dimension", "output", "cond", "while", "for", "len", "same"))
"""Ops for which the order of the elements in memory does not count."""


class Layout:
    """In which order NumPy would visit elements, which the sum of floats depends on, and results' layouts."""

    def __init__(self, graph: Graph):
        from .codegen.identity import PRODUCTS, SUMS, Memory  # noqa: PLC0415 - only for other layouts

        memory = Memory(graph)
        multiplied, summed = (memory.may_be_operands(graph, *ops) for ops in (PRODUCTS, SUMS))
        self._multiplied = [i for i, a in enumerate(graph.arguments) if a in multiplied]
        self._summed = [i for i, a in enumerate(graph.arguments) if a in summed]
        self._counts = any(
            isinstance(value.type, ArrayType) and value.type.ndim > 1
            for node in graph.walk()
            if node.op not in _OF_ELEMENTS
            for value in node.inputs
        )

    def may_copy(self, arguments: tuple) -> bool:
        """Return whether copies of arrays of another layout give the same results, bit for bit.

        NumPy chooses a function of BLAS by strides, and sums what is not aligned in parts.
        """
        return (
            (not self._counts or all(map(_is_in_c_order, arguments)))
            and all(_is_aligned(arguments[i]) for i in (*self._multiplied, *self._summed))
            and all(_is_like_its_copy(arguments[i]) for i in self._multiplied)
        )


def _is_aligned(value: Any) -> bool:
    return not isinstance(value, np.ndarray) or value.flags.aligned


def _is_like_its_copy(value: Any) -> bool:
    """Return whether BLAS treats an operand of a product like its copy: a matrix may have a longer stride."""
    if not isinstance(value, np.ndarray) or value.flags.c_contiguous:
        return True
    size = value.itemsize
    return (
        value.ndim == 2
        and value.shape[1] > 1
        and value.strides[1] == size
        and value.strides[0] % size == 0
        and value.strides[0] >= size * value.shape[1]
    )


def _is_in_c_order(value: Any) -> bool:
    """Return whether the last axes of an array are those that are nearest in memory."""
    if not isinstance(value, np.ndarray) or value.ndim < 2:
        return True
    steps = [abs(step) for step, length in zip(value.strides, value.shape, strict=True) if length > 1]
    return all(outer >= inner for outer, inner in pairwise(steps))
