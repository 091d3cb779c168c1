"""Checkpoints: the places from which NumPy goes on when machine code gives up.

A *checkpoint* is a position between two nodes of an inner graph. Up to it, all effects have happened; what
follows has none before the next checkpoint, so it can be run again. Leaving machine code at a checkpoint
hands out the values that are *live* there, those that the rest of the region reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from ...ir.graph import Graph, Node
from ...ir.subgraphs import Loop, argument_sources
from ..assembly.statuses import UnsupportedError

RECREATED = frozenset(("constant", "range", "enumerate", "zip", "reversed"))
"""Ops whose results are made again from their inputs where they are live."""


@dataclass(frozen=True)
class Frame:
    """An inner graph that is running: the node that contains it, and where the outer graph goes on.

    `done` is the number of iterations of a `for` loop that the loop has begun, the current one included.
    For a loop over a range, `following` is the element of the next iteration.
    """

    node: Node | None  # None for the region itself
    graph: Graph
    index: int
    done: Any = None
    following: Any = None


@dataclass(eq=False)
class Checkpoint:
    """A position: the running graphs, outermost first, and the index of the next node in the last of them."""

    number: int
    frames: tuple[Frame, ...]
    index: int
    live: list[Node] = field(default_factory=list)
    counters: list[tuple[int, str]] = field(default_factory=list)
    """The counters that the rest needs: indices of frames, each with "done" or "following"."""
    recreated: set[Node] = field(default_factory=set)
    """Operations before the position that the rest computes again, since it alone needs them."""
    slots: list[Any] = field(default_factory=list)
    """For each live value, then each counter, the description of its slots."""


def find_live(checkpoint: Checkpoint, is_deferred: Callable[[Node], bool]) -> None:
    """Find the values that the rest of the region reads, and the loop counters that it needs.

    `is_deferred` returns whether an operation before the checkpoint has not been computed yet.
    """
    live: dict[Node, None] = {}
    running = {frame.node for frame in checkpoint.frames}

    def add(value: Node, defined: Iterable[Node] = ()) -> None:
        if value in defined or value in running:
            return
        if value.op in RECREATED or is_deferred(value):
            checkpoint.recreated.add(value)
            parts = value.inputs if value.op != "argument" else (operand_of(checkpoint, value),)
            for part in parts:
                add(part, defined)
        else:
            live.setdefault(value)

    first = checkpoint.index
    for level in range(len(checkpoint.frames) - 1, -1, -1):
        frame = checkpoint.frames[level]
        defined = set(frame.graph.nodes[first:])
        for value in (*(i for n in frame.graph.nodes[first:] for i in n.inputs), *frame.graph.results):
            add(value, defined)
        if frame.node is not None and frame.node.op in ("while", "for"):
            for operand in Loop(frame.node).operands:
                add(operand)
            if frame.node.op == "for":
                _add_iteration(checkpoint, level, frame.node.inputs[1], add)
        first = frame.index + 1
    checkpoint.live = list(live)


def operand_of(checkpoint: Checkpoint, argument: Node) -> Node:
    """Return the value that an argument of a running inner graph is another name of.

    Raises:
        UnsupportedError: it is none.
    """
    for frame in checkpoint.frames[1:]:
        assert frame.node is not None
        for relation, source, inner in argument_sources(frame.node, frame.graph):
            if inner is argument and relation == "=":
                return source
    raise UnsupportedError("a view is live where machine code gives up")


def _add_iteration(checkpoint: Checkpoint, level: int, source: Node, add: Callable[[Node], None]) -> None:
    """Add what the later iterations of a `for` loop need."""
    if source.op == "range":
        checkpoint.counters.append((level, "following"))
        for bound in source.inputs[1:]:
            add(bound)
    else:
        checkpoint.counters.append((level, "done"))
        add(source)
