"""Parts of PyTensor's graphs: what a branch computes, and the same with other inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytensor.tensor as pt
from pytensor.gradient import DisconnectedGrad, DisconnectedType, disconnected_grad
from pytensor.graph.basic import Apply, Constant
from pytensor.graph.op import Op
from pytensor.graph.rewriting.basic import node_rewriter
from pytensor.scalar.basic import IntDiv, Mod, Pow
from pytensor.tensor.elemwise import Elemwise
from pytensor.tensor.random.type import RandomType
from pytensor.tensor.rewriting.basic import register_canonicalize, register_useless

from .private import age_of


def nodes_since(results: Sequence[Any], start: int) -> list[Apply]:
    """Return the nodes created after `start` that results are computed from, inputs first."""
    found: dict[Apply, None] = {}
    pending = [(result.owner, False) for result in results]
    while pending:
        node, is_done = pending.pop()
        if node is None or node in found or age_of(node.outputs[0]) < start:
            continue
        if is_done:
            found[node] = None
        else:
            pending.append((node, True))
            pending += [(value.owner, False) for value in node.inputs]
    return list(found)


def with_inputs(
    results: Sequence[Any],
    start: int,
    values: Mapping[Any, Any],
    operands: Callable[[Apply, list[Any]], list[Any]] = lambda _, inputs: inputs,
) -> list[Any]:
    """Return results with other values in place of variables that are used after `start`.

    `operands` returns the inputs of a node, given those with the other values.
    """
    known = dict(values)
    for node in nodes_since(results, start):
        inputs = operands(node, [known.get(value, value) for value in node.inputs])
        if any(new is not old for new, old in zip(inputs, node.inputs, strict=True)):
            made = node.clone_with_new_inputs(inputs, strict=False)
            known.update(zip(node.outputs, made.outputs, strict=True))
    return [known.get(result, result) for result in results]


def outer_values(results: Sequence[Any], start: int) -> Iterator[Any]:
    """Yield the variables, other than constants, that nodes created after `start` take from outside."""
    nodes = nodes_since(results, start)
    own = {value for node in nodes for value in node.outputs}
    for value in dict.fromkeys(value for node in nodes for value in node.inputs):
        if value not in own and not isinstance(value, Constant):
            yield value


def guarded(results: Sequence[Any], start: int, test: Any) -> list[Any]:
    """Return the results of a branch which, unless `test` is true, raise no error and have gradients of zero.

    PyTensor multiplies the derivatives of a branch that is not taken by zero, which gives NaN for an infinite
    derivative. So its inputs become conditionals with gradients of zero, whose values are all the same. A
    `switch` computes both branches, and an integer division by zero may raise. So its divisor becomes 1.
    """
    floats = [value for value in outer_values(results, start) if is_differentiable(value)]
    values = {value: pt.switch(test, value, disconnected_grad(value)) for value in floats}

    def operands(node: Apply, inputs: list[Any]) -> list[Any]:
        if not _may_raise(node):
            return inputs
        first, second = inputs
        return [first, pt.switch(test, second, pt.ones_like(second))]

    return with_inputs(results, start, values, operands)


def _may_raise(node: Apply) -> bool:
    """Return whether a node computes a quotient, remainder or power of integers with an unknown operand."""
    return (
        isinstance(node.op, Elemwise)
        and isinstance(node.op.scalar_op, (IntDiv, Mod, Pow))
        and node.outputs[0].dtype.startswith(("int", "uint"))
        and not (isinstance(node.inputs[1], Constant) and np.all(node.inputs[1].data > 0))
    )


def is_differentiable(value: Any) -> bool:
    return getattr(value, "dtype", "").startswith(("float", "complex"))


def is_of_numbers(results: Sequence[Any], start: int) -> bool:
    """Return whether results are computed element by element from numbers, so that a selection is cheap."""
    return all(
        isinstance(node.op, (Elemwise, DisconnectedGrad))
        and all(value.ndim == 0 for value in (*node.inputs, *node.outputs))
        for node in nodes_since(results, start)
    )


def draws(results: Sequence[Any], start: int, arguments: Sequence[Any]) -> bool:
    """Return whether results are computed with random generators that are not among the arguments."""
    return any(
        isinstance(value.type, RandomType) and value not in arguments
        for value in outer_values(results, start)
    )


class LoopValue(Op):
    """Returns its first input; its gradient is that of the second, which is equal.

    The first is the value after a loop that stops by itself. The second comes from a loop over the number of
    iterations that it took, which alone stores what each iteration computed, for gradients.
    """

    __props__ = ()
    view_map = {0: [0]}

    def make_node(self, value: Any, again: Any) -> Apply:
        return Apply(self, [value, again], [value.type()])

    def perform(self, node: Apply, inputs: Sequence[Any], outputs: Sequence[list[Any]]) -> None:
        outputs[0][0] = inputs[0]

    def pullback(self, inputs: Any, outputs: Any, gradients: Sequence[Any]) -> list[Any]:
        return [DisconnectedType()(), gradients[0]]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[False], [True]]

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [shapes[0]]


@register_useless("fast_compile")
@register_canonicalize("fast_compile")
@node_rewriter([LoopValue])
def value_without_gradient(fgraph: Any, node: Apply) -> list[Any]:
    """Drop the second loop, which a function needs only if it computes gradients."""
    return [node.inputs[0]]
