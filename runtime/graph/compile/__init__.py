"""From a graph to one straight Python function over NumPy.

Each node becomes a line; `cond`, `while` and `for` become Python's own statements, their graphs inline.
A value is *owned* when no one else can see the array that holds it: writing an item of an owned value
at its last use writes in place, otherwise a copy is made first. `writer` walks a graph, names its values
and lets names go, `operations` and `control` spell the ops that are no single expression, `buffers` says
which node may compute into an array that ends there.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

from ..ir import Graph, Node
from .control import Emitter

__all__ = ["Compiled", "compile_graph"]


class Compiled:
    """A graph's function, and which node each line of it came from."""

    def __init__(self, function: Callable[..., tuple], source: str, nodes: dict[int, Node]):
        self.function, self.source, self.nodes = function, source, nodes

    def node_at(self, traceback: Any) -> Node | None:
        """The node whose line raised, in the function or in one that it calls for a deep nest."""
        found, filename = None, self.function.__code__.co_filename
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == filename:
                found = self.nodes.get(traceback.tb_lineno)
            traceback = traceback.tb_next
        return found


def compile_graph(graph: Graph) -> Compiled:
    """Compile a graph to a function from its arguments to the tuple of its results."""
    emitter = Emitter(graph)
    name = graph.name if graph.name.isidentifier() else "graph"
    lines, nodes = emitter.function(graph, name)
    source = "\n".join(lines) + "\n"
    filename = f"<graph of {graph.name}>"
    exec(compile(source, filename, "exec"), emitter.namespace)  # noqa: S102 - this is the compiler
    linecache.cache.pop(filename, None)
    return Compiled(emitter.namespace[name], source, nodes)
