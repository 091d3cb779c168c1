"""Which operations on floats LLVM could delay or drop, so that the processor's flags would miss their errors.

LLVM takes floating-point operations for pure. It moves one into the only branch that uses the result, or
behind the loop if the body does not use it, where it runs fewer times than the program says; and it drops one
if it knows the result of its use: `x * x < 0` is false. Such operations become part of a sum of bits.
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
"""Ops whose result, a float, is computed from all bits of the operand that count."""


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
        if user.op == "setitem":
            if value is user.inputs[-1] and _is_last_write(user, frames):
                return True
        elif _raises_flags(user) or (_is_passing(user) and _is_needed(user, frames, seen)):
            return True
    return any(_is_result_needed(i, frames, seen) for i, r in enumerate(graph.results) if r is value)


def _name(node: Node) -> str:
    function = node.attrs.get("function")
    if not isinstance(function, np.ufunc):
        return node.op
    return OPERATOR_OF.get(function, function.__name__)


def _raises_flags(node: Node) -> bool:
    """Return whether a node is an operation on floats, which is kept where it is if nothing needs it."""
    kind = node.type
    return (
        isinstance(kind, ArrayType) and not kind.shape and kind.dtype.kind == "f" and _name(node) in _FLAGGED
    )


def _is_passing(node: Node) -> bool:
    kind = node.type
    is_float = kind.python is float if isinstance(kind, ScalarType) else _is_float_array(kind)
    return is_float and _name(node) in _PASSING


def _is_float_array(kind: object) -> bool:
    return isinstance(kind, ArrayType) and kind.dtype.kind == "f"


# --- Writes ---------------------------------------------------------------------------------------


_WRITES = frozenset(("setitem", "add_at"))


def _is_last_write(node: Node, frames: Sequence[Frame]) -> bool:
    """Return whether an assignment is to an element of its own in each iteration of the innermost loop.

    LLVM drops a write before another to the same element, and moves writes to one element behind the loop.
    """
    key = _key(node)
    if not _is_float_array(node.type) or not all(isinstance(part, (Slot, int)) for part in key):
        return False
    if not any(isinstance(p, Slot) and _varies(node.inputs[p.index], frames) for p in key):
        return False
    nodes = frames[-1].graph.nodes
    for later in nodes[nodes.index(node) + 1 :]:
        inner = [n for graph in later.graphs() for n in graph.walk() if n.op in _WRITES]
        if inner or (later.op in _WRITES and not _are_apart(node, later)):
            return False
    return True


def _key(node: Node) -> tuple:
    key = node.attrs["key"]
    return key if type(key) is tuple else (key,)


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
    index = _without_offset(index)
    node = frames[-1].node
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


# --- Results --------------------------------------------------------------------------------------


def _is_result_needed(index: int, frames: Sequence[Frame], seen: set[Node]) -> bool:
    """Return whether a result of the innermost graph is needed. That of a loop's last iteration leaves it."""
    node = frames[-1].node
    if node is None:
        return True
    if node.op == "cond":
        return _is_output_needed(node, index, frames, seen)
    if index == 0:
        return False
    return _is_output_needed(node, index - 1, frames, seen) and _is_needed(
        Loop(node).carried[index - 1], frames, seen
    )


def _is_output_needed(node: Node, index: int, frames: Sequence[Frame], seen: set[Node]) -> bool:
    outputs = (n for n in frames[-2].graph.nodes if n.op == "output" and n.inputs[0] is node)
    return any(n.attrs["index"] == index and _is_needed(n, frames[:-1], seen) for n in outputs)
