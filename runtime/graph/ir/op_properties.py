"""Predicates on nodes and keys: what an optimization may move, what may be a view."""

from __future__ import annotations

from typing import Any

from .graph import Node
from .types import ArrayType, ScalarType

_BITS = frozenset(("and_", "or_", "xor", "invert"))
_COMPARISONS = frozenset(("lt", "le", "gt", "ge", "eq", "ne"))
_SUMS = frozenset(("add", "sub", "mul"))
_SIGNS = frozenset(("neg", "abs", "pos"))
_VIEWS = frozenset(("numpy.swapaxes", "numpy.transpose", "numpy.expand_dims", "numpy.broadcast_to"))
_PYTHON = {bool: "b", int: "i", float: "f"}


def is_speculatable(node: Node) -> bool:
    """Return whether a node can run speculatively: it never raises or warns, whatever its operands are."""
    if node.op in ("constant", "output", "dimension", "tuple"):
        return True
    if node.op in _VIEWS and len(node.inputs) == 1:  # with a static shape, which type inference has checked
        return isinstance(node.inputs[0].type, ArrayType) and _broadcasts(node)
    kinds = [number_kind(i) for i in node.inputs]
    if "other" in kinds:
        return False
    numbers = all(isinstance(i.type, ScalarType) for i in node.inputs)
    arrays = all(isinstance(i.type, ArrayType) for i in node.inputs)
    if node.op == "not_":
        return numbers
    if not (numbers or (arrays and _broadcasts(node))):
        return False
    if node.op in _BITS or node.op in _COMPARISONS:
        return "f" not in kinds or node.op in _COMPARISONS
    if node.op in _SUMS:
        # Python's ints do not overflow and its floats do not warn; NumPy's integer arrays wrap silently.
        return len(set(kinds)) == 1 if numbers else bool(node.type.shape) and set(kinds) <= set("iu")
    if node.op in _SIGNS:
        return numbers or kinds == ["f"] or bool(node.type.shape)
    return False


def number_kind(node: Node) -> str:
    """Return NumPy's kind code for a number or numeric array (`b`, `i`, `u` or `f`), or "other"."""
    kind = node.type
    if isinstance(kind, ScalarType):
        return _PYTHON.get(kind.python, "other")
    return kind.dtype.kind if isinstance(kind, ArrayType) and kind.dtype.kind in "biuf" else "other"


def _broadcasts(node: Node) -> bool:
    """Return whether the operands' shapes are static, so that type inference has checked broadcasting."""
    return not any(None in i.type.shape for i in node.inputs)


def is_single_number(node: Node) -> bool:
    return isinstance(node.type, ScalarType) or (isinstance(node.type, ArrayType) and not node.type.shape)


def has_ellipsis(key: Any) -> bool:
    """Return whether a key contains an ellipsis, so that even a single element is a view."""
    return any(part is Ellipsis for part in (key if isinstance(key, tuple) else (key,)))
