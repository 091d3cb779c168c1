"""Type rules for functions that join and split arrays, or insert and delete elements.

Functions that NumPy composes of others (`vstack` is `concatenate` of `atleast_2d`) are composed here too. A
staged list is a sequence of unknown length. If split positions are staged, the parts have unknown lengths,
but their number is known.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from ...ir.types import ArrayType, ListType, Shape
from ...rules.indexing import broadcast_message, can_broadcast_to, slice_length
from ...rules.probing import SAME_DTYPE, Rule, formula_rules, named_rules, probe
from ...rules.shapes import (
    Dimension,
    as_array,
    dimension_result,
    element_count,
    is_staged,
    map_known,
    normalize_axis,
    rank_of_shape_vector,
    replace_axis,
    require_plain,
    shape_of,
    total,
    unify,
    unify_shapes,
)
from ..shaping.types import view_type


def concatenate_type(arrays: Any, /, axis: Any = 0, out: Any = None, **options: Any) -> ArrayType:
    parts = [as_array(a) for a in sequence_elements(arrays)]
    result = probe(np.concatenate, parts or [], require_plain(axis, "axis"), **options)
    if axis is None:
        shape: Shape = (total([element_count(p.shape) for p in parts]),)
    else:
        shape = concatenate_shape([p.shape for p in parts], normalize_axis(axis, parts[0].ndim))
    if has_unknown_length(arrays):
        shape = replace_axis(shape, normalize_axis(axis or 0, len(shape)), None)
    return ArrayType(result.dtype, shape)


def has_unknown_length(arrays: Any) -> bool:
    """Return whether the number of arrays in a sequence is known only at run time."""
    if isinstance(arrays, ArrayType):
        return arrays.shape[0] is None
    return isinstance(arrays, ListType)


def sequence_elements(arrays: Any) -> Sequence[Any]:
    """Return the arrays of a sequence, or the single element type of a staged list."""
    if isinstance(arrays, ListType):
        return [] if arrays.element is None else [arrays.element]
    if isinstance(arrays, ArrayType):
        count = arrays.shape[0]
        row = ArrayType(arrays.dtype, arrays.shape[1:])
        # An unknown number of rows is represented by one.
        return [row] * (1 if count is None else count)
    return list(arrays)


def concatenate_shape(shapes: Sequence[Shape], axis: int) -> Shape:
    """Return the shape of a concatenation. All dimensions except `axis` must match."""
    result = list(shapes[0])
    for number, shape in enumerate(shapes[1:], start=1):
        for i, (expected, actual) in enumerate(zip(result, shape, strict=True)):
            if i == axis:
                continue
            result[i], agreed = unify((expected, actual))
            if not agreed:
                raise ValueError(
                    "all the input array dimensions except for the concatenation axis must match "
                    f"exactly, but along dimension {i}, the array at index 0 has size {expected} "
                    f"and the array at index {number} has size {actual}"
                )
    result[axis] = total([shape[axis] for shape in shapes])
    return tuple(result)


def stack_type(arrays: Any, axis: Any = 0, out: Any = None, **options: Any) -> ArrayType:
    parts = [as_array(a) for a in sequence_elements(arrays)]
    if not parts:
        raise ValueError("need at least one array to stack")
    shape = unify_shapes([p.shape for p in parts])
    if shape is None:
        raise ValueError("all input arrays must have the same shape")
    position = normalize_axis(axis, len(shape) + 1)
    count = None if has_unknown_length(arrays) else len(parts)
    dtype = probe(np.stack, parts, axis, **options).dtype
    return ArrayType(dtype, (*shape[:position], count, *shape[position:]))


def stacking_rule(prepare: Callable[..., Any], axis: int | None = None) -> Rule:
    """Return the rule for a concatenation of arrays to which `prepare` is applied first."""

    def rule(tup: Any, **options: Any) -> ArrayType:
        parts = [view_type(as_array(a), prepare) for a in sequence_elements(tup)]
        along = axis if axis is not None else int(bool(parts) and parts[0].ndim > 1)
        result = concatenate_type(parts, along, **options)
        if has_unknown_length(tup):
            return ArrayType(result.dtype, replace_axis(result.shape, along, None))
        return result

    return rule


def block_type(arrays: Any) -> ArrayType:
    """Return the type of nested lists of blocks. The innermost lists join along the last axis."""
    rank = max(block_depth(arrays), block_rank(arrays, lambda block: as_array(block).ndim))

    def assemble(part: Any, depth: int) -> ArrayType:
        if isinstance(part, list):
            return concatenate_type([assemble(p, depth - 1) for p in part], -depth)
        block = as_array(part)
        return ArrayType(block.dtype, (1,) * (rank - block.ndim) + block.shape)

    return assemble(arrays, block_depth(arrays))


def block_depth(part: Any) -> int:
    return 1 + max(map(block_depth, part)) if isinstance(part, list) else 0


def block_rank(part: Any, rank_of: Callable[[Any], int]) -> int:
    return max(block_rank(p, rank_of) for p in part) if isinstance(part, list) else rank_of(part)


def split_along(name: str, axis: int, rank: int) -> Callable[[ArrayType, Any], list[Shape]]:
    """Return the shape formula for a split along `axis`, or along the last axis if there are fewer.

    NumPy rejects arrays whose rank is less than `rank`.
    """

    def formula(ary: ArrayType, indices_or_sections: Any) -> list[Shape]:
        if ary.ndim < rank:
            raise ValueError(f"{name} only works on arrays of {rank} or more dimensions")
        return split_shapes(ary, indices_or_sections, min(axis, ary.ndim - 1))

    return formula


def split_shapes(
    ary: ArrayType, indices_or_sections: Any, axis: Any = 0, *, equal: bool = True
) -> list[Shape]:
    """Return the shapes of the parts of a split, given their number or the positions between them."""
    length = ary.shape[axis]
    axis = normalize_axis(axis, ary.ndim)
    return [replace_axis(ary.shape, axis, n) for n in part_lengths(length, indices_or_sections, equal)]


def part_lengths(length: Dimension, cuts: Any, equal: bool) -> list[Dimension]:
    if isinstance(cuts, ArrayType) and cuts.ndim == 1:
        return [None] * (rank_of_shape_vector(cuts) + 1)
    if isinstance(cuts, (list, tuple, np.ndarray)) and np.ndim(cuts) == 1:
        bounds = [0, *cuts, length]
        return [slice_length_between(length, *pair) for pair in pairwise(bounds)]
    count = operator.index(require_plain(cuts, "the number of sections"))
    if equal and length is not None and length % count:
        raise ValueError("array split does not result in an equal division")
    if count <= 0:
        raise ValueError("number sections must be larger than 0.")
    if length is None:
        return [None] * count
    short, extras = divmod(length, count)
    return [short + (part < extras) for part in range(count)]


def slice_length_between(length: Dimension, start: Any, stop: Any) -> Dimension:
    """Return the length of `range(length)[start:stop]`."""
    if is_staged(start) or is_staged(stop):
        return None
    if length is None:
        # Whatever the length, the slice is empty if both bounds are counted from the start and stop <= start.
        return 0 if stop is not None and 0 <= stop <= start else None
    return map_known(lambda n: len(range(n)[start:stop]), length)


def unstack_type(x: Any, /, *, axis: int = 0) -> tuple[ArrayType, ...]:
    array = as_array(x)
    if array.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    axis = normalize_axis(axis, array.ndim, "source")
    length = array.shape[axis]
    count = operator.index(require_plain(dimension_result(length), "the length of the axis"))
    return (ArrayType(array.dtype, replace_axis(array.shape, axis)),) * count


def insert_type(arr: Any, obj: Any, values: Any, axis: Any = None) -> ArrayType:
    array, axis = array_and_axis(arr, axis)
    length, value_shape = array.shape[axis], shape_of(values)
    added, several = insertion_count(obj, length, axis)
    if not several:
        # Any number of values can be inserted at a single position. If the position is a scalar, they lie
        # along the first axis of the values.
        value_shape = (1,) * (array.ndim - len(value_shape)) + value_shape
        if not shape_of(obj):
            value_shape = (*value_shape[1 : axis + 1], value_shape[0], *value_shape[axis + 1 :])
        added = value_shape[axis]
    target = replace_axis(array.shape, axis, added)
    if not can_broadcast_to(value_shape, target):
        raise ValueError(broadcast_message(value_shape, target, several))
    return ArrayType(array.dtype, replace_axis(array.shape, axis, total((length, added))))


with warnings.catch_warnings(action="ignore"):
    INSERTS_BY_MASK = len(np.insert([0, 0], np.array([False, False]), 1)) == 2
    """Whether `np.insert` takes truth values as a mask; older versions of NumPy take them as positions."""


def insertion_count(obj: Any, length: Dimension, axis: int) -> tuple[Dimension, bool]:
    """Return the number of positions to insert at, and whether there may be several."""
    if isinstance(obj, slice):
        count = slice_length(obj, length)
    elif as_array(obj).dtype == bool and INSERTS_BY_MASK:
        count = None if is_staged(obj) else int(np.count_nonzero(obj))
    else:
        count = element_count(shape_of(obj))
        check_positions(obj, length, axis, inclusive=True)
    return count, count != 1


def delete_type(arr: Any, obj: Any, axis: Any = None) -> ArrayType:
    array, axis = array_and_axis(arr, axis)
    remaining = map_known(operator.sub, array.shape[axis], deletion_count(obj, array.shape[axis], axis))
    return ArrayType(array.dtype, replace_axis(array.shape, axis, remaining))


def deletion_count(obj: Any, length: Dimension, axis: int) -> Dimension:
    """Return the number of elements to delete along the axis."""
    if isinstance(obj, slice):
        return slice_length(obj, length)
    if as_array(obj).dtype == bool:
        return None if is_staged(obj) else int(np.count_nonzero(obj))
    if element_count(shape_of(obj)) == 1:
        check_positions(obj, length, axis, inclusive=False)
        return 1
    if is_staged(obj):
        return None
    check_positions(obj, length, axis, inclusive=False)
    return map_known(lambda n: len({int(i) % n for i in np.asarray(obj).ravel()}), length)


def array_and_axis(array: Any, axis: Any) -> tuple[ArrayType, int]:
    """Return the array's type and the axis to work along. The array is flattened if `axis` is None."""
    array = as_array(array)
    if axis is None:
        return ArrayType(array.dtype, (element_count(array.shape),)), 0
    return array, normalize_axis(axis, array.ndim)


