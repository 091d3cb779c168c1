"""One solver for every dataflow analysis: sets grow along the edges of a graph until nothing changes.

Sets are bit masks over the names of a function. A *raise edge* leaves a node in the middle: what
holds before the node and what holds after it both flow along it.
"""

from __future__ import annotations

from collections import deque

from .cfg import Graph


def solve(
    graph: Graph, gen: list[int], kill: list[int], *, start: int = 0, backward: bool = False
) -> list[int]:
    """What flows into each node: the union over its predecessors (successors, when backward).

    `start` flows into the entry (the exit, when backward).
    """
    size = len(graph.nodes)
    forward_edges, raise_edges = graph.successors, graph.raises
    if backward:
        return _backward(graph, gen, kill, start)
    into = [0] * size
    into[graph.entry] = start
    queue, queued = deque(range(size)), [True] * size
    while queue:
        node = queue.popleft()
        queued[node] = False
        out = (into[node] & ~kill[node]) | gen[node]
        both = out | into[node]
        for targets, flow in ((forward_edges[node], out), (raise_edges[node], both)):
            for target in targets:
                if flow & ~into[target]:
                    into[target] |= flow
                    if not queued[target]:
                        queued[target] = True
                        queue.append(target)
    return into


def _backward(graph: Graph, gen: list[int], kill: list[int], start: int) -> list[int]:
    size = len(graph.nodes)
    before = [0] * size
    users: list[list[int]] = [[] for _ in range(size)]
    for node in range(size):
        for target in (*graph.successors[node], *graph.raises[node]):
            users[target].append(node)
    queue, queued = deque(reversed(range(size))), [True] * size
    while queue:
        node = queue.popleft()
        queued[node] = False
        after = start if node == graph.exit else 0
        for target in graph.successors[node]:
            after |= before[target]
        flow = (after & ~kill[node]) | gen[node]
        for target in graph.raises[node]:
            flow |= before[target]
        if flow != before[node]:
            before[node] = flow
            for user in users[node]:
                if not queued[user]:
                    queued[user] = True
                    queue.append(user)
    return before
