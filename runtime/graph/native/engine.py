"""The engines "native" and "auto": graphs as Python code whose hot loops are machine code.

A graph starts as Python code that measures its outermost loops. A loop that has taken long enough is compiled in
the background and replaces the Python loop, at its next iteration or at the next call. Once it is known of each
loop whether machine code pays, the graph is compiled a last time, without measurements.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from ..compile import Compiled, compile_graph
from ..ir.graph import Graph, Node
from ..ir.subgraphs import Loop
from .background import submit
from .region import Region
from .regions import candidates


class Engine:
    """Run one graph. `function` changes while its loops are compiled; then `on_change` is called."""

    def __init__(self, graph: Graph, *, waits: bool):
        self.graph = graph
        self.on_change: Callable[[], None] = lambda: None
        self.regions: dict[Node, Region] = {}
        self.refused: list[Region] = []
        self._lock = threading.RLock()
        self._programs: list[Compiled] = []
        self._add(candidates(graph))
        if waits:
            self._compile_all()
        self._rebuild()

    def _add(self, loops: list[Node]) -> None:
        for node in loops:
            self.regions[node] = Region(node, self)

    def _compile_all(self) -> None:
        """Compile each loop, or the loops inside of those that cannot be compiled."""
        waiting = list(self.regions.values())
        while waiting:
            region = waiting.pop()
            if region.try_compile():
                region.is_settled = True
            else:
                waiting += self._descend(region)

    def _descend(self, region: Region) -> list[Region]:
        """Replace a region that is refused by the loops in its body."""
        self.refused.append(region)  # first, for a report that another thread makes
        del self.regions[region.node]
        inner = candidates(Loop(region.node).body)
        self._add(inner)
        return [self.regions[node] for node in inner]

    def _rebuild(self) -> None:
        """Compile the Python code around the regions."""
        with self._lock:
            measured = {n: r for n, r in self.regions.items() if not r.is_settled}
            direct = {n: r.run for n, r in self.regions.items() if r.is_settled}
            program = compile_graph(self.graph, regions=direct, measured=measured)
            self._programs.append(program)
            self.function: Callable[..., tuple] = program.function
        self.on_change()

    @property
    def is_changing(self) -> bool:
        """Whether `function` may still be replaced."""
        return any(not r.is_settled for r in self.regions.values())

    def compile_later(self, region: Region) -> None:
        """Compile a hot region in the background."""
        submit(lambda: self._compile(region))

    def _compile(self, region: Region) -> None:
        with self._lock:
            if not region.compile_in_background():
                self._descend(region)
                self._rebuild()

    def changed(self) -> None:
        """Rebuild the code after the state of a region has changed."""
        with self._lock:
            for region in [r for r in self.regions.values() if r.reason]:
                self.refused.append(region)
                del self.regions[region.node]
            self._rebuild()

    def node_at(self, traceback: Any) -> Node | None:
        """Return the node that raised an error, given the error's traceback."""
        regions = [*self.regions.values(), *self.refused]
        for program in [*(c for r in regions for c in r.compiled), *self._programs]:
            node = program.node_at(traceback)
            if node is not None:
                return node
        return None


def native_engine(graph: Graph, _inputs: Any) -> Engine:
    """Compile a graph to machine code before it runs."""
    return Engine(graph, waits=True)


def auto_engine(graph: Graph, _inputs: Any) -> Engine | None:
    """Compile the hot loops of a graph while it runs. Return None if it has no loop that may be compiled."""
    return Engine(graph, waits=False) if candidates(graph) else None
