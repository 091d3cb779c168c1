"""Find the numbers that a loop's body computes from the loop's counter, in its graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pytensor.graph.basic import Constant
from pytensor.tensor.elemwise import DimShuffle, Elemwise

from ...core.rolling_attempts import refuse_rolling
from ..functional.counter_arithmetic import NumberKind, bound_of_plain, check_cast, result_bound
from .graphs import nodes_since

_OPERATORS = {
    "Add": "add", "Sub": "sub", "Mul": "mul", "IntDiv": "floordiv", "Mod": "mod", "Pow": "pow", "Neg": "neg",
    "Abs": "abs", "ScalarMaximum": "max", "ScalarMinimum": "min", "Switch": "select", "Identity": "same",
    "Sign": "same", "Second": "select",
}  # fmt: skip
"""Python's names of operations on numbers. Others compute floats or truth values, or end the attempt."""
_ROUNDING = ("Ceil", "Floor", "RoundHalfToEven", "RoundHalfAwayFromZero", "Trunc")


def check_graph(results: Sequence[Any], start: int, counter: Any, largest: int) -> None:
    """End the attempt to roll a loop if its body computes numbers from the counter inexactly."""
    known: dict[Any, float | None] = {counter: largest}

    def bound(value: Any) -> float | None:
        if isinstance(value, Constant) and getattr(value, "ndim", 1) == 0:
            return bound_of_plain(value.data.item())
        return known.get(value)

    for node in nodes_since(results, start):
        own = list(map(bound, node.inputs))
        if all(value is None or isinstance(v, Constant) for value, v in zip(own, node.inputs, strict=True)):
            continue
        known.update(zip(node.outputs, _result_bounds(node, own), strict=True))


def _result_bounds(node: Any, own: list[float | None]) -> list[float | None]:
    if isinstance(node.op, DimShuffle):
        return [own[0]]
    if None in own or not node.inputs:
        return [None] * len(node.outputs)
    if not isinstance(node.op, Elemwise):
        refuse_rolling()
    name, kind = type(node.op.scalar_op).__name__, _kind(node.outputs[0])
    if name == "Cast" or name.startswith("Cast"):
        check_cast(own[0], _kind(node.inputs[0]), kind)
        return [float("inf") if kind.is_float else own[0]]
    if name in _ROUNDING:
        refuse_rolling()
    operands = own[1:] if name == "Switch" else own
    result = result_bound(_OPERATORS.get(name, name), operands[:2], kind)
    for operand in operands[2:]:  # a sum or product of several numbers
        result = result_bound(_OPERATORS.get(name, name), [result, operand], kind)
    return [result]


def _kind(value: Any) -> NumberKind:
    dtype = np.dtype(value.dtype)
    return NumberKind(dtype.kind in "fc", dtype.kind == "b", dtype.itemsize)
