"""The engines "native" and "auto": graphs as Python code whose hot loops are machine code.

A graph starts as Python code that measures its outermost loops. A loop that has taken long enough is loaded
from the cache, with those beside it, or else compiled in the background. Machine code replaces the Python
loop at its next iteration or at the next call. Once it is known of each loop whether machine code pays, the
graph is compiled without measurements. If all loops are machine code and calls are short, the code around
them may become machine code as well.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

from ..compile import Compiled, CompiledChain, compile_graph, innermost_node
from ..ir.graph import Graph, Node
from ..ir.subgraphs import Loop
from .assembly.statuses import CALL_FILE
from .background import submit
from .chains import ChainRegion, find_chains
from .region import LoopRegion, Region
from .regions import is_loop, obstacle, read_results
from .whole import WholeGraph, may_be_compiled

_OWN_CODE = CALL_FILE, os.path.join(os.path.dirname((lambda: None).__code__.co_filename), "")
"""How the names of files begin through which the parts of a graph call each other."""


class Engine:
    """Run one graph. `function` changes while its parts are compiled; then `on_change` is called.

    Args:
        graph: what runs.
        waits: whether loops are compiled before they run.
        fast: whether machine code may round floats in another way than NumPy.
        parallel: whether independent iterations run in several threads.
    """

    def __init__(self, graph: Graph, *, waits: bool, fast: bool = False, parallel: bool = False):
        self.graph, self.waits, self.is_fast, self.is_parallel = graph, waits, fast, parallel
        self.on_change: Callable[[], None] = lambda: None
        self.loops: dict[Node, LoopRegion] = {}
        self.chains: list[ChainRegion] = []
        self.refused: list[Region] = []
        self.whole: WholeGraph | None = None
        self._lock = threading.RLock()
        self._programs: list[Compiled] = []
        for part in graph.program():
            self._add(part)
        if waits:
            self._compile_all()
        self._rebuild()

    @property
    def regions(self) -> list[Region]:
        """The parts of the graph that are compiled or may be."""
        return [*self.loops.values(), *self.chains]

    def _add(self, graph: Graph) -> list[Region]:
        """Add the outermost loops of a graph, and the chains around them."""
        added: list[Region] = [ChainRegion(chain, self) for chain in find_chains(graph)]
        self.chains += added  # type: ignore[arg-type]
        for node in graph.nodes:
            if is_loop(node) and not obstacle(node):
                self.loops[node] = LoopRegion(node, read_results(node, graph), self)
                added.append(self.loops[node])
            else:
                for inner in node.graphs():
                    added += self._add(inner)
        return added

    def _compile_all(self) -> None:
        """Compile each region; look for others inside of the loops that cannot be compiled."""
        waiting = self.regions
        while waiting:
            region = waiting.pop()
            if region.try_compile():
                region.is_settled = True
            else:
                waiting += self._descend(region)

    def _remove(self, region: Region) -> None:
        self.refused.append(region)
        if isinstance(region, ChainRegion):
            self.chains.remove(region)
        else:
            del self.loops[region.node]

    def _descend(self, region: Region) -> list[Region]:
        """Replace a region that cannot be compiled by those in its body, if it is a loop."""
        self._remove(region)
        return [] if isinstance(region, ChainRegion) else self._add(Loop(region.node).body)

    def _rebuild(self) -> None:
        """Compile the Python code around the regions."""
        with self._lock:
            measured = {n: r for n, r in self.loops.items() if not r.is_settled}
            direct = {n: r.run for n, r in self.loops.items() if r.is_settled}
            chains = [
                CompiledChain(
                    r.chain.nodes, r.chain.inputs, r.chain.results, r.run if r.is_settled else r.call
                )
                for r in self.chains
            ]
            program = compile_graph(self.graph, regions=direct, measured=measured, chains=chains)
            self._programs.append(program)
            self.function: Callable[..., tuple] = self._with_whole(program.function)
        self.on_change()

    def _with_whole(self, parts: Callable[..., tuple]) -> Callable[..., tuple]:
        """Return what runs the graph, as a whole or as the Python code `parts` around the regions."""
        is_candidate = not (self.is_changing or self.refused or self.chains or self.is_parallel)
        if self.whole is None and is_candidate and may_be_compiled(self.graph):
            self.whole = WholeGraph(self.graph, self, parts)
            if not self.waits and all(region.from_cache for region in self.regions):
                self.whole.load()
        if self.whole is None or self.whole.reason:
            return parts
        self.whole.parts = parts
        return self.whole.run if self.whole.is_settled else self.whole.call

    @property
    def is_changing(self) -> bool:
        """Whether a region may still become machine code."""
        return any(not r.is_settled for r in self.regions)

    def compile_later(self, region: Region) -> None:
        """Load a hot region and those beside it from the cache, or compile the hot one in the background."""
        region.load()
        if not region.ready:
            submit(lambda: self._compile(region))
        elif self._lock.acquire(blocking=False):  # it is held while another region is compiled
            try:
                for other in [r for r in self.regions if r.is_cold]:
                    other.load()
            finally:
                self._lock.release()

    def _compile(self, region: Region) -> None:
        with self._lock:
            if not region.compile_in_background():
                if region is not self.whole:
                    self._descend(region)
                self._rebuild()

    def changed(self) -> None:
        """Rebuild the code after the state of a region has changed."""
        with self._lock:
            for region in [r for r in self.regions if r.reason]:
                self._remove(region)
            self._rebuild()

    def node_at(self, traceback: Any) -> Node | None:
        """Return the node that raised an error, given the error's traceback."""
        regions = [*self.regions, *self.refused]
        programs = [*(c for r in regions for c in r.compiled), *self._programs]
        return innermost_node(traceback, programs, between=_OWN_CODE)


def native_engine(graph: Graph, _inputs: Any, **options: bool) -> Engine:
    """Compile a graph to machine code before it runs."""
    return Engine(graph, waits=True, **options)


def auto_engine(graph: Graph, _inputs: Any, **options: bool) -> Engine | None:
    """Compile the hot parts of a graph while it runs. Return None if nothing in it may be compiled."""
    engine = Engine(graph, waits=False, **options)
    return engine if engine.regions else None
