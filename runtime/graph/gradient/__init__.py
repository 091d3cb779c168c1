"""Reverse-mode differentiation of the nodes of a trace.

`Recording` is the interface. `reverse` walks the nodes backward, and `residuals` provides the values of inner
graphs to the graphs that reverse them. `op_rules` and `control_flow` contain the rules for ops that are not
NumPy functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import GradientError
from ..ir.alias_analysis import makes_new_memory
from ..ir.graph import Node
from ..rules.methods import copy
from ..state.variables import Variable
from ..tracing import recording
from ..tracing.tensor import Staged, Tensor
from ..tracing.trace import current_builder
from . import control_flow, op_rules, recursion, unsupported  # noqa: F401 - they register their rules
from .cotangents import cast_cotangent, is_complex, is_differentiable, ones_like, type_of, zeros_like
from .reverse import Reverse

__all__ = [
    "Recording",
    "check_cotangent",
    "is_differentiable",
    "ones_like",
    "type_of",
    "unaliased_arrays",
    "with_own_node",
    "zeros_like",
]


def with_own_node(value: Any) -> Any:
    """Return a staged value with a new node, so that other uses of the value are not differentiated."""
    node = recording.to_node(value)
    result = recording.record("same", (node,), node.type)
    result.is_mutable = getattr(value, "is_mutable", False)
    return result


def unaliased_arrays(values: Sequence[Any]) -> list[Any]:
    """Return values whose arrays share no memory with each other or with arguments, copying where needed."""
    seen: set[Node] = set()
    result = []
    for value in values:
        if isinstance(value, Tensor) and value.ndim:
            node = value.node()
            if node in seen or node.op == "argument" or not makes_new_memory(node):
                value = recording.call(copy, (value,), {})
            seen.add(node)
        result.append(value)
    return result


def check_cotangent(cotangent: Any, value: Any) -> Any:
    """Return a cotangent after checking it against its value.

    Raises:
        GradientError: the shapes differ, or the cotangent is complex and the value is real.
    """
    shape, expected = (getattr(type_of(v), "shape", ()) for v in (cotangent, value))
    if len(shape) != len(expected) or any(
        None not in (a, b) and a != b for a, b in zip(shape, expected, strict=True)
    ):
        raise GradientError(
            f"a cotangent of shape {shape} was passed for a result of shape {expected}",
            why="a cotangent has one element for each element of the result",
            remedy="pass an array with the shape of the result",
        )
    if is_complex(cotangent) and not is_complex(value):
        raise GradientError(
            "a complex cotangent was passed for a real result",
            why="the cotangent of a real result must be real",
            remedy="pass its real part, or make one call for the real part and one for the imaginary part",
        )
    return cotangent


class Recording:
    """The nodes added to the current graph since the recording began, and the initial values of Variables."""

    def __init__(self) -> None:
        self.builder = current_builder()
        self._start = len(self.builder.graph.nodes)
        self._prior_nodes = {*self.builder.graph.arguments, *self.builder.graph.nodes}
        self._variable_nodes = {key: handle.node() for key, (_, handle) in self.builder.root.handles.items()}

    def source(self, value: Any) -> Node:
        """Return the node of a staged value, or of the value a Variable had when the recording began."""
        if not isinstance(value, Variable):
            nodes = [n for owner, n in getattr(value, "write_history", ()) if owner is self.builder]
            nodes.append(self._node_of(value))
            prior = [node for node in nodes if node in self._prior_nodes]
            return prior[-1] if prior else nodes[0]  # ignore later writes
        initial = self._variable_nodes.get(id(value))
        if initial is not None:
            return initial
        root = self.builder.root
        root.handle_of(value)
        return self.builder.capture(root.variable_arguments[id(value)], root)

    def _node_of(self, value: Any) -> Node:
        """Return the node of a value in the recorded graph, even while an inner graph is traced."""
        if not isinstance(value, Staged) or current_builder() is self.builder:
            return recording.to_node(value)
        owner, node = value._owner, value._node  # noqa: SLF001 - not captured by the current builder
        if owner is not self.builder or value.is_stale:
            raise GradientError(
                "a target or source of a gradient belongs to a different branch or iteration than the tape",
                why="a tape records only one graph, and each branch or loop body has a graph of its own",
                remedy="use the tape and its values in the same branch or loop body",
                sites=unsupported.sites(node),
            )
        return node

    def gradients(self, targets: Sequence[tuple[Any, Any]], sources: Sequence[Node]) -> list[Any]:
        """Return the cotangent of each source, or None if no target depends on it.

        `targets` are pairs of a value and its cotangent.
        """
        reverse = Reverse(self.builder, self.builder.graph.nodes[self._start :], sources)
        for value, cotangent in targets:
            node = self._node_of(value)
            reverse.accumulate(node, cast_cotangent(cotangent, node.type))
        reverse.run()
        return [reverse.cotangent(source) for source in sources]
