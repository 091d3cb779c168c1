"""ONNX rules for `np.linalg`. Rules for matrix products are in the family `products`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....export.onnx.builder.builder import Value
from ....export.onnx.builder.call import Call
from ..elementwise.onnx_arithmetic import Rule, array


def determinant(c: Call, a: Any) -> Value:
    """Compute a determinant by expansion. Matrices of more than four rows are not supported."""
    x = array(c, a)
    size = c.node.inputs[0].type.shape[-1] if c.node.inputs else None
    if size is None or size > 4:
        raise c.unsupported("matrices of more than four rows or of unknown size")
    return minor_expansion(c, c.b.cast(x, c.dtype), list(range(size)), 0)


def minor_expansion(c: Call, x: Value, columns: list[int], row: int) -> Value:
    """Return the determinants of the submatrices with these columns and the rows from `row` on.

    Expand them along their first row, with alternating signs.
    """
    b = c.b
    if not columns:
        return b.constant(np.ones((), x.dtype))
    total = None
    for n, column in enumerate(columns):
        cell = b.gather(
            b.gather(x, b.constant(row, np.int64), x.ndim - 2), b.constant(column, np.int64), x.ndim - 2
        )
        term = b.mul(cell, minor_expansion(c, x, [k for k in columns if k != column], row + 1))
        total = term if total is None else (b.sub if n % 2 else b.add)(total, term)
    assert total is not None
    return total


FUNCTIONS: dict[Any, Rule] = {np.linalg.det: determinant}
