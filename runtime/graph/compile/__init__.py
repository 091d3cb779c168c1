"""From a graph to one straight Python function over NumPy.

Each node becomes a line; `cond`, `while` and `for` become Python's own statements, their graphs inline.
A value is *owned* when no one else can see the array that holds it: writing an item of an owned value
at its last use writes in place, otherwise a copy is made first. `writer` walks a graph, names its values
and lets names go, `operations` and `control` spell the ops that are no single expression, `buffers` says
which node may compute into an array that ends there.
"""

from __future__ import annotations

import builtins
import keyword
import linecache
from collections.abc import Callable
from types import CodeType
from typing import Any

from ..ir import Graph, Node
from .control import Emitter
from .writer import NAMESPACE

__all__ = ["Compiled", "compile_graph"]


class Compiled:
    """A graph's function, and which node each line of it came from."""

    def __init__(
        self, function: Callable[..., tuple], source: str, nodes: dict[int, Node], codes: list[CodeType]
    ):
        self.function, self.source, self.nodes = function, source, nodes
        self._codes = codes

    def node_at(self, traceback: Any) -> Node | None:
        """The node whose line raised, in the function or in one that it calls for a deep nest."""
        found: Node | None = None
        while traceback is not None:
            if any(traceback.tb_frame.f_code is code for code in self._codes):
                found = self.nodes.get(traceback.tb_lineno)
            elif found is not None:
                break  # what the function calls may run the same graph again
            traceback = traceback.tb_next
        return found


def compile_graph(graph: Graph, *, checked: bool = False) -> Compiled:
    """Compile a graph to a function from its arguments to the tuple of its results.

    Args:
        graph: the graph.
        checked: whether it is to stop at the first NaN or Inf. Each operation then has a line of its own
            and an array of its own for its result, so that its operands can be shown.
    """
    emitter = Emitter(graph, checked=checked)
    name = _identifier(graph.name)
    lines, nodes = emitter.function(graph, name)
    source = "\n".join(lines) + "\n"
    filename = f"<graph of {graph.name}>"
    module = compile(source, filename, "exec")
    exec(module, emitter.namespace)  # noqa: S102 - this is the compiler
    linecache.cache.pop(filename, None)
    codes = [code for code in module.co_consts if isinstance(code, CodeType)]
    return Compiled(emitter.namespace[name], source, nodes, codes)


def _identifier(name: str) -> str:
    """The graph's name, if a function may have it and nothing that the function calls does."""
    taken = keyword.iskeyword(name) or hasattr(builtins, name) or name in NAMESPACE or name[-1:].isdigit()
    return name if name.isascii() and name.isidentifier() and not taken else "graph"
