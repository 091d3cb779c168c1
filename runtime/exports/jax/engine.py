"""The engine "jax" of `function`: NumPy arrays in and out, a graph compiled by XLA between them.

It computes in 64 bits where the graph does, whatever JAX is told. A program whose lists outgrow their room
is compiled again with more, and run again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

import jax
import numpy as np

from ...graph.ir import Graph, Node
from ..forms import array_results, given_forms
from . import check_arguments, refused, run_graph
from .rules import RULES
from .rules.functions import called
from .run import Run, as_numpy_computes
from .values import Static, on_host

ROOM = 64
LARGEST = 2**24


class Engine:
    """Runs one graph.

    Args:
        graph: the graph.
        forms: for each argument of no dimensions whether it is an array, if that is known.
    """

    def __init__(self, graph: Graph, forms: dict[int, bool]):
        self.graph, self.room = graph, ROOM
        self._arguments = {node: i for i, node in enumerate(graph.arguments)}
        self._arrays = array_results(graph, forms)
        self._lock = threading.RLock()
        self._raised: list[tuple[BaseException, Node]] = []
        self._printed: list[tuple[Any, Any]] = []
        self._program: Callable[..., Any] | None = None
        self._waits = False

    def __call__(self, *arrays: Any) -> tuple[Any, ...]:
        with self._lock, jax.enable_x64(True):
            while True:
                self._raised.clear()
                self._printed.clear()
                if self._program is None:
                    self._program = self._compiled()
                values = self._program(*arrays)
                jax.effects_barrier()
                error, node = next(iter(self._raised), (None, None))
                if not isinstance(error, refused.NoRoomError):
                    break
                self._grow(error, node)
            for args, kwargs in self._printed:
                print(*args, **kwargs)
            if error is not None:
                _raise(error, node)
            return self._results(values, arrays)

    def _compiled(self) -> Callable[..., Any]:
        check_arguments(self.graph)

        def program(*arrays: Any) -> list[Any]:
            run = Run(RULES, called, room=self.room, checked=True, raised=self._note, printed=self._print)
            with as_numpy_computes():
                results = run_graph(run, self.graph, arrays)
            self._waits |= run.used_room
            return [_dynamic(r) for r in results]

        return jax.jit(program)

    def _note(self, error: BaseException, node: Node) -> None:
        self._raised.append((error, node))

    def _print(self, *args: Any, **kwargs: Any) -> None:
        if self._waits:  # the program may have to begin again
            self._printed.append((args, kwargs))
        else:
            print(*args, **kwargs)

    def _grow(self, error: BaseException, node: Any) -> None:
        if self.room >= LARGEST:
            _raise(refused.too_long(node, self.room), node)
        self.room *= 4
        self._program = None

    def node_at(self, traceback: TracebackType | None) -> Node | None:
        """The node that raised, by the traceback of the error."""
        found = None
        while traceback is not None:
            if traceback.tb_frame.f_code in _KNOWING:
                found = traceback.tb_frame.f_locals["node"]
            traceback = traceback.tb_next
        return found

    def _results(self, values: list[Any], arrays: tuple[Any, ...]) -> tuple[Any, ...]:
        """Values as the embedded graph has them; a node that stands twice gives one object."""
        made: dict[Node, Any] = {}
        for value, node, is_array in zip(values, self.graph.results, self._arrays, strict=True):
            if node in self._arguments:
                made[node] = arrays[self._arguments[node]]
            elif node not in made:
                held = jax.tree.map(_known, value, is_leaf=lambda part: isinstance(part, Static))
                made[node] = np.array(held, node.type.dtype) if is_array else on_host(held, node.type)
        return tuple([made[node] for node in self.graph.results])


def _known(leaf: Any) -> Any:
    return leaf.value if isinstance(leaf, Static) else np.asarray(leaf)


def _dynamic(value: Any) -> Any:
    """A value that a compiled program can give."""
    return jax.tree.map(lambda leaf: leaf if isinstance(leaf, jax.Array) else Static(leaf), value)


def _raise(error: BaseException, node: Any) -> None:
    raise error


_KNOWING = (_raise.__code__, Run.graph.__code__)
"""The code whose frames have the node that raised."""


def engine(graph: Graph, inputs: Any) -> Engine:
    """What runs a graph whose arguments are those of `inputs`."""
    return Engine(graph, given_forms(inputs))
