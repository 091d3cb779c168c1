"""Algebraic identities that keep every bit: `x * 1`, `x - 0`, `-(-x)`, a transpose of a transpose.

Only what holds for NaN, signed zeros, infinities and integers that wrap is used: `x + 0` is not `x`
where `x` is `-0.0`, but `x - 0` is. The result has to be of the same dtype and shape. A new array is
replaced only by one that the graph made itself, so that the caller's own is never handed out as new and
the layout in memory, on which the rounding of later sums depends, stays.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir import Graph, Node
from ..sharing import Sharing, is_elementwise, makes
from ..types import ArrayType, ScalarType
from .common import may_be_one
from .rewriting import Replacements, is_constant


def identities(graph: Graph) -> None:
    """Replace what an identity shows to be another value."""
    _rewrite(graph, Sharing(graph))


def _rewrite(graph: Graph, sharing: Sharing) -> None:
    gone = Replacements()
    kept: list[Node] = []
    for node in graph.nodes:
        gone.apply(node)
        for inner in node.graphs():
            _rewrite(inner, sharing)
        rule = RULES.get(node.op)
        same = None if rule is None or node.effect else rule(node)
        if same is not None and same.type == node.type and _fits(same, node, sharing):
            sharing.join(same, node)
            gone[node] = same
            continue
        kept.append(node)
    gone.finish(graph, kept)


def _fits(same: Node, node: Node, sharing: Sharing) -> bool:
    """Whether one value may stand for another that is equal to it."""
    if isinstance(node.type, ScalarType):
        return not is_constant(same)  # a constant may be of a subclass
    if not isinstance(node.type, ArrayType):
        return False
    if not makes(node):
        return bool(node.type.shape)  # a view of a view; what has no dimensions may be a scalar, or none
    return is_elementwise(same) and may_be_one(same, node, sharing)


Rule = Callable[[Node], Node | None]


def _kind(node: Node) -> str:
    """`b`, `i`, `u`, `f` or another: the kind of a number as NumPy names it."""
    kind = node.type
    if isinstance(kind, ScalarType):
        return _PYTHON.get(kind.python, "")
    return kind.dtype.kind if isinstance(kind, ArrayType) else ""


_PYTHON = {bool: "b", int: "i", float: "f"}


def _constant(node: Node) -> Any:
    """The number that a node always is, or None."""
    value = node.attrs["value"] if is_constant(node) else None
    return value if isinstance(value, (bool, int, float, np.bool_, np.integer, np.floating)) else None


def _is(node: Node, number: int) -> bool:
    value = _constant(node)
    return (
        value is not None and bool(value == number) and math.copysign(1, value) == (-1 if number < 0 else 1)
    )


def _right(number: int, kinds: str) -> Rule:
    """`x op number` is x, for these kinds of x."""
    return lambda node: (
        node.inputs[0] if _is(node.inputs[1], number) and _kind(node.inputs[0]) in kinds else None
    )


def _either(number: int, kinds: str) -> Rule:
    """`x op number` and `number op x` are x."""
    right = _right(number, kinds)

    def rule(node: Node) -> Node | None:
        left, other = node.inputs
        return right(node) or (other if _is(left, number) and _kind(other) in kinds else None)

    return rule


def _add(node: Node) -> Node | None:
    for x, other in (node.inputs, node.inputs[::-1]):
        value = _constant(other)
        if value is None or value != 0:
            continue
        negative = math.copysign(1, value) < 0
        if (_kind(x) in "iu" and _kind(other) in "iub") or (_kind(x) == "f" and negative):
            return x
    return None


def _twice(node: Node) -> Node | None:
    """An operation that undoes itself."""
    inner = node.inputs[0]
    if inner.op != node.op or inner.attrs.get("errstate") != node.attrs.get("errstate"):
        return None
    x = inner.inputs[0]
    if node.op == "neg" and _may_warn(x):
        return None
    return x


def _may_warn(x: Node) -> bool:
    return isinstance(x.type, ArrayType) and not x.type.shape and _kind(x) != "f"


def _again(node: Node) -> Node | None:
    """An operation that, done once more, does nothing."""
    inner = node.inputs[0]
    return inner if inner.op == node.op and not _may_warn(inner.inputs[0]) else None


def _convert(node: Node) -> Node | None:
    """A conversion to the dtype that a value has; one that goes through a dtype that holds every value."""
    [x] = node.inputs
    if x.op == "convert" and _holds(x.type, x.inputs[0].type):
        node.inputs = x.inputs
        [x] = node.inputs
    return x


def _holds(wide: Any, narrow: Any) -> bool:
    if not (isinstance(wide, ArrayType) and isinstance(narrow, ArrayType)):
        return False
    a, b = narrow.dtype, wide.dtype
    alike = a.kind in (b.kind, "b") or (a.kind, b.kind) == ("u", "i")
    return alike and a.kind in "biuf" and b.kind in "biuf" and np.can_cast(a, b)


def _transpose(node: Node) -> Node | None:
    inner = node.inputs[0]
    plain = all(len(n.attrs["args"]) == 1 and not n.attrs["kwargs"] for n in (node, inner) if n.op == node.op)
    return inner.inputs[0] if inner.op == node.op and plain else None


def _whole(node: Node) -> Node | None:
    """All of an array, as a view."""
    x, key = node.inputs[0], node.attrs["args"][1]
    everything = key is Ellipsis or (type(key) in (tuple, slice) and key in ((), slice(None)))
    return x if everything and isinstance(x.type, ArrayType) else None


RULES: dict[str, Rule] = {
    "add": _add,
    "sub": _right(0, "iuf"),
    "mul": _either(1, "biuf"),
    "truediv": _right(1, "f"),
    "floordiv": _right(1, "iu"),
    "pow": _right(1, "iu"),  # of a float it may change the sign of a NaN
    "or_": _either(0, "biu"),
    "xor": _either(0, "biu"),
    "and_": _either(-1, "i"),
    "lshift": _right(0, "iu"),
    "rshift": _right(0, "iu"),
    "neg": _twice,
    "invert": _twice,
    "not_": _twice,
    "pos": lambda node: node.inputs[0],
    "same": lambda node: node.inputs[0],
    "abs": _again,
    "convert": _convert,
    "numpy.transpose": _transpose,
    "numpy.ndarray.transpose": _transpose,
    "getitem": _whole,
}
"""For each op, what a node of it is the same as, but for its type; None if nothing."""
