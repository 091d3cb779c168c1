"""Functions that join arrays.

Those of NumPy's that are defined in terms of others (`vstack` is `concatenate` of `atleast_2d`)
are so here. A staged list stands for a sequence of unknown length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..types import ArrayType, ListType, Shape
from .probing import Rule, named, probe
from .shapes import as_array, one_axis, product, replaced, same, static, total
from .shaping import rearranged


def concatenate_type(arrays: Any, /, axis: Any = 0, out: Any = None, **options: Any) -> ArrayType:
    parts = [as_array(a) for a in elements(arrays)]
    result = probe(np.concatenate, parts or [], static(axis, "axis"), **options)
    if axis is None:
        shape: Shape = (total([product(p.shape) for p in parts]),)
    else:
        shape = joined([p.shape for p in parts], one_axis(axis, parts[0].ndim))
    if unknown_length(arrays):
        shape = replaced(shape, one_axis(axis or 0, len(shape)), None)
    return ArrayType(result.dtype, shape)


def unknown_length(arrays: Any) -> bool:
    """Whether a sequence of arrays has as many as run time tells."""
    if isinstance(arrays, ArrayType):
        return arrays.shape[0] is None
    return isinstance(arrays, ListType)


def elements(arrays: Any) -> Sequence[Any]:
    """The arrays of a sequence; the one type of those of a staged list."""
    if isinstance(arrays, ListType):
        return [] if arrays.element is None else [arrays.element]
    if isinstance(arrays, ArrayType):
        count = arrays.shape[0]
        element = ArrayType(arrays.dtype, arrays.shape[1:])
        # The rows of an array: as many as are known, and at least one stands for the unknown.
        return [element] * (1 if count is None else count)
    return list(arrays)


def joined(shapes: Sequence[Shape], axis: int) -> Shape:
    """The shape of arrays one after the other; their other dimensions must match."""
    result = list(shapes[0])
    for number, shape in enumerate(shapes[1:], start=1):
        for i, (expected, found) in enumerate(zip(result, shape, strict=True)):
            if i == axis:
                continue
            result[i], agreed = same((expected, found))
            if not agreed:
                raise ValueError(
                    "all the input array dimensions except for the concatenation axis must match "
                    f"exactly, but along dimension {i}, the array at index 0 has size {expected} "
                    f"and the array at index {number} has size {found}"
                )
    result[axis] = total([shape[axis] for shape in shapes])
    return tuple(result)


def stack_type(arrays: Any, axis: Any = 0, out: Any = None, **options: Any) -> ArrayType:
    parts = [as_array(a) for a in elements(arrays)]
    if not parts:
        raise ValueError("need at least one array to stack")
    shapes = [p.shape for p in parts]
    columns = list(zip(*shapes, strict=False))
    if len(set(map(len, shapes))) > 1 or not all(same(column)[1] for column in columns):
        raise ValueError("all input arrays must have the same shape")
    shape = [same(column)[0] for column in columns]
    count = None if unknown_length(arrays) else len(parts)
    shape.insert(one_axis(axis, len(shape) + 1), count)
    return ArrayType(probe(np.stack, parts, axis, **options).dtype, tuple(shape))


def prepared(prepare: Callable[..., Any], axis: int | None = None) -> Rule:
    """The rule of a concatenation of arrays that `prepare` first gives enough axes."""

    def rule(tup: Any, **options: Any) -> ArrayType:
        parts = [rearranged(as_array(a), prepare) for a in elements(tup)]
        along = axis if axis is not None else int(bool(parts) and parts[0].ndim > 1)
        result = concatenate_type(parts, along, **options)
        if unknown_length(tup):
            return ArrayType(result.dtype, replaced(result.shape, along, None))
        return result

    return rule


def as_column(array: np.ndarray) -> np.ndarray:
    return array if array.ndim >= 2 else np.atleast_2d(array).T


def append_type(arr: Any, values: Any, axis: Any = None) -> ArrayType:
    return concatenate_type((as_array(arr), as_array(values)), axis)


def block_type(arrays: Any) -> ArrayType:
    """Nested lists of blocks: the innermost lists join along the last axis."""
    rank = max(block_depth(arrays), block_rank(arrays))

    def assemble(part: Any, depth: int) -> ArrayType:
        if isinstance(part, list):
            return concatenate_type([assemble(p, depth - 1) for p in part], -depth)
        block = as_array(part)
        return ArrayType(block.dtype, (1,) * (rank - block.ndim) + block.shape)

    return assemble(arrays, block_depth(arrays))


def block_depth(part: Any) -> int:
    return 1 + max(map(block_depth, part)) if isinstance(part, list) else 0


def block_rank(part: Any) -> int:
    return max(map(block_rank, part)) if isinstance(part, list) else as_array(part).ndim


RULES: dict[Any, Rule] = named(
    concatenate=concatenate_type,
    stack=stack_type,
    vstack=prepared(np.atleast_2d, 0),
    row_stack=prepared(np.atleast_2d, 0),
    hstack=prepared(np.atleast_1d),
    dstack=prepared(np.atleast_3d, 2),
    column_stack=prepared(as_column, 1),
    append=append_type,
    block=block_type,
)
