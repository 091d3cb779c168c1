"""What an operation may do besides giving its result: raise, warn, take long."""

from __future__ import annotations

from .ir import Node
from .types import ArrayType, ScalarType

_BITS = frozenset(("and_", "or_", "xor", "invert"))
_COMPARISONS = frozenset(("lt", "le", "gt", "ge", "eq", "ne"))
_SUMS = frozenset(("add", "sub", "mul"))
_SIGNS = frozenset(("neg", "abs", "pos"))
_PYTHON = {bool: "b", int: "i", float: "f"}


def is_silent(node: Node) -> bool:
    """Whether a node certainly raises nothing and warns of nothing, whatever its operands hold."""
    if node.op in ("constant", "output", "dimension", "tuple"):
        return True
    kinds = [_kind(i) for i in node.inputs]
    if None in kinds:
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
        # Python's ints have no bounds, its floats no warnings; NumPy's integers wrap silently in arrays.
        return len(set(kinds)) == 1 if numbers else bool(node.type.shape) and set(kinds) <= set("iu")
    if node.op in _SIGNS:
        return numbers or kinds == ["f"] or bool(node.type.shape)
    return False


def _kind(node: Node) -> str | None:
    kind = node.type
    if isinstance(kind, ScalarType):
        return _PYTHON.get(kind.python)
    return kind.dtype.kind if isinstance(kind, ArrayType) and kind.dtype.kind in "biuf" else None


def _broadcasts(node: Node) -> bool:
    """Whether the shapes of the operands are known, so that they are known to fit."""
    return not any(None in i.type.shape for i in node.inputs)


def is_cheap(node: Node) -> bool:
    """Whether a node computes one number."""
    return isinstance(node.type, ScalarType) or (isinstance(node.type, ArrayType) and not node.type.shape)
