"""Compile a graph to a Python function that calls NumPy.

Each node becomes a line. `cond`, `while` and `for` become Python statements with their inner graphs inline. A
graph that `call` nodes call becomes a function of its own.
A value is *owned* if no other value shares its array. A write to an owned value at its last use is in place;
any other write copies first.

`writer` emits lines and allocates names, `operations` and `control_flow` emit the ops that are not single
expressions, `compiled_loops` calls machine code for loops, and `buffers` selects arrays to reuse for results.
"""

from __future__ import annotations

import builtins
import keyword
import linecache
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import CodeType
from typing import Any

from ..ir.graph import Graph, Node
from .compiled_loops import CompiledChain, CompiledLoopEmitter, MeasuredLoop
from .control_flow import Emitter
from .writer import NAMESPACE

__all__ = ["Compiled", "CompiledChain", "MeasuredLoop", "compile_graph", "innermost_node"]


class Compiled:
    """A compiled graph: the Python function, its source, and the node that each line computes."""

    def __init__(
        self, function: Callable[..., tuple], source: str, nodes: dict[int, Node], codes: list[CodeType]
    ):
        self.function, self.source, self.nodes = function, source, nodes
        self._codes = codes

    def node_at(self, traceback: Any) -> Node | None:
        """Return the node whose line raised the error, in the function or a nested function that it calls."""
        return innermost_node(traceback, [self])

    def owns(self, code: CodeType) -> bool:
        """Return whether code is that of the function or of a nested function."""
        return any(code is own for own in self._codes)


def innermost_node(
    traceback: Any, programs: Sequence[Compiled], between: tuple[str, ...] = ()
) -> Node | None:
    """Return the node whose line raised the error.

    Programs call each other through files whose names begin with those in `between`.
    """
    node: Node | None = None
    while traceback is not None:
        code = traceback.tb_frame.f_code
        program = next((p for p in programs if p.owns(code)), None)
        if program is not None:
            node = program.nodes.get(traceback.tb_lineno)
        elif node is not None and not code.co_filename.startswith(between):
            break  # code called from that line may run the same graph again
        traceback = traceback.tb_next
    return node


def compile_graph(
    graph: Graph,
    *,
    checked: bool = False,
    by_line: bool = False,
    regions: Mapping[Node, Callable[..., tuple]] | None = None,
    measured: Mapping[Node, MeasuredLoop] | None = None,
    chains: Sequence[CompiledChain] = (),
) -> Compiled:
    """Compile a graph to a function from its arguments to a tuple of its results.

    If `checked`, the function raises at the first operation that computes a NaN or infinity from finite
    operands. Each operation then has its own line and its own result array, so that the error can show the
    operands. If `by_line`, no line of the function has operations of several lines of the user's code.
    `regions` has the functions that run loops of the graph, from the inputs of a loop to its carried values,
    `measured` the loops that may be compiled while they run, and `chains` has compiled chains of element-wise
    operations.
    """
    if regions is not None or measured or chains:
        create: Callable[..., Emitter] = partial(
            CompiledLoopEmitter,
            by_line=by_line,
            regions=regions or {},
            measured=measured or {},
            chains=chains,
        )
    else:
        create = partial(Emitter, checked=checked, by_line=by_line)
    emitter = create(graph)
    name = _identifier(graph.name)
    lines, nodes = emitter.function(graph, name)
    for called in graph.program()[1:]:
        emitter = create(called, shared=emitter)
        more, more_nodes = emitter.function(called, emitter.function_name(called))
        nodes.update((len(lines) + number, node) for number, node in more_nodes.items())
        lines += more
    source = "\n".join(lines) + "\n"
    filename = f"<graph of {graph.name}>"
    module = compile(source, filename, "exec")
    exec(module, emitter.namespace)  # noqa: S102 - this is the compiler
    linecache.cache.pop(filename, None)
    codes = [code for code in module.co_consts if isinstance(code, CodeType)]
    return Compiled(emitter.namespace[name], source, nodes, codes)


def _identifier(name: str) -> str:
    """Return the graph's name if a Python function can have it, otherwise "graph"."""
    is_taken = keyword.iskeyword(name) or hasattr(builtins, name) or name in NAMESPACE or name[-1:].isdigit()
    return name if name.isascii() and name.isidentifier() and not is_taken else "graph"
