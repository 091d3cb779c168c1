"""Which operations on floats LLVM could delay or drop, so that the processor's flags would miss their errors.

LLVM takes floating-point operations for pure. It moves one into the only branch that uses the result, or
behind the loop if the body does not use it, where it runs fewer times than the program says.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.graph import Node, Slot
from ...ir.subgraphs import Loop
from ...ir.types import ArrayType
from .bailouts import Frame

_FLAGGED = frozenset(("add", "sub", "mul", "truediv", "floordiv", "mod"))


def is_needed(value: Node, frames: Sequence[Frame]) -> bool:
    """Return whether whatever runs after a value in the innermost graph needs it on each path."""
    return _is_needed(value, frames, set())


def _is_needed(value: Node, frames: Sequence[Frame], seen: set[Node]) -> bool:
    if value in seen:
        return False
    seen.add(value)
    graph = frames[-1].graph
    for user in graph.nodes:
        if value not in user.inputs:
            continue
        if any(True for _ in user.graphs()):
            if user.inputs[0] is value:
                return True
        elif isinstance(user.type, ArrayType) and user.type.shape:
            if user.op == "setitem" and _writes_element(user):
                return True
        elif _raises_flags(user) or _is_needed(user, frames, seen):
            return True
    return any(_is_result_needed(i, frames, seen) for i, r in enumerate(graph.results) if r is value)


def _writes_element(node: Node) -> bool:
    """Return whether an assignment is to one element. One to a slice may have nothing to write."""
    key = node.attrs["key"]
    return all(isinstance(part, (Slot, int)) for part in (key if type(key) is tuple else (key,)))


def _raises_flags(node: Node) -> bool:
    """Return whether a node is an operation on floats, which is kept where it is if nothing needs it."""
    return node.op in _FLAGGED and isinstance(node.type, ArrayType) and node.type.dtype.kind == "f"


def _is_result_needed(index: int, frames: Sequence[Frame], seen: set[Node]) -> bool:
    node = frames[-1].node
    if node is None:
        return False
    if node.op == "cond":
        outputs = (n for n in frames[-2].graph.nodes if n.op == "output" and n.inputs[0] is node)
        return any(n.attrs["index"] == index and _is_needed(n, frames[:-1], seen) for n in outputs)
    return index == 0 or _is_needed(Loop(node).carried[index - 1], frames, seen)
