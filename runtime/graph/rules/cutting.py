"""Functions that split an array, and that insert and delete parts of one.

The places to cut may be staged: then the parts have unknown lengths, but their number is known.
"""

from __future__ import annotations

import operator
from itertools import pairwise
from typing import Any

import numpy as np

from ..types import ArrayType, Shape
from .indexing import fits, misfit, slice_length
from .probing import SAME, Rule, family, named
from .shapes import (
    Dimension,
    as_array,
    is_staged,
    lift,
    one_axis,
    product,
    rank_from,
    replaced,
    shape_of,
    staged_size,
    static,
    total,
)


def sections(ary: ArrayType, indices_or_sections: Any, axis: Any, equal: bool) -> list[Shape]:
    """The shapes of the parts: so many parts, or parts between indices."""
    length = ary.shape[axis]
    axis = one_axis(axis, ary.ndim)
    return [replaced(ary.shape, axis, n) for n in lengths(length, indices_or_sections, equal)]


def lengths(length: Dimension, cuts: Any, equal: bool) -> list[Dimension]:
    if isinstance(cuts, ArrayType) and cuts.ndim == 1:
        return [None] * (rank_from(cuts) + 1)
    if isinstance(cuts, (list, tuple, np.ndarray)) and np.ndim(cuts) == 1:
        bounds = [0, *cuts, length]
        return [between(length, *pair) for pair in pairwise(bounds)]
    count = operator.index(static(cuts, "the number of sections"))
    if equal and length is not None and length % count:
        raise ValueError("array split does not result in an equal division")
    if count <= 0:
        raise ValueError("number sections must be larger than 0.")
    if length is None:
        return [None] * count
    short, extras = divmod(length, count)
    return [short + (part < extras) for part in range(count)]


def between(length: Dimension, start: Any, stop: Any) -> Dimension:
    """The length of `range(length)[start:stop]`."""
    if is_staged(start) or is_staged(stop):
        return None
    if length is None:
        # Bounds counted from the start still say that nothing can be between them.
        return 0 if stop is not None and 0 <= stop <= start else None
    return lift(lambda n: len(range(n)[start:stop]), length)


def split(ary: ArrayType, indices_or_sections: Any, axis: Any = 0) -> list[Shape]:
    return sections(ary, indices_or_sections, axis, equal=True)


def array_split(ary: ArrayType, indices_or_sections: Any, axis: Any = 0) -> list[Shape]:
    return sections(ary, indices_or_sections, axis, equal=False)


def hsplit(ary: ArrayType, indices_or_sections: Any) -> list[Shape]:
    if ary.ndim == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(ary, indices_or_sections, axis=int(ary.ndim > 1))


def vsplit(ary: ArrayType, indices_or_sections: Any) -> list[Shape]:
    if ary.ndim < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, axis=0)


def dsplit(ary: ArrayType, indices_or_sections: Any) -> list[Shape]:
    if ary.ndim < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, axis=2)


def unstack_type(x: Any, /, *, axis: int = 0) -> tuple[ArrayType, ...]:
    array = as_array(x)
    if array.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    axis = one_axis(axis, array.ndim, "source")
    length = array.shape[axis]
    count = operator.index(static(staged_size(length), "the length of the axis"))
    return (ArrayType(array.dtype, replaced(array.shape, axis)),) * count


# --- inserting and deleting -------------------------------------------------------------------


def insert_type(arr: Any, obj: Any, values: Any, axis: Any = None) -> ArrayType:
    array, axis = chosen_axis(arr, axis)
    length, given = array.shape[axis], shape_of(values)
    added, several = insertions(obj, length, axis)
    if not several:
        # One position takes as many values as there are along the axis; one that is given as a
        # number, not as a list, finds them along the first axis of the values.
        given = (1,) * (array.ndim - len(given)) + given
        if not shape_of(obj):
            given = (*given[1 : axis + 1], given[0], *given[axis + 1 :])
        added = given[axis]
    target = replaced(array.shape, axis, added)
    if not fits(given, target):
        raise ValueError(misfit(given, target, several))
    return ArrayType(array.dtype, replaced(array.shape, axis, total((length, added))))


def insertions(obj: Any, length: Dimension, axis: int) -> tuple[Dimension, bool]:
    """How many positions there are, and whether there may be several."""
    if isinstance(obj, slice):
        count = slice_length(obj, length)
    elif as_array(obj).dtype == bool:
        count = None if is_staged(obj) else int(np.count_nonzero(obj))
    else:
        count = product(shape_of(obj))
        check_positions(obj, length, axis, inclusive=True)
    return count, count != 1


def delete_type(arr: Any, obj: Any, axis: Any = None) -> ArrayType:
    array, axis = chosen_axis(arr, axis)
    left = lift(operator.sub, array.shape[axis], deletions(obj, array.shape[axis], axis))
    return ArrayType(array.dtype, replaced(array.shape, axis, left))


def deletions(obj: Any, length: Dimension, axis: int) -> Dimension:
    """How many positions go; one that is named twice goes once."""
    if isinstance(obj, slice):
        return slice_length(obj, length)
    if as_array(obj).dtype == bool:
        return None if is_staged(obj) else int(np.count_nonzero(obj))
    if product(shape_of(obj)) == 1:
        check_positions(obj, length, axis, inclusive=False)
        return 1
    if is_staged(obj):
        return None
    check_positions(obj, length, axis, inclusive=False)
    return lift(lambda n: len({int(i) % n for i in np.asarray(obj).ravel()}), length)


def chosen_axis(array: Any, axis: Any) -> tuple[ArrayType, int]:
    """The array and the axis to work along: all in one line if none is named."""
    array = as_array(array)
    if axis is None:
        return ArrayType(array.dtype, (product(array.shape),)), 0
    return array, one_axis(axis, array.ndim)


def check_positions(obj: Any, length: Dimension, axis: int, *, inclusive: bool) -> None:
    if is_staged(obj) or length is None:
        return
    for i in np.asarray(obj).ravel():
        if not -length <= i < length + inclusive:
            raise IndexError(f"index {i} is out of bounds for axis {axis} with size {length}")


RULES: dict[Any, Rule] = {
    **family(split, "split", dtype=SAME),
    **family(array_split, "array_split", dtype=SAME),
    **family(hsplit, "hsplit", dtype=SAME),
    **family(vsplit, "vsplit", dtype=SAME),
    **family(dsplit, "dsplit", dtype=SAME),
    **named(unstack=unstack_type, insert=insert_type, delete=delete_type),
}
