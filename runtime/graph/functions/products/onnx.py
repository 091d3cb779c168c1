"""ONNX rules for products of vectors and matrices. Other products are exported as compositions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....export.onnx.builder.builder import BOOL, Value
from ....export.onnx.builder.call import Call
from ..elementwise.onnx_arithmetic import Rule, arrays, cast_operands


def matmul(c: Call, x1: Any, x2: Any, **_: Any) -> Value:
    b = c.b
    x, y = cast_operands(c, x1, x2)
    ndim = max(x.ndim, y.ndim, 2) - (x.ndim == 1) - (y.ndim == 1)
    used = np.dtype(np.int32) if x.dtype == BOOL else x.dtype
    return b.op("MatMul", b.cast(x, used), b.cast(y, used), ndim=ndim)


def einsum(c: Call, *arguments: Any, **options: Any) -> Value:
    equation, *rest = arguments
    if not isinstance(equation, str) or {k for k in options if k not in ("optimize", "dtype")}:
        raise c.unsupported("subscripts that are not a string, or options")
    b = c.b
    values = [b.cast(v, c.dtype) for v in arrays(c, *rest)]
    if c.dtype.kind != "f":
        raise c.unsupported("integers, which onnxruntime would sum in floats")
    text = equation.replace(" ", "")
    terms = text.partition("->")[0].replace(".", "").split(",")
    if any(len(set(letters)) < len(letters) for letters in terms):  # a repeated letter selects a diagonal
        raise c.unsupported("a letter that occurs twice in one operand")
    if "..." in text and len({v.ndim for v in values}) > 1:
        raise c.unsupported("an ellipsis that stands for different numbers of axes")
    return b.op("Einsum", *values, ndim=c.node.type.ndim, equation=text)


def outer(function: Rule) -> Rule:
    """Return the rule for a ufunc's method `outer`."""

    def rule(c: Call, x: Any, y: Any, **options: Any) -> Value:
        first, second = arrays(c, x, y)
        axes = range(first.ndim, first.ndim + second.ndim)
        return function(c, c.b.unsqueeze(first, *axes), second, **options)

    return rule


FUNCTIONS: dict[Any, Rule] = {
    np.matmul: matmul,
    np.linalg.matmul: matmul,
    np.einsum: einsum,
}
