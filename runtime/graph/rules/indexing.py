"""Type rules for subscripts: the type of `array[key]`, and whether `array[key] = value` can succeed.

A key is *basic* if it consists of integers, slices, `None` and `...`. An array of integers or booleans makes
it *advanced*, and then its integers count as arrays too. The arrays broadcast together. Their dimensions
replace the indexed axes if those are adjacent, and come first otherwise. A mask of rank n stands for n arrays
of integers whose length is known only at run time.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from ..ir.types import ArrayType, ListType, ScalarType, Shape
from .probing import suppress_warnings
from .shapes import (
    Dimension,
    as_array,
    broadcast,
    element_count,
    format_shape,
    is_staged,
    map_known,
    shape_of,
)

INVALID = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean "
    "arrays are valid indices"
)
INDEX_MISMATCH = "shape mismatch: indexing arrays could not be broadcast together with shapes "


@dataclass(frozen=True)
class KeyPart:
    """One part of a key: the axes that it consumes from `first` on, and the dimensions that it produces."""

    value: Any
    axes: Shape
    first: int
    dims: Shape = ()
    kind: str = "basic"  # or "integer", or "advanced"


@dataclass(frozen=True)
class Selection:
    """The elements of an array that a key selects."""

    shape: Shape
    index_shape: Shape  # the broadcast shape of the key's arrays
    parts: list[KeyPart]

    @classmethod
    def of(cls, shape: Shape, key: Any) -> Selection:
        """Return the selection that `key` makes in an array of this shape."""
        parts = parse_key(shape, key if isinstance(key, tuple) else (key,))
        indices = [i for i, part in enumerate(parts) if part.kind != "basic"]
        arrays = [
            part.dims for part in parts if part.kind == "advanced" for _ in range(max(1, len(part.axes)))
        ]
        check_bounds(parts, "integer")
        try:
            index_shape = broadcast(*arrays)
        except ValueError:
            raise IndexError(INDEX_MISMATCH + "".join(f"{format_shape(s)} " for s in arrays)) from None
        are_adjacent = indices[-1:] == [i + len(indices) - 1 for i in indices[:1]]
        first = indices[0] if are_adjacent and indices else 0
        basic = [part.dims if part.kind == "basic" else () for part in parts]
        return cls((*chain(*basic[:first]), *index_shape, *chain(*basic[first:])), index_shape, parts)

    def check_elements(self) -> None:
        """Check the bounds of index arrays. NumPy checks them only if the selection is not empty."""
        if element_count(self.index_shape) not in (0, None):
            check_bounds(self.parts, "advanced")

    @property
    def is_advanced(self) -> bool:
        return any(part.kind == "advanced" for part in self.parts)

    @property
    def is_element(self) -> bool:
        """Return whether the key selects one element, rather than the 0-d view that `...` selects."""
        return all(part.kind == "integer" for part in self.parts)

    @property
    def is_mask(self) -> bool:
        """Return whether the key is a single mask."""
        return len(self.parts) == 1 and self.is_advanced and as_index(self.parts[0].value).dtype == bool

    @property
    def is_empty_mask(self) -> bool:
        """Return whether the key is an empty mask over nonempty axes. NumPy then assigns nothing."""
        if not self.is_mask:
            return False
        mask = as_index(self.parts[0].value).shape
        return 0 in mask and any(a != m for a, m in zip(self.parts[0].axes, mask, strict=True))


def getitem_type(array: ArrayType, key: Any) -> ArrayType:
    """Return the type of `array[key]`."""
    selection = Selection.of(array.shape, key)
    selection.check_elements()
    return ArrayType(array.dtype, selection.shape)


def check_setitem(array: ArrayType, key: Any, value: Any) -> None:
    """Raise NumPy's error if `value` can never be broadcast to `array[key]`."""
    selection, value_shape = Selection.of(array.shape, key), shape_of(value)
    target = selection.shape
    if selection.is_empty_mask or (selection.is_mask and None in shape_of(selection.parts[0].value)):
        return
    if selection.is_mask:
        check_mask_assignment(target, value_shape)
    elif selection.is_element:
        sizes = [d for d in value_shape if d is not None]
        if len(sizes) == len(value_shape) > 0:
            # Only some versions of NumPy accept an array of one element where an element is assigned.
            with suppress_warnings():
                np.zeros(1, array.dtype)[0] = np.ones([min(d, 2) for d in sizes], as_array(value).dtype)
    elif not can_broadcast_to(value_shape, target):
        if selection.is_advanced and 0 in value_shape and not {0, None}.isdisjoint(target):
            return  # NumPy assigns any empty value to an empty selection
        if not selection.is_advanced:
            value_shape = without_leading_ones(value_shape, len(target))
        raise ValueError(broadcast_message(value_shape, target, selection.is_advanced))
    selection.check_elements()


def broadcast_message(value_shape: Shape, target: Shape, is_advanced: bool) -> str:
    """Return NumPy's message for a value that cannot be broadcast to the target of an assignment."""
    if is_advanced:
        return (
            f"shape mismatch: value array of shape {format_shape(value_shape)} could not be broadcast to "
            f"indexing result of shape {format_shape(target)}"
        )
    shapes = f"from shape {format_shape(value_shape)} into shape {format_shape(target)}"
    return f"could not broadcast input array {shapes}"


