"""Solver for gen/kill dataflow analyses over a control flow graph.

Sets are bit masks over the names of a function. An exception edge may leave its node before or after the
node's effect, so both states flow along it.
"""

from __future__ import annotations

from collections import deque

from .cfg import Graph


def solve(
    graph: Graph, gen: list[int], kill: list[int], *, start: int = 0, backward: bool = False
) -> list[int]:
    """Return the set of facts that hold at the start of each node: the least fixed point.

    Facts merge by union. `start` holds at the entry of the graph, or at its exit if `backward`.
    """
    if backward:
        return _solve_backward(graph, gen, kill, start)
    size = len(graph.nodes)
    normal_edges, exception_edges = graph.successors, graph.exception_edges
    into = [0] * size
    into[graph.entry] = start
    queue, queued = deque(range(size)), [True] * size
    while queue:
        node = queue.popleft()
        queued[node] = False
        out = (into[node] & ~kill[node]) | gen[node]
        both = out | into[node]
        for targets, flow in ((normal_edges[node], out), (exception_edges[node], both)):
            for target in targets:
                if flow & ~into[target]:
                    into[target] |= flow
                    if not queued[target]:
                        queued[target] = True
                        queue.append(target)
    return into


def _solve_backward(graph: Graph, gen: list[int], kill: list[int], start: int) -> list[int]:
    size = len(graph.nodes)
    before = [0] * size
    predecessors: list[list[int]] = [[] for _ in range(size)]
    for node in range(size):
        for target in (*graph.successors[node], *graph.exception_edges[node]):
            predecessors[target].append(node)
    queue, queued = deque(reversed(range(size))), [True] * size
    while queue:
        node = queue.popleft()
        queued[node] = False
        after = start if node == graph.exit else 0
        for target in graph.successors[node]:
            after |= before[target]
        flow = (after & ~kill[node]) | gen[node]
        for target in graph.exception_edges[node]:
            flow |= before[target]
        if flow != before[node]:
            before[node] = flow
            for source in predecessors[node]:
                if not queued[source]:
                    queued[source] = True
                    queue.append(source)
    return before
