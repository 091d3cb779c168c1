"""The graph IR: nodes in program order, each with an op, inputs, attributes and a type.

Op names are `argument`, `constant`, Python's operators as in the module `operator` (`add`, `lt`, `getitem`),
NumPy's functions by path (`numpy.sum`), Python's builtins (`int`, `len`), `cond`, `while` and `for`, which
contain inner graphs, `call`, which calls a graph that may call itself, and `output`, which selects one of
several results of a node. A node with `effect` is never removed or reordered.
"""

from __future__ import annotations

import enum
import os
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ...debugging.positions import CodePosition, position_reader
from ...debugging.tracebacks import api_boundary
from ...errors import ArgumentError, describe

Frames: TypeAlias = tuple[tuple[types.CodeType, int], ...]
Source: TypeAlias = tuple[CodePosition, ...] | Frames
"""The user's stack when a node was created, outermost frame first. During a trace it contains code objects
and instruction offsets, which are cheap to record; later it contains resolved positions."""

GRAPH_METHODS: dict[str, Callable[..., Any]] = {}
"""Registry of the functions that print, draw, serialize and compare graphs. Their modules fill it."""

METHOD_LOADERS: list[Callable[[], None]] = []
"""Functions that import the modules that fill `GRAPH_METHODS`. They run when a method is first used."""


def _method(name: str) -> Callable[..., Any]:
    if name not in GRAPH_METHODS:
        for load in METHOD_LOADERS:
            load()
    return GRAPH_METHODS[name]


class Missing(enum.Enum):
    """Marker that stands for an unbound variable while a graph runs."""

    VALUE = "unbound"


@dataclass(frozen=True, slots=True)
class Slot:
    """Placeholder for the n-th input of a node in its recorded call arguments."""

    index: int


def fill_slots(template: Any, values: Any) -> Any:
    """Return a call's recorded arguments with `values[i]` in the slot of the i-th input."""
    if isinstance(template, Slot):
        return values[template.index]
    if isinstance(template, tuple):
        constructor = getattr(template, "_make", tuple)
        return constructor([fill_slots(part, values) for part in template])
    if isinstance(template, list):
        return [fill_slots(part, values) for part in template]
    if isinstance(template, dict):
        return {key: fill_slots(part, values) for key, part in template.items()}
    if isinstance(template, slice):
        return slice(*(fill_slots(part, values) for part in (template.start, template.stop, template.step)))
    return template


@dataclass(eq=False, slots=True)
class Node:
    """One operation. `type` is a `StagedType`, or None if the node has no result or several."""

    op: str
    inputs: tuple[Node, ...] = field(repr=False)
    attrs: dict[str, Any] = field(repr=False)
    type: Any
    source: Source = ()
    effect: bool = False

    def graphs(self) -> Iterator[Graph]:
        """Yield the inner graphs. A `call` has none: the graph that it calls may contain the call."""
        for value in self.attrs.values():
            if isinstance(value, Graph) and self.op != "call":
                yield value

    @property
    def places(self) -> tuple[CodePosition, ...]:
        """The code positions of the user's stack when the node was created, outermost first."""
        return _resolve_source(self.source, position_reader())

    @property
    def place(self) -> str:
        """`file:line` of the user's code that created the node, or an empty string."""
        return "".join(map(str, self.places[-1:]))


def _resolve_source(source: Source, read: Callable[..., CodePosition]) -> tuple[CodePosition, ...]:
    return tuple([s if isinstance(s, CodePosition) else read(*s) for s in source])


