"""Gradients: reverse mode over the nodes of a trace.

`Recording` is what the front door uses. `reverse` walks over nodes, `rules` has the rule of each function,
`structure` those of items and lists, `control` those of conditions and loops, and `regions` says where the
reverse of an inner graph finds that graph's values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import GradientError
from .. import record
from ..ir import Node
from ..rules.methods import copy
from ..sharing import makes
from ..staged import Staged, Tensor, wrap
from ..trace import current
from ..variables import Variable
from . import control, refused, structure
from .reverse import Reverse
from .values import fitted, is_complex, is_differentiable, ones_like, type_of, zeros_like

__all__ = [
    "Recording",
    "apart",
    "control",
    "is_differentiable",
    "of_shape",
    "ones_like",
    "own_arrays",
    "structure",
    "type_of",
    "zeros_like",
]


def apart(value: Any) -> Any:
    """A value with a node of its own, so that what else is made of the value does not count."""
    node = record.to_node(value)
    made = wrap(record.add("same", (node,), node.type))
    made.in_place = getattr(value, "in_place", False)
    return made


def own_arrays(values: Sequence[Any]) -> list[Any]:
    """Values of which each array is new memory, which no other of them has."""
    seen: set[Node] = set()
    made = []
    for value in values:
        if isinstance(value, Tensor) and value.ndim:
            node = value.node()
            if node in seen or node.op == "argument" or not makes(node):
                value = record.call(copy, (value,), {})
            seen.add(node)
        made.append(value)
    return made


def of_shape(cotangent: Any, value: Any) -> Any:
    """A cotangent of the shape of its value, as far as that is known."""
    given, wanted = (getattr(type_of(v), "shape", ()) for v in (cotangent, value))
    fits = len(given) == len(wanted) and all(
        None in (a, b) or a == b for a, b in zip(given, wanted, strict=True)
    )
    if not fits:
        raise GradientError(
            f"a cotangent of the shape {given} is given for a result of the shape {wanted}",
            why="each element of a result has its own",
            remedy="give an array of the shape of the result",
        )
    if is_complex(cotangent) and not is_complex(value):
        raise GradientError(
            "a complex cotangent is given for a real result",
            why="the derivatives of a real result are real multiples of its cotangent",
            remedy="give its real part, or a cotangent for each part",
        )
    return cotangent


class Recording:
    """The nodes that the current graph gets from now on, and the variables as they are now."""

    def __init__(self) -> None:
        self.builder = current()
        self._start = len(self.builder.graph.nodes)
        self._known = {*self.builder.graph.arguments, *self.builder.graph.nodes}
        self._state = {key: handle.node() for key, (_, handle) in self.builder.root.state.items()}

    def source(self, value: Any) -> Node:
        """The node of a staged value; of a variable, that of its value when the recording began."""
        if not isinstance(value, Variable):
            nodes = [n for owner, n in getattr(value, "earlier", ()) if owner is self.builder]
            nodes.append(self._own(value))
            known = [node for node in nodes if node in self._known]
            return known[-1] if known else nodes[0]  # what was written to it since does not count
        begun = self._state.get(id(value))
        if begun is not None:
            return begun
        root = self.builder.root
        root.state_of(value)
        return self.builder.lift(root.first[id(value)], root)

    def _own(self, value: Any) -> Node:
        """The node of a value in the graph of the recording, also where a branch or body is traced by now."""
        if not isinstance(value, Staged) or current() is self.builder:
            return record.to_node(value)
        owner, node = value._owner, value._node  # noqa: SLF001 - its own builder's, not as the current one sees it
        if owner is not self.builder or value.is_stale:
            raise refused.made_inside(node)
        return node

    def gradients(self, ends: Sequence[tuple[Any, Any]], sources: Sequence[Node]) -> list[Any]:
        """The cotangent of each source, None where the ends do not depend on it.

        Args:
            ends: results, each with its cotangent.
            sources: nodes of the recording's graph.
        """
        reverse = Reverse(self.builder, self.builder.graph.nodes[self._start :], sources)
        for value, cotangent in ends:
            node = self._own(value)
            reverse.give(node, fitted(cotangent, node.type))
        reverse.run()
        return [reverse.cotangent(source) for source in sources]
