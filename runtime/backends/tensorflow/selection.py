"""Conditionals on small tensors that become selections, and loop tests that are separable from their bodies.

An `If` takes ten times as long as a selection, so a conditional between existing small tensors becomes a
selection. Inside loops, branches and operators, so does a conditional whose branches add and compare them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from ..functional.abstract_values import is_small

NAMING = frozenset(("Placeholder", "Const", "Identity"))
SAFE = NAMING | {
    "AddV2", "Sub", "Neg", "Cast", "Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual",
    "LogicalAnd", "LogicalOr", "LogicalNot", "SelectV2", "Abs", "All", "Any", "Max", "Min", "Sum",
}  # fmt: skip
"""Operations that never raise and whose derivatives are always finite."""


def is_selectable(graphs: Sequence[Any], branches: Sequence[Sequence[Any]], *, compute: bool) -> bool:
    """Return whether a conditional may run both graphs and select between their results, `branches`.

    Graphs that compute nothing always qualify; graphs of safe operations qualify only if `compute` is true.
    """
    kinds = SAFE if compute else NAMING
    return all(
        _is_small(first) and first.shape == second.shape and first.dtype.is_numpy_compatible
        for first, second in zip(*branches, strict=True)
    ) and all(
        op.type in kinds and all(map(_is_small, op.outputs))
        for graph in graphs
        for op in graph.get_operations()
    )


def _is_small(tensor: Any) -> bool:
    return tensor.shape.rank is not None and is_small(tensor.shape)


_NEGATED = "autograph_negated"
_COMPARISONS = frozenset(("Less", "LessEqual", "Greater", "GreaterEqual"))


def negated(test: Any) -> Any:
    """Negate a test.

    TensorFlow turns `tf.logical_not` of a comparison into the opposite comparison, which is wrong for NaN.
    """
    if tf.is_symbolic_tensor(test) and test.op.type in _COMPARISONS:
        return tf.not_equal(test, True, name=_NEGATED)
    return tf.logical_not(test, name=_NEGATED)


def _is_negated(op: Any) -> bool:
    is_ours = op.name.rpartition("/")[2].startswith(_NEGATED)
    return is_ours and op.type in ("LogicalNot", "NotEqual") and op.inputs[0].dtype.is_bool


def is_separable(graph: Any, test: Any, results: Sequence[Any], carried: Sequence[Any]) -> bool:
    """Return whether a loop's test can be computed from the carried tensors, before the first iteration too.

    Each carried tensor must belong to one variable, be carried without a cast, and come from inside the body.
    Otherwise the traced test may be specialized to a value known at trace time, and wrong for initial values.
    """
    outer = {inner.ref() for _, inner in graph.captures}
    carried_refs = {t.ref() for t in carried}
    if not len(results) == len(carried) == len(carried_refs):
        return False
    if any(
        t is not r or t.graph is not graph or t.ref() in outer for t, r in zip(carried, results, strict=True)
    ):
        return False
    known = carried_refs | outer
    pending = [test]
    while pending:
        tensor = pending.pop()
        if tensor.ref() in known or tensor.graph is not graph:
            continue
        if tensor.op.type not in SAFE or tensor.op.type == "Placeholder" or not _is_small(tensor):
            return False
        known.add(tensor.ref())
        pending.extend(tensor.op.inputs)
    return True


def inline(graph: Any, results: Sequence[Any], substitutes: Sequence[tuple[Any, Any]] = ()) -> list[Any]:
    """Copy the operations of a graph into the current graph, and return its results there.

    `substitutes` are pairs of a tensor in the graph and the tensor that replaces it.
    """
    values = {inner.ref(): outer for outer, inner in graph.captures}
    values.update((inner.ref(), outer) for inner, outer in substitutes)

    def copy_of(tensor: Any) -> Any:
        if tensor.graph is not graph:
            return tensor
        if tensor.ref() not in values:
            op = tensor.op
            if _is_negated(op):
                values[tensor.ref()] = negated(copy_of(op.inputs[0]))
                return values[tensor.ref()]
            copy = tf.compat.v1.get_default_graph().create_op(
                op.type,
                [copy_of(t) for t in op.inputs],
                [t.dtype for t in op.outputs],
                attrs=dict(op.node_def.attr),
            )
            values.update((old.ref(), new) for old, new in zip(op.outputs, copy.outputs, strict=True))
        return values[tensor.ref()]

    return [copy_of(tensor) for tensor in results]
