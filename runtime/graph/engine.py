"""What may run a graph in the place of the function that it is compiled to."""

from __future__ import annotations

from typing import Any, Protocol

from .ir import Node


class Engine(Protocol):
    """Runs one graph: a callable as `compile_graph` makes it, on arrays of NumPy."""

    def __call__(self, *arrays: Any) -> tuple[Any, ...]:
        """The graph's results, with the types that the embedded graph gives them."""

    def node_at(self, traceback: Any) -> Node | None:
        """The node that raised, by the traceback of the error."""
