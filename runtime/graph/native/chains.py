"""Chains: element-wise operations on large arrays that follow each other, run as one loop over the data.

NumPy goes through memory once for each operation, a compiled chain once for all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.graph import Graph, Node
from ..ir.subgraphs import is_embedded
from ..ir.types import ArrayType, ScalarType
from ..rules.ufuncs import OPERATOR_OF
from .assembly.statuses import INLINE, NOT_RUN
from .linking.compilation import Build
from .region import Owner, Region
from .regions import may_vary
from .workers import FasterOf, SharedCall, thread_count

if TYPE_CHECKING:
    from .linking.calls import NativeCode

MIN_ELEMENTS = 4096
"""The number of elements of an array from which a chain pays."""
MIN_PART = 2**17
"""The number of elements that a thread takes at least."""
_LONG = 2**21
"""The number of elements that NumPy computes in about the time after which a region is compiled."""
_MOST_IN_ONE_LOOP = 64
"""The nodes of a chain of which one loop computes all."""
_OPERATORS = frozenset(
    ("add", "sub", "mul", "truediv", "and_", "or_", "xor", "invert", "neg", "abs",
     "lt", "le", "gt", "ge", "eq", "ne", "convert", "numpy.where")
)  # fmt: skip


@dataclass(eq=False)
class Chain:
    """Nodes that follow each other in a graph. `results` are those that are used elsewhere."""

    nodes: list[Node]
    results: list[Node] = field(default_factory=list)
    graph: Graph = field(default_factory=lambda: Graph("chain"))
    inputs: list[Node] = field(default_factory=list)


def find_chains(graph: Graph) -> list[Chain]:
    """Return the chains of a graph, without those of its inner graphs."""
    chains: list[Chain] = []
    current: list[Node] = []
    for node in [*graph.nodes, None]:
        if node is not None and is_link(node) and (not current or _shape(node) == _shape(current[0])):
            current.append(node)
        elif node is None or node.op != "constant":
            if len(current) > 1:
                chains.append(_chain(graph, current))
            current = [node] if node is not None and is_link(node) else []
    return chains


def is_link(node: Node) -> bool:
    """Return whether a node is an element-wise operation on large arrays that is compiled exactly."""
    kind = node.type
    if not isinstance(kind, ArrayType) or not kind.shape or None in kind.shape or node.attrs.get("errstate"):
        return False
    if math.prod(d or 0 for d in kind.shape) < MIN_ELEMENTS or kind.dtype.kind not in "biuf":
        return False
    if node.op in _OPERATORS:
        return all(isinstance(i.type, (ArrayType, ScalarType)) for i in node.inputs) and _is_plain_call(node)
    function = node.attrs.get("function")
    is_ufunc = isinstance(function, np.ufunc) and (function in OPERATOR_OF or function.__name__ in INLINE)
    return is_ufunc and _is_plain_call(node)


def _is_plain_call(node: Node) -> bool:
    return not node.attrs.get("kwargs")


def _shape(node: Node) -> tuple[int | None, ...]:
    shape: tuple[int | None, ...] = node.type.shape
    return shape


def _chain(graph: Graph, nodes: list[Node]) -> Chain:
    """Build the graph of a chain."""
    chain, members = Chain(nodes), set(nodes)
    copies: dict[Node, Node] = {}

    def copy(value: Node) -> Node:
        if value not in copies:
            if is_embedded(value):
                copies[value] = Node("constant", (), value.attrs, value.type, value.source)
                chain.graph.nodes.append(copies[value])
            else:
                attrs = {"name": f"x{len(chain.inputs)}", "may_vary": may_vary(value)}
                copies[value] = Node("argument", (), attrs, value.type, value.source)
                chain.graph.arguments.append(copies[value])
                chain.inputs.append(value)
        return copies[value]

    for node in nodes:
        inputs = tuple([copy(i) for i in node.inputs])
        copies[node] = Node(node.op, inputs, node.attrs, node.type, node.source)
        chain.graph.nodes.append(copies[node])
    used = {i for n in graph.nodes if n not in members for i in n.inputs} | set(graph.results)
    chain.results = [n for n in nodes if n in used]
    chain.graph.results = [copies[n] for n in chain.results]
    return chain


def for_one_loop(chain: Chain) -> Graph | None:
    """Return a chain as a graph over arrays of one dimension, or None if it broadcasts arrays or is long."""
    shape = _shape(chain.nodes[0])
    arrays = [i.type for i in chain.inputs if isinstance(i.type, ArrayType)]
    if len(chain.nodes) > _MOST_IN_ONE_LOOP or any(t.shape not in ((), shape) for t in arrays):
        return None
    graph = Graph(chain.graph.name)
    copies: dict[Node, Node] = {}

    def copy(node: Node) -> Node:
        kind = node.type
        if isinstance(kind, ArrayType) and kind.shape:
            kind = ArrayType(kind.dtype, (None,))
        copies[node] = Node(node.op, tuple([copies[i] for i in node.inputs]), node.attrs, kind, node.source)
        return copies[node]

    graph.arguments = [copy(a) for a in chain.graph.arguments]
    graph.nodes = [copy(n) for n in chain.graph.nodes]
    graph.results = [copies[r] for r in chain.graph.results]
    return graph


def _are_contiguous(values: Sequence[Any]) -> bool:
    """Return whether all arrays among some values are contiguous, and instances of no subclass."""
    return all(type(v) is np.ndarray and v.flags.c_contiguous for v in values if isinstance(v, np.ndarray))


def _flat(value: Any) -> Any:
    return value.reshape(-1) if isinstance(value, np.ndarray) and value.ndim else value


class ChainRegion(Region):
    """A chain of element-wise operations. `call` maps its inputs to its results."""

    def __init__(self, chain: Chain, owner: Owner):
        super().__init__(chain.nodes[0], lambda: chain.graph, owner, "chain of array operations")
        self.chain = chain
        self._one_loop = for_one_loop(chain)
        self._is_long = len(chain.nodes) * math.prod(d or 0 for d in _shape(chain.nodes[0])) >= _LONG
        self.run = self._run_first

    def _build(self) -> Build:
        graph = self._one_loop or self.graph
        targets = [result.type for result in graph.results]
        return Build(graph, self._mode, self._recover, targets, in_one_loop=self._one_loop is not None)

    def call(self, *arguments: Any) -> tuple:
        return self.run(*arguments)

    def _run_first(self, *arguments: Any) -> tuple:
        """Run the chain in NumPy, and measure it. A long one is hot before it runs."""
        if self._is_long:
            self._request()
            if self.ready:
                return self.run(*arguments)
        began = perf_counter()
        results = self.run_python(*arguments)
        self.end(began)
        return results

    def _call_native(self, native: NativeCode) -> Callable[..., tuple]:
        """Return a function that allocates the results and calls machine code."""
        shapes: list[tuple[Any, Any]] = [(r.type.shape, r.type.dtype) for r in self.chain.results]
        call, empty = native.call, np.empty

        def run(*arguments: Any) -> tuple:
            return call(*arguments, *[empty(shape, dtype) for shape, dtype in shapes])

        def run_flat(*arguments: Any) -> tuple:
            if not _are_contiguous(arguments):
                return self.run_python(*arguments)
            targets = [empty(shape, dtype) for shape, dtype in shapes]
            flat = [_flat(target) for target in targets]
            results = call(*map(_flat, arguments), *flat)
            if results[0] is flat[0]:
                return tuple(targets)
            return tuple([r.reshape(shape) for r, (shape, _) in zip(results, shapes, strict=True)])

        if self._one_loop is None:
            return run
        in_one_thread = run if len(shapes[0][0]) == 1 else run_flat
        size = math.prod(shapes[0][0])
        if size < 2 * MIN_PART or thread_count() == 1:
            return in_one_thread
        shared, count = SharedCall(native), min(thread_count(), size // MIN_PART)

        def run_in_threads(*arguments: Any) -> tuple:
            if not _are_contiguous(arguments):
                return self.run_python(*arguments)
            targets = [empty(shape, dtype) for shape, dtype in shapes]
            if shared([*map(_flat, (*arguments, *targets))], size, count):
                return tuple(targets)
            return in_one_thread(*arguments)

        return FasterOf(run_in_threads, in_one_thread)

    def _recover(self, native: NativeCode, status: int, frame: Any, arguments: tuple) -> tuple:
        """Run the chain again in NumPy, which warns or raises."""
        if status != NOT_RUN:
            native.release(frame)
        self.bailouts += 1
        return self.run_python(*arguments[: len(self.graph.arguments)])
