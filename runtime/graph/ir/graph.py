"""A graph is inert data: nodes in program order, each with its op, inputs, attributes and type.

Op names: `argument`, `constant`; Python's operators by their function in the module `operator`
(`add`, `lt`, `getitem`); NumPy's functions by path (`numpy.sum`); Python's builtins (`int`, `len`);
`cond`, `while` and `for`, which hold graphs of their own; `output`, which picks one result of a node
that has several. `effect` says that a node is needed by definition and keeps its place in the order.
"""

from __future__ import annotations

import enum
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ..boundary import public
from ..errors import ArgumentError, told
from ..places import Place, reader

Frames: TypeAlias = tuple[tuple[types.CodeType, int], ...]
Source: TypeAlias = tuple[Place, ...] | Frames
"""The user's frames below which a node was made, outermost first: as places, or while its trace runs
as code objects and instructions."""


class Missing(enum.Enum):
    """What an unbound variable holds in a running graph."""

    VALUE = "unbound"


@dataclass(frozen=True, slots=True)
class Slot:
    """Stands in a call's recorded arguments for the node's n-th input."""

    index: int


@dataclass(eq=False, slots=True)
class Node:
    """One operation. `type` is None for a node that has several results, or none, else a `StagedType`:
    which of them, the op settles.
    """

    op: str
    inputs: tuple[Node, ...] = field(repr=False)
    attrs: dict[str, Any] = field(repr=False)
    type: Any
    source: Source = ()
    effect: bool = False

    def graphs(self) -> Iterator[Graph]:
        for value in self.attrs.values():
            if isinstance(value, Graph):
                yield value

    @property
    def places(self) -> tuple[Place, ...]:
        """Where in the user's code the node was made, outermost first."""
        return _settled(self.source, reader())

    @property
    def place(self) -> str:
        """`file:line` of the user's code that made the node, if known."""
        return "".join(map(str, self.places[-1:]))


def _settled(source: Source, read: Callable[[types.CodeType, int], Place]) -> tuple[Place, ...]:
    return tuple([s if isinstance(s, Place) else read(*s) for s in source])


@dataclass(eq=False, repr=False)
class Graph:
    """Nodes in program order, from arguments to results.

    `str(graph)` is one line per node, with the user's line where it changes. The graphs of conditions
    and loops are indented below their node; behind each of their arguments stands what it is outside:
    `%5 = %1` the same value, `%5 in %1` an item of what a loop iterates, `%5 from %1` a value that a
    loop carries and that is `%1` at first.

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
        """Every node, those of inner graphs after the node that holds them."""
        for node in self.nodes:
            yield node
            for inner in node.graphs():
                yield from inner.walk()

    def __len__(self) -> int:
        return sum(1 for _ in self.walk())

    def count(self, op: str) -> int:
        """How many nodes have an op."""
        return sum(1 for node in self.walk() if node.op == op)

    def settle(self) -> None:
        """Make the nodes' sources plain data."""
        read = reader()
        shared: dict[tuple[int, ...], tuple[Place, ...]] = {}
        for node in self.walk():
            places = _settled(node.source, read)
            node.source = shared.setdefault(tuple(map(id, places)), places)

    # The modules below know this one, so they are found when they are needed.

    def __repr__(self) -> str:
        return f"<Graph {self.name}: {len(self)} nodes>"

    def __str__(self) -> str:
        from .text import lines  # noqa: PLC0415

        return "\n".join(lines(self))

    def to_dot(self) -> str:
        r"""The graph in the language of Graphviz, each graph of a condition or loop as a cluster.

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
        from .drawing import to_dot  # noqa: PLC0415

        return to_dot(self)

    def to_mermaid(self) -> str:
        """The graph as a flowchart of Mermaid, each graph of a condition or loop as a subgraph."""
        from .drawing import to_mermaid  # noqa: PLC0415

        return to_mermaid(self)

    def _repr_html_(self) -> str:
        from .drawing import to_html  # noqa: PLC0415

        return to_html(self)

    def equals(self, other: Graph) -> bool:
        """Whether another graph has the same nodes in the same order, with the same attributes and types.

        Names, of graphs and of arguments, and places in the user's code do not count.
        """
        from .compare import same_graph  # noqa: PLC0415

        return same_graph(self, other)

    @public
    def to_json(self) -> str:
        """The graph as text that `from_json` reads.

        Raises:
            SaveError: the graph holds what cannot be written down.
        """
        from .serial import graph_to_json  # noqa: PLC0415

        return graph_to_json(self)

    @staticmethod
    @public
    def from_json(text: str) -> Graph:
        """The graph that `to_json` wrote; nothing of it is run.

        Raises:
            FormatError: the text is no such graph.
            ArgumentError: it is no text.
        """
        if not isinstance(text, (str, bytes, bytearray)):
            raise ArgumentError(
                f"from_json takes the text of a graph, not {told(text)}",
                why="it reads what Graph.to_json() wrote",
                remedy="give that text; ag.load reads files",
            )
        from .serial import graph_from_json  # noqa: PLC0415

        return graph_from_json(text)