def check_positions(obj: Any, length: Dimension, axis: int, *, inclusive: bool) -> None:
    if is_staged(obj) or length is None:
        return
    for i in np.asarray(obj).ravel():
        if not -length <= i < length + inclusive:
            raise IndexError(f"index {i} is out of bounds for axis {axis} with size {length}")


RULES: dict[Any, Rule] = named_rules(
    concatenate=concatenate_type,
    stack=stack_type,
    vstack=stacking_rule(np.atleast_2d, 0),
    row_stack=stacking_rule(np.atleast_2d, 0),
    hstack=stacking_rule(np.atleast_1d),
    dstack=stacking_rule(np.atleast_3d, 2),
    column_stack=stacking_rule(lambda array: array if array.ndim >= 2 else np.atleast_2d(array).T, 1),
    append=lambda arr, values, axis=None: concatenate_type((as_array(arr), as_array(values)), axis),
    block=block_type,
    unstack=unstack_type,
    insert=insert_type,
    delete=delete_type,
) | {
    **formula_rules(split_shapes, "split", dtype=SAME_DTYPE),
    **formula_rules(partial(split_shapes, equal=False), "array_split", dtype=SAME_DTYPE),
    **formula_rules(split_along("hsplit", 1, 1), "hsplit", dtype=SAME_DTYPE),
    **formula_rules(split_along("vsplit", 0, 2), "vsplit", dtype=SAME_DTYPE),
    **formula_rules(split_along("dsplit", 2, 3), "dsplit", dtype=SAME_DTYPE),
}
