"""Which operations on floats LLVM could delay or drop, so that the processor's flags would miss their errors.

LLVM takes floating-point operations for pure. It moves one into the only branch that uses the result, or
behind the loop if the body does not use it, where it runs fewer times than the program says; and it drops one
if it knows what its use gives: `x * x < 0` is false.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...ir.graph import Node, Slot
from ...ir.subgraphs import Loop, argument_sources
from ...ir.types import ArrayType, ScalarType
from ...rules.ufuncs import OPERATOR_OF
from .bailouts import Frame

_FLAGGED = frozenset(("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "sqrt", "square"))
_PASSING = frozenset(("neg", "pos", "abs", "float", "item", "convert", "same"))
"""Ops whose result, if it is a float, cannot be known without the operand."""
_WRITES = frozenset(("setitem", "add_at"))


def may_vectorize(frames: Sequence[Frame]) -> bool:
    """Return whether LLVM may compute several iterations of the innermost loop at once.

    It does not where an iteration needs a float of the one before.
    """
    node = next((f.node for f in reversed(frames) if f.node is not None and f.node.op != "cond"), None)
    return node is not None and not any(_is_float(c.type) for c in Loop(node).carried)


def is_needed(value: Node, frames: Sequence[Frame]) -> bool:
    """Return whether floats that are computed after a value in the innermost graph need it on each path."""
    return _is_needed(value, frames, set())


def _is_needed(value: Node, frames: Sequence[Frame], seen: set[Node]) -> bool:
    if value in seen:
        return False
    seen.add(value)
    graph = frames[-1].graph
    for user in graph.nodes:
        if value not in user.inputs:
            continue
        if user.op == "setitem":
            if value is user.inputs[-1] and _is_last_write(user, frames):
                return True
        elif _raises_flags(user) or (_is_passing(user) and _is_needed(user, frames, seen)):
            return True
    return any(_is_result_needed(i, frames, seen) for i, r in enumerate(graph.results) if r is value)


def _raises_flags(node: Node) -> bool:
    """Return whether a node is an operation on floats, which is kept where it is if nothing needs it."""
    return isinstance(node.type, ArrayType) and _is_float(node.type) and _name(node) in _FLAGGED


def _is_passing(node: Node) -> bool:
    return _is_float(node.type) and _name(node) in _PASSING


def _is_float(kind: object) -> bool:
    if isinstance(kind, ScalarType):
        return kind.python is float
    return isinstance(kind, ArrayType) and not kind.shape and kind.dtype.kind == "f"


def _name(node: Node) -> str:
    function = node.attrs.get("function")
    if not isinstance(function, np.ufunc):
        return node.op
    return OPERATOR_OF.get(function, function.__name__)


# --- Results --------------------------------------------------------------------------------------


def _is_result_needed(index: int, frames: Sequence[Frame], seen: set[Node]) -> bool:
    """Return whether a result of the innermost graph is needed: of a loop, after the last iteration, too."""
    node = frames[-1].node
    if node is None:
        return True
    if node.op == "cond":
        return _is_output_needed(node, index, frames, seen)
    if index == 0:
        return False
    carried = Loop(node).carried[index - 1]
    return _is_output_needed(node, index - 1, frames, seen) and _is_needed(carried, frames, seen)


def _is_output_needed(node: Node, index: int, frames: Sequence[Frame], seen: set[Node]) -> bool:
    outputs = (n for n in frames[-2].graph.nodes if n.op == "output" and n.inputs[0] is node)
    return any(n.attrs["index"] == index and _is_needed(n, frames[:-1], seen) for n in outputs)


# --- Assignments ----------------------------------------------------------------------------------


def _is_last_write(node: Node, frames: Sequence[Frame]) -> bool:
    """Return whether what a node assigns to an element stays, or is read before it is overwritten.

    LLVM drops a write before another to the same element, and moves writes to one element behind the loop.
    """
    kind, key = node.type, _key(node)
    if not isinstance(kind, ArrayType) or kind.dtype.kind != "f":
        return False
    if not all(isinstance(part, (Slot, int)) for part in key):  # a slice may have no elements
        return False
    slots = [part for part in key if isinstance(part, Slot)]
    if not (any(_varies(node.inputs[s.index], frames) for s in slots) or _adds_to_element(node)):
        return False
    nodes = frames[-1].graph.nodes
    for later in nodes[nodes.index(node) + 1 :]:
        if any(n.op in _WRITES for graph in later.graphs() for n in graph.walk()):
            return False
        if later.op in _WRITES and not (_are_apart(node, later) or _adds_to_element(later)):
            return False
    return True


def _key(node: Node) -> tuple:
    key = node.attrs["key"]
    return key if type(key) is tuple else (key,)


def _adds_to_element(node: Node) -> bool:
    """Return whether an assignment is like `a[i] += x`, which needs what an earlier one has written."""
    *place, value = node.inputs
    return (
        node.op == "setitem"
        and _raises_flags(value)
        and any(
            i.op == "getitem" and list(i.inputs) == place and i.attrs["args"][1] == node.attrs["key"]
            for i in value.inputs
        )
    )


def _are_apart(node: Node, other: Node) -> bool:
    """Return whether two assignments are to different elements, or to different arrays."""
    arrays = _array(node), _array(other)
    if arrays[0] is not arrays[1] and all(a.op == "argument" for a in arrays):
        return True
    pairs = zip(_key(node), _key(other), strict=False) if other.op == "setitem" else ()
    return any(type(a) is type(b) is int and a != b and (a < 0) == (b < 0) for a, b in pairs)


def _array(node: Node) -> Node:
    while node.op in _WRITES:
        node = node.inputs[0]
    return node


def _varies(index: Node, frames: Sequence[Frame]) -> bool:
    """Return whether an index is another one in each iteration of the innermost loop."""
    index, node = _without_offset(index), frames[-1].node
    if node is None:
        return False
    if node.op == "cond":
        operands = {argument: operand for _, operand, argument in argument_sources(node, frames[-1].graph)}
        return index in operands and _varies(operands[index], frames[:-1])
    loop = Loop(node)
    if node.op == "for" and node.inputs[1].op == "range" and index in loop.elements:
        return True
    changed = {c: r for c, r in zip(loop.carried, loop.results, strict=True) if r is not c}
    return index in changed and _without_offset(changed[index]) is index


def _without_offset(index: Node) -> Node:
    """Return the integer to which an index adds a constant other than 0, or the index itself."""
    if index.op in ("add", "sub"):
        first, second = index.inputs
        if second.op == "constant" and type(second.attrs["value"]) is int and second.attrs["value"] != 0:
            return first
    return index
