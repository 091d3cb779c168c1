"""Conditions on numbers, without an operation that holds graphs.

An `If` takes ten times as long as a selection. A condition whose branches only give names to numbers selects
one of each pair; in a body that may run again and again, so does one whose branches add and compare numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

NAMING = frozenset(("Placeholder", "Const", "Identity"))
SAFE = NAMING | {
    "AddV2", "Sub", "Neg", "Cast", "Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual",
    "LogicalAnd", "LogicalOr", "LogicalNot", "SelectV2",
}  # fmt: skip
"""Operations that raise nothing, on any values, and whose gradients are finite where those of results are."""


def is_selectable(graphs: Sequence[Any], results: Sequence[Any], *, compute: bool) -> bool:
    """Whether both graphs are to run where one is asked for; with `compute` also those that compute."""
    kinds = SAFE if compute else NAMING
    return all(result.shape.rank == 0 and result.dtype.is_numpy_compatible for result in results) and all(
        op.type in kinds and all(t.shape.rank == 0 for t in op.outputs)
        for graph in graphs
        for op in graph.get_operations()
    )


_NEGATED = "autograph_negated"
_COMPARISONS = frozenset(("Less", "LessEqual", "Greater", "GreaterEqual"))


def negated(test: Any) -> Any:
    """Not `tf.logical_not` of a comparison: TensorFlow would make the opposite one, also of NaN."""
    if tf.is_symbolic_tensor(test) and test.op.type in _COMPARISONS:
        return tf.not_equal(test, True, name=_NEGATED)
    return tf.logical_not(test, name=_NEGATED)


def _is_negated(op: Any) -> bool:
    own = op.name.rpartition("/")[2].startswith(_NEGATED)
    return own and op.type in ("LogicalNot", "NotEqual") and op.inputs[0].dtype.is_bool


def is_separable(graph: Any, test: Any, results: Sequence[Any], left: Sequence[Any]) -> bool:
    """Whether the test of a loop's body asks for nothing that it computes but for what the body leaves.

    The test before the first round asks the same of what the variables held then. So each tensor must be
    that of one variable, as it is carried, and none from outside; and a plain value that the body leaves may
    have decided the test in the trace.
    """
    outer = {inner.ref() for _, inner in graph.captures}
    own = {t.ref() for t in left}
    if not len(results) == len(left) == len(own):
        return False
    if any(
        t is not r or t.graph is not graph or t.ref() in outer for t, r in zip(left, results, strict=True)
    ):
        return False
    known = own | outer
    waiting = [test]
    while waiting:
        tensor = waiting.pop()
        if tensor.ref() in known or tensor.graph is not graph:
            continue
        if tensor.op.type not in SAFE or tensor.op.type == "Placeholder" or tensor.shape.rank != 0:
            return False
        known.add(tensor.ref())
        waiting.extend(tensor.op.inputs)
    return True


def inlined(graph: Any, results: Sequence[Any], given: Sequence[tuple[Any, Any]] = ()) -> list[Any]:
    """The results of a graph, from the same operations in the graph that is being built.

    Of the pairs `given` the first is a tensor of the graph, the second what stands for it.
    """
    values = {inner.ref(): outer for outer, inner in graph.captures}
    values.update((inner.ref(), outer) for inner, outer in given)

    def own(tensor: Any) -> Any:
        if tensor.graph is not graph:
            return tensor
        if tensor.ref() not in values:
            op = tensor.op
            if _is_negated(op):
                values[tensor.ref()] = negated(own(op.inputs[0]))
                return values[tensor.ref()]
            made = tf.compat.v1.get_default_graph().create_op(
                op.type,
                [own(t) for t in op.inputs],
                [t.dtype for t in op.outputs],
                attrs=dict(op.node_def.attr),
            )
            values.update((old.ref(), new) for old, new in zip(op.outputs, made.outputs, strict=True))
        return values[tensor.ref()]

    return [own(tensor) for tensor in results]
