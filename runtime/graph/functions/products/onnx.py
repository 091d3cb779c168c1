"""Products of matrices, and what is made of them by definitions in terms of other functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..builder import BOOL, Value
from ..call import Call
from .elementwise import Rule, array, arrays, operands


def matmul(c: Call, x1: Any, x2: Any, **_: Any) -> Value:
    b = c.b
    x, y = operands(c, x1, x2)
    ndim = max(x.ndim, y.ndim, 2) - (x.ndim == 1) - (y.ndim == 1)
    used = np.dtype(np.int32) if x.dtype == BOOL else x.dtype
    return b.op("MatMul", b.cast(x, used), b.cast(y, used), ndim=ndim)


def einsum(c: Call, *given: Any, **options: Any) -> Value:
    equation, *rest = given
    if not isinstance(equation, str) or {k for k in options if k not in ("optimize", "dtype")}:
        raise c.unsupported("subscripts that are no text, or options")
    b = c.b
    values = [b.cast(v, c.dtype) for v in arrays(c, *rest)]
    if c.dtype.kind != "f":
        raise c.unsupported("integers, which onnxruntime sums with the digits of floats")
    text = equation.replace(" ", "")
    _refuse_repeated(c, text)
    if "..." in text and len({v.ndim for v in values}) > 1:
        raise c.unsupported("an ellipsis that stands for several numbers of axes")
    return b.op("Einsum", *values, ndim=c.node.type.ndim, equation=text)


def _refuse_repeated(c: Call, text: str) -> None:
    """A letter that one operand has twice takes its diagonal."""
    for term in text.partition("->")[0].split(","):
        letters = term.replace(".", "")
        if len(set(letters)) < len(letters):
            raise c.unsupported("a letter that one operand has twice")


def vdot(c: Call, a: Any, b: Any, /) -> Value:
    return matmul(c, *(c.b.flat(array(c, v)) for v in (a, b)))


def determinant(c: Call, a: Any) -> Value:
    """By its minors, of matrices of at most four rows."""
    x = array(c, a)
    size = c.node.inputs[0].type.shape[-1] if c.node.inputs else None
    if size is None or size > 4:
        raise c.unsupported("matrices of more than four rows, or of unknown size")
    return _by_minors(c, c.b.cast(x, c.dtype), list(range(size)), 0)


def _by_minors(c: Call, x: Value, columns: list[int], row: int) -> Value:
    b = c.b
    if not columns:
        return b.constant(np.ones((), x.dtype))
    total = None
    for n, column in enumerate(columns):
        cell = b.gather(
            b.gather(x, b.constant(row, np.int64), x.ndim - 2), b.constant(column, np.int64), x.ndim - 2
        )
        term = b.times(cell, _by_minors(c, x, [k for k in columns if k != column], row + 1))
        total = term if total is None else (b.minus if n % 2 else b.plus)(total, term)
    assert total is not None
    return total


def outer(function: Rule) -> Rule:
    """The method `outer` of a ufunc."""

    def rule(c: Call, x: Any, y: Any, **options: Any) -> Value:
        first, second = arrays(c, x, y)
        axes = range(first.ndim, first.ndim + second.ndim)
        return function(c, c.b.unsqueeze(first, *axes), second, **options)

    return rule


FUNCTIONS: dict[Any, Rule] = {
    np.matmul: matmul,
    np.linalg.matmul: matmul,
    np.vdot: vdot,
    np.einsum: einsum,
    np.linalg.det: determinant,
}