@dataclass(eq=False, repr=False)
class Graph:
    """A dataflow graph: its arguments, its nodes in program order, and its results.

    `str(graph)` has one line per node, followed by the user's line when it changes. The inner graphs of
    conditionals and loops are indented below their node. Each of their arguments is printed with its source:
    `%5 = %1` is the same value, `%5 in %1` an element of the iterated value, and `%5 from %1` a carried
    value that is initially `%1`.

    >>> import autograph_rs as ag, numpy as np
    >>> f = ag.function(lambda x: x * 2 + 1)
    >>> graph = f.get_concrete_function(ag.TensorSpec((None,))).graph
    >>> graph.equals(Graph.from_json(graph.to_json()))
    True
    """

    name: str
    arguments: list[Node] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    results: list[Node] = field(default_factory=list)

    def walk(self) -> Iterator[Node]:
        """Yield every node; the nodes of inner graphs follow the node that contains them."""
        for node in self.nodes:
            yield node
            for inner in node.graphs():
                yield from inner.walk()

    def program(self) -> list[Graph]:
        """Return this graph and all graphs that its `call` nodes reach, in the order of their first call."""
        found = [self]
        for graph in found:
            for node in graph.walk():
                if node.op == "call" and node.attrs["graph"] not in found:
                    found.append(node.attrs["graph"])
        return found

    def __len__(self) -> int:
        return sum(1 for _ in self.all_nodes())

    def __bool__(self) -> bool:
        """Return True, for a graph without nodes, too: a branch may just return its arguments."""
        return True

    def all_nodes(self) -> Iterator[Node]:
        """Yield every node, those of called graphs included."""
        for graph in self.program():
            yield from graph.walk()

    def count(self, op: str) -> int:
        """Return the number of nodes with the given op, inner and called graphs included."""
        return sum(1 for node in self.all_nodes() if node.op == op)

    def resolve_sources(self) -> None:
        """Replace the code objects in node sources with code positions, so that the objects can be freed."""
        read = position_reader()
        shared: dict[tuple[int, ...], tuple[CodePosition, ...]] = {}
        for node in self.all_nodes():
            places = _resolve_source(node.source, read)
            node.source = shared.setdefault(tuple(map(id, places)), places)

    def __repr__(self) -> str:
        return f"<Graph {self.name}: {len(self)} nodes>"

    def __str__(self) -> str:
        return str(_method("text")(self))

    def to_dot(self) -> str:
        r"""Return the graph in Graphviz's DOT language, with each inner graph as a cluster.

        >>> import autograph_rs as ag
        >>> concrete = ag.function(lambda x: x + 1).get_concrete_function(ag.TensorSpec(()))
        >>> print(concrete.graph.to_dot())
        digraph {
          ...
          n0 [label="x\nfloat64[]", shape=ellipse];
          n1 [label="constant 1\nint", shape=box];
          n2 [label="add\nfloat64[]", shape=box];
          n3 [label="return", shape=ellipse];
          n0 -> n2;
          n1 -> n2;
          n2 -> n3;
        }
        """
        return str(_method("dot")(self))

    def to_mermaid(self) -> str:
        """Return the graph as a Mermaid flowchart, with each inner graph as a subgraph."""
        return str(_method("mermaid")(self))

    @api_boundary
    def to_tensorboard(self, folder: str | os.PathLike[str]) -> None:
        """Write the graph to a folder, as an events file for the graph page of TensorBoard.

        Conditionals and loops are name scopes that contain their inner graphs. Each node has its op, its
        inputs, the dtype and shape of its result, and the user's line as `source` and `code`. TensorBoard
        shows the newest graph of each folder.

        Args:
            folder: the folder of the events file. It is created if it does not exist.

        Raises:
            MissingFrameworkError: the package tensorboard is not installed.
            ArgumentError: `folder` is not a path, or it is the path of a file.

            graph = f.get_concrete_function(ag.TensorSpec((None,))).graph
            graph.to_tensorboard("runs/f")  # then run: tensorboard --logdir runs
        """
        _method("tensorboard")(self, folder)

    def _repr_html_(self) -> str:
        return str(_method("html")(self))

    def equals(self, other: Graph) -> bool:
        """Return whether another graph has the same nodes in the same order, with equal attributes and types.

        The names of graphs and arguments, and positions in the user's code, are ignored.
        """
        return bool(_method("equals")(self, other))

    @api_boundary
    def to_json(self) -> str:
        """Serialize the graph as text that `from_json` reads.

        Raises:
            SaveError: the graph contains a value that cannot be serialized.
        """
        return str(_method("json")(self))

    @staticmethod
    @api_boundary
    def from_json(text: str) -> Graph:
        """Read a graph that `to_json` wrote, without running any of it.

        Raises:
            FormatError: the text is not a serialized graph.
            VersionError: a later version of this package wrote the text.
            ArgumentError: the argument is not text.
        """
        if not isinstance(text, (str, bytes, bytearray)):
            raise ArgumentError(
                f"the argument of from_json must be text, not {describe(text)}",
                why="from_json reads the text that Graph.to_json() returns",
                remedy="pass the result of Graph.to_json(), or read a file with ag.load",
            )
        graph: Graph = _method("from_json")(text)
        return graph