def can_broadcast_to(value_shape: Shape, target: Shape) -> bool:
    """Return whether a value can be assigned to `target`. Extra leading dimensions of 1 are ignored."""
    value_shape = without_leading_ones(value_shape, len(target))
    pairs = zip((1,) * (len(target) - len(value_shape)) + value_shape, target, strict=False)
    return len(value_shape) <= len(target) and all(v in (1, None, t) or t is None for v, t in pairs)


def without_leading_ones(shape: Shape, rank: int) -> Shape:
    while len(shape) > rank and shape[0] in (1, None):
        shape = shape[1:]
    return shape


def check_mask_assignment(target: Shape, value_shape: Shape) -> None:
    if len(value_shape) > 1:
        raise TypeError(
            "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, input "
            f"has {len(value_shape)} dimensions"
        )
    if not can_broadcast_to(value_shape, target):
        raise ValueError(
            f"NumPy boolean array indexing assignment cannot assign {value_shape[0]} input values to "
            f"the {target[0]} output values where the mask is true"
        )


def parse_key(shape: Shape, key: tuple[Any, ...]) -> list[KeyPart]:
    """Split a key into parts that together consume all axes of `shape`, from left to right."""
    widths: list[int] = []
    ellipses = 0
    for part in key:
        ellipses += part is Ellipsis
        if ellipses > 1:
            raise IndexError("an index can only have a single ellipsis ('...')")
        widths.append(axes_consumed(part))
    if (used := sum(widths)) > len(shape):
        raise IndexError(
            f"too many indices for array: array is {len(shape)}-dimensional, but {used} were indexed"
        )
    if not ellipses and used < len(shape):
        key, widths = (*key, Ellipsis), [*widths, 0]
    parts, axis = [], 0
    for value, width in zip(key, widths, strict=True):
        consumed = len(shape) - used if value is Ellipsis else width
        parts.append(key_part(value, shape[axis : axis + consumed], axis))
        axis += consumed
    return parts


def axes_consumed(part: Any) -> int:
    """Return the number of axes that one part of a key consumes, 0 for `...`."""
    if part is None or part is Ellipsis:
        return 0
    if isinstance(part, slice) or is_integer(part):
        return 1
    index = as_index(part)
    return index.ndim if index.dtype == bool else 1


def key_part(part: Any, axes: Shape, first: int) -> KeyPart:
    if part is Ellipsis:
        return KeyPart(part, axes, first, axes)
    if part is None:
        return KeyPart(part, axes, first, (1,))
    if isinstance(part, slice):
        return KeyPart(part, axes, first, (slice_length(part, axes[0]),))
    if is_integer(part):
        return KeyPart(part, axes, first, (), "integer")
    index = as_index(part)
    if index.dtype != bool:
        return KeyPart(part, axes, first, index.shape, "advanced")
    for axis, size, mask_size in zip(range(first, first + len(axes)), axes, index.shape, strict=True):
        if None not in (size, mask_size) and mask_size not in (0, size):  # NumPy accepts any empty mask
            raise IndexError(
                f"boolean index did not match indexed array along axis {axis}; size of "
                f"axis is {size} but size of corresponding boolean axis is {mask_size}"
            )
    count = None if is_staged(part) else int(np.count_nonzero(part))
    return KeyPart(part, axes, first, (count,), "advanced")


def is_integer(part: Any) -> bool:
    if isinstance(part, ScalarType):
        return part.python is int
    if isinstance(part, (ArrayType, np.ndarray)):
        return part.shape == () and part.dtype.kind in "iu"
    return not isinstance(part, (bool, np.bool_)) and hasattr(part, "__index__")


def as_index(part: Any) -> ArrayType:
    """Return the type of the integer or boolean array that a part of a key stands for."""
    if isinstance(part, (str, float, complex)) or part is NotImplemented:
        raise IndexError(INVALID)
    if isinstance(part, ScalarType) and part.python is not bool:
        raise IndexError(INVALID)
    index = as_array(part)
    if isinstance(part, (list, tuple, ListType)) and 0 in index.shape:
        return ArrayType(np.dtype(np.intp), index.shape)
    if index.dtype.kind in "iub":
        return index
    if index.shape == () and not isinstance(part, np.ndarray):
        raise IndexError(INVALID)
    raise IndexError("arrays used as indices must be of integer (or boolean) type")


def slice_length(part: slice, size: Dimension) -> Dimension:
    bounds = (part.start, part.stop, part.step)
    if any(map(is_staged, bounds)):
        for bound in bounds:
            if is_staged(bound) and not is_integer(bound):
                raise TypeError("slice indices must be integers or None or have an __index__ method")
        return None
    if part.start in (0, None) and part.stop is None and part.step in (1, -1, None):
        # A reversed axis keeps its length only when `start` is left out.
        return size if part.start is None or part.step != -1 else map_known(lambda n: min(n, 1), size)
    return map_known(lambda n: len(range(*part.indices(n))), size)


def check_bounds(parts: list[KeyPart], kind: str) -> None:
    """Raise NumPy's error if a plain index in a part of this kind is out of bounds."""
    for part in parts:
        if part.kind != kind or is_staged(part.value):
            continue
        values = np.asarray(part.value)
        size = part.axes[0] if values.dtype != bool else None
        if size is None:
            continue
        for outside in values[(values < -size) | (values >= size)][:1]:
            raise IndexError(f"index {outside} is out of bounds for axis {part.first} with size {size}")
