"""Algebraic simplification by bit-exact identities, such as `x * 1`, `x - 0` and `-(-x)`.

An identity must hold for NaNs, signed zeros, infinities and wrapping integers, and preserve dtype and shape:
`x + 0` is not `x` if `x` is `-0.0`, but `x - 0` is. A new array is replaced only with an array that the graph
itself created. So a caller's array is never returned as a new one, and the memory layout, which decides how
later sums are rounded, does not change.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.alias_analysis import AliasAnalysis, is_elementwise, makes_new_memory
from ..ir.graph import Graph, Node
from ..ir.op_properties import number_kind
from ..ir.types import ArrayType, ScalarType
from .common_subexpressions import can_share
from .constant_folding import Replacements, is_constant


def simplify_algebra(graph: Graph) -> None:
    """Replace each node that an identity proves equal to another, inner graphs included."""
    _simplify(graph, AliasAnalysis(graph))


def _simplify(graph: Graph, aliases: AliasAnalysis) -> None:
    replacements = Replacements()
    nodes: list[Node] = []
    for node in graph.nodes:
        replacements.apply(node)
        for inner in node.graphs():
            _simplify(inner, aliases)
        _drop_broadcasts(node)
        rule = RULES.get(node.op)
        equal = None if rule is None or node.effect else rule(node)
        if equal is not None and equal.type == node.type and _can_replace(equal, node, aliases):
            aliases.union(equal, node)
            replacements[node] = equal
            continue
        nodes.append(node)
    replacements.finish(graph, nodes)


def _can_replace(equal: Node, node: Node, aliases: AliasAnalysis) -> bool:
    """Return whether an equal value can replace a node without an observable difference."""
    if isinstance(node.type, ScalarType):
        return not is_constant(equal)  # a constant may be an instance of a subclass
    if not isinstance(node.type, ArrayType):
        return False
    if not makes_new_memory(node):
        return bool(node.type.shape)  # a view; without dimensions it could be a scalar or an array
    return is_elementwise(equal) and can_share(equal, node, aliases)


def _drop_broadcasts(node: Node) -> None:
    """Replace an operand that is broadcast to the shape of the other one, which the operation does itself.

    A power computes a scalar exponent such as 2 in another way than an array of exponents.
    """
    kind = node.type
    if len(node.inputs) != 2 or not isinstance(kind, ArrayType) or None in kind.shape:
        return
    if not is_elementwise(node) or node.op in ("pow", "numpy.power", "numpy.float_power"):
        return
    for operand, other in (node.inputs, node.inputs[::-1]):
        if (
            operand.op == "numpy.broadcast_to"
            and isinstance(operand.inputs[0].type, ArrayType)
            and isinstance(other.type, ArrayType)
            and other.type.shape == kind.shape
        ):
            source = operand.inputs[0]
            node.inputs = tuple([source if i is operand else i for i in node.inputs])
            return


Rule = Callable[[Node], Node | None]


def _constant_number(node: Node) -> Any:
    value = node.attrs["value"] if is_constant(node) else None
    return value if isinstance(value, (bool, int, float, np.bool_, np.integer, np.floating)) else None


def _is_number(node: Node, number: int) -> bool:
    value = _constant_number(node)
    return (
        value is not None and bool(value == number) and math.copysign(1, value) == (-1 if number < 0 else 1)
    )


def _right_identity(number: int, kinds: str) -> Rule:
    """Return the rule that `x op number` is `x`, for `x` of the given kinds."""
    return lambda node: (
        node.inputs[0]
        if _is_number(node.inputs[1], number) and number_kind(node.inputs[0]) in kinds
        else None
    )


def _identity(number: int, kinds: str) -> Rule:
    """Return the rule that `x op number` and `number op x` are `x`, for `x` of the given kinds."""
    right = _right_identity(number, kinds)

    def rule(node: Node) -> Node | None:
        left, other = node.inputs
        return right(node) or (other if _is_number(left, number) and number_kind(other) in kinds else None)

    return rule


def _add(node: Node) -> Node | None:
    for x, other in (node.inputs, node.inputs[::-1]):
        value = _constant_number(other)
        if value is None or value != 0:
            continue
        negative = math.copysign(1, value) < 0
        if (number_kind(x) in "iu" and number_kind(other) in "iub") or (number_kind(x) == "f" and negative):
            return x
    return None


def _involution(node: Node) -> Node | None:
    """Apply the rule of an operation that is its own inverse."""
    inner = node.inputs[0]
    if inner.op != node.op or inner.attrs.get("errstate") != node.attrs.get("errstate"):
        return None
    x = inner.inputs[0]
    if node.op == "neg" and _may_warn(x):
        return None
    return x


def _may_warn(x: Node) -> bool:
    return isinstance(x.type, ArrayType) and not x.type.shape and number_kind(x) != "f"


def _idempotent(node: Node) -> Node | None:
    """Apply the rule of an operation that changes nothing when applied to its own result."""
    inner = node.inputs[0]
    return inner if inner.op == node.op and not _may_warn(inner.inputs[0]) else None


def _convert(node: Node) -> Node | None:
    """Remove a conversion to the same dtype, and skip an intermediate conversion that loses no value."""
    [x] = node.inputs
    if x.op == "convert" and _can_represent(x.type, x.inputs[0].type):
        node.inputs = x.inputs
        [x] = node.inputs
    return x


def _can_represent(wide: Any, narrow: Any) -> bool:
    if not (isinstance(wide, ArrayType) and isinstance(narrow, ArrayType)):
        return False
    a, b = narrow.dtype, wide.dtype
    is_compatible = a.kind in (b.kind, "b") or (a.kind, b.kind) == ("u", "i")
    return is_compatible and a.kind in "biuf" and b.kind in "biuf" and np.can_cast(a, b)


def _transpose(node: Node) -> Node | None:
    inner = node.inputs[0]
    if inner.op != node.op or any(len(n.attrs["args"]) != 1 or n.attrs["kwargs"] for n in (node, inner)):
        return None
    return inner.inputs[0]


def _full_slice(node: Node) -> Node | None:
    """Apply the rule that `x[...]`, `x[()]` and `x[:]` are `x`."""
    x, key = node.inputs[0], node.attrs["args"][1]
    is_full = key is Ellipsis or (type(key) in (tuple, slice) and key in ((), slice(None)))
    return x if is_full and isinstance(x.type, ArrayType) else None


RULES: dict[str, Rule] = {
    "add": _add,
    "sub": _right_identity(0, "iuf"),
    "mul": _identity(1, "biuf"),
    "truediv": _right_identity(1, "f"),
    "floordiv": _right_identity(1, "iu"),
    "pow": _right_identity(1, "iu"),  # for a float it may change the sign of a NaN
    "or_": _identity(0, "biu"),
    "xor": _identity(0, "biu"),
    "and_": _identity(-1, "i"),
    "lshift": _right_identity(0, "iu"),
    "rshift": _right_identity(0, "iu"),
    "neg": _involution,
    "invert": _involution,
    "not_": _involution,
    "pos": lambda node: node.inputs[0],
    "same": lambda node: node.inputs[0],
    "abs": _idempotent,
    "convert": _convert,
    "numpy.transpose": _transpose,
    "numpy.ndarray.transpose": _transpose,
    "getitem": _full_slice,
}
"""The rule of each op. It returns an equal node, possibly of another type, or None."""
