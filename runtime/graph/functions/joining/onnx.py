"""ONNX rules for functions that join and split arrays."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ....export.onnx.builder.builder import BOOL, INT, Value
from ....export.onnx.builder.call import Call
from ....export.onnx.builder.values import length
from ..elementwise.onnx_arithmetic import Rule, array
from ..shaping.gradients import permutation


def concatenate(c: Call, values: Any, axis: Any = 0, out: Any = None, **options: Any) -> Value:
    b = c.b
    if isinstance(values, Value):  # an array of rows, or a list
        check_any_arrays(c, values)
        parts = [concatenate_rows(c, values)]
        if axis not in (0, -values.ndim + 1):
            raise c.unsupported("a list of unknown length and an axis other than the first")
    else:
        parts = [b.cast(array(c, v), c.dtype) for v in values]
    if axis is None:
        return b.concat([b.flatten(p) for p in parts], 0)
    return b.concat(parts, axis % parts[0].ndim)


def check_any_arrays(c: Call, values: Value) -> None:
    """Make the run fail if there are no arrays to join."""
    if not getattr(c.node.inputs[0].type, "shape", (None,))[0]:
        c.b.check(c.b.equal(length(c.b, values), 0), f"ValueError: {c.node.op} needs at least one array")


def concatenate_rows(c: Call, x: Value) -> Value:
    """Concatenate the rows of an array or the items of a sequence."""
    if x.is_sequence:
        return c.b.node("ConcatFromSequence", [x], x.dtype, x.ndim, axis=0)
    b = c.b
    rest = b.slice(b.shape(x), b.ints(2), b.ints(2**31), b.ints(0))
    return b.reshape(x, b.concat([b.ints(-1), rest], 0), x.ndim - 1)


def stack(c: Call, values: Any, axis: int = 0, out: Any = None, **options: Any) -> Value:
    b = c.b
    if isinstance(values, Value):
        check_any_arrays(c, values)
        if values.is_sequence:
            along = axis % (values.ndim + 1)
            return b.node(
                "ConcatFromSequence", [values], values.dtype, values.ndim + 1, axis=along, new_axis=1
            )
        return b.transpose(values, permutation(np.moveaxis, values.ndim, 0, axis))
    parts = [b.cast(array(c, v), c.dtype) for v in values]
    along = axis % (parts[0].ndim + 1)
    return b.concat([b.unsqueeze(p, along) for p in parts], along)


def split(c: Call, ary: Any, indices_or_sections: Any, axis: int = 0) -> tuple[Value, ...]:
    """Split an array into parts or at positions. With `array_split`, the first parts may be longer by one."""
    b, x = c.b, array(c, ary)
    axis %= x.ndim
    argument = c.plain("number of parts", indices_or_sections)
    if isinstance(argument, (list, tuple, np.ndarray)):
        edges = [b.constant(int(n), INT) for n in argument]
        bounds = [b.constant(0, INT), *edges, b.constant(2**62, INT)]
    else:
        size, parts = b.dim(x, axis), b.constant(int(argument), INT)
        if c.node.attrs["function"] is not np.array_split:
            failed = b.cast(b.op("Mod", size, parts), BOOL)
            b.check(failed, "ValueError: array split does not result in an equal division")
        each, more = b.div(size, parts), b.op("Mod", size, parts)
        bounds = [
            b.add(b.mul(n, each), b.op("Min", b.constant(n, INT), more)) for n in range(int(argument) + 1)
        ]
    return tuple([b.slice(x, b.vector([s]), b.vector([e]), b.ints(axis)) for s, e in pairwise(bounds)])


def unstack(c: Call, x: Any, /, *, axis: int = 0) -> tuple[Value, ...]:
    argument = array(c, x)
    length = c.node.inputs[0].type.shape[axis]
    return tuple([c.b.gather(argument, c.b.constant(n, INT), axis % argument.ndim) for n in range(length)])


FUNCTIONS: dict[Any, Rule] = {
    np.concatenate: concatenate, np.stack: stack, np.split: split, np.array_split: split,
}  # fmt: skip
if hasattr(np, "unstack"):
    FUNCTIONS[np.unstack] = unstack
