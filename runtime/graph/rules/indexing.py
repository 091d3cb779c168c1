"""Subscripts: the type of `array[key]`, and whether `array[key] = value` fits.

A key is *basic* when it holds integers, slices, `None` and `...`; an array of integers or truth
values in it makes it *advanced*, and then its integers count as arrays too. The advanced items
broadcast together; their dimensions stand where those items stood if they were neighbours, and
first otherwise. A mask of rank n stands for n arrays of integers, of a length known at run time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..types import ArrayType, ListType, ScalarType, Shape
from .probing import quiet
from .shapes import (
    Dimension,
    as_array,
    broadcast,
    is_staged,
    lift,
    product,
    shape_of,
    shown,
)

INVALID = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean "
    "arrays are valid indices"
)
INDEX_MISMATCH = "shape mismatch: indexing arrays could not be broadcast together with shapes "


@dataclass(frozen=True)
class Item:
    """One part of a key: the axes that it consumes, from `first`, and the dimensions it gives."""

    part: Any
    axes: Shape
    first: int
    gives: Shape = ()
    kind: str = "basic"  # or "integer", or "advanced"


@dataclass(frozen=True)
class Place:
    """What a key addresses in an array."""

    shape: Shape
    common: Shape  # that of its arrays together
    items: list[Item]

    def check_elements(self) -> None:
        """Check the arrays of integers, as NumPy does when it comes to use them."""
        if product(self.common) not in (0, None):
            check_bounds(self.items, "advanced")

    @property
    def advanced(self) -> bool:
        return any(item.kind == "advanced" for item in self.items)

    @property
    def element(self) -> bool:
        """One element, as opposed to a view of no dimensions, which an explicit `...` makes."""
        return all(item.kind == "integer" for item in self.items)

    @property
    def masked(self) -> bool:
        """One mask of the array's own rank."""
        return len(self.items) == 1 and self.advanced and as_index(self.items[0].part).dtype == bool

    @property
    def nowhere(self) -> bool:
        """An empty mask beside axes that are not, which NumPy takes for no place at all."""
        if not self.masked:
            return False
        mask = as_index(self.items[0].part).shape
        return 0 in mask and any(a != m for a, m in zip(self.items[0].axes, mask, strict=True))


def getitem_type(array: ArrayType, key: Any) -> ArrayType:
    """The type of `array[key]`."""
    place = addressed(array.shape, key)
    place.check_elements()
    return ArrayType(array.dtype, place.shape)


def setitem_check(array: ArrayType, key: Any, value: Any) -> None:
    """Raise NumPy's error if `value` can never be broadcast to `array[key]`."""
    place, given = addressed(array.shape, key), shape_of(value)
    target = place.shape
    if place.nowhere:
        return
    if place.masked:
        check_masked(target, given)
    elif place.element:
        sizes = [d for d in given if d is not None]
        if len(sizes) == len(given) > 0:
            # Whether an array of one element is an element depends on NumPy's version.
            with quiet():
                np.zeros(1, array.dtype)[0] = np.ones([min(d, 2) for d in sizes], as_array(value).dtype)
    elif not fits(given, target):
        if place.advanced and 0 in given and not {0, None}.isdisjoint(target):
            return  # NumPy takes any nothing where nothing is chosen
        if not place.advanced:
            given = without_leading_ones(given, len(target))
        raise ValueError(misfit(given, target, place.advanced))
    place.check_elements()


def misfit(given: Shape, target: Shape, advanced: bool) -> str:
    """NumPy's words for a value that cannot be stretched to its place."""
    if advanced:
        return (
            f"shape mismatch: value array of shape {shown(given)} could not be broadcast to "
            f"indexing result of shape {shown(target)}"
        )
    return f"could not broadcast input array from shape {shown(given)} into shape {shown(target)}"


def fits(given: Shape, target: Shape) -> bool:
    """Whether a value may be stretched to `target`; an assignment drops leading ones."""
    given = without_leading_ones(given, len(target))
    pairs = zip((1,) * (len(target) - len(given)) + given, target, strict=False)
    return len(given) <= len(target) and all(v in (1, None, t) or t is None for v, t in pairs)


def without_leading_ones(shape: Shape, rank: int) -> Shape:
    while len(shape) > rank and shape[0] in (1, None):
        shape = shape[1:]
    return shape


def check_masked(target: Shape, given: Shape) -> None:
    if len(given) > 1:
        raise TypeError(
            "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, input "
            f"has {len(given)} dimensions"
        )
    if not fits(given, target):
        raise ValueError(
            f"NumPy boolean array indexing assignment cannot assign {given[0]} input values to "
            f"the {target[0]} output values where the mask is true"
        )


def addressed(shape: Shape, key: Any) -> Place:
    items = read(shape, key if isinstance(key, tuple) else (key,))
    chosen = [i for i, item in enumerate(items) if item.kind != "basic"]
    arrays = [item.gives for item in items if item.kind == "advanced" for _ in range(max(1, len(item.axes)))]
    check_bounds(items, "integer")
    try:
        common = broadcast(*arrays)
    except ValueError:
        shapes = "".join(f"{shown(gives)} " for gives in arrays)
        raise IndexError(INDEX_MISMATCH + shapes) from None
    neighbours = chosen[-1:] == [i + len(chosen) - 1 for i in chosen[:1]]
    before = chosen[0] if neighbours and chosen else 0
    basic = [item.gives if item.kind == "basic" else () for item in items]
    head = [d for gives in basic[:before] for d in gives]
    tail = [d for gives in basic[before:] for d in gives]
    return Place((*head, *common, *tail), common, items)


def read(shape: Shape, key: tuple[Any, ...]) -> list[Item]:
    """The items of a key, which consume all axes of `shape` from left to right."""
    widths: list[int] = []
    ellipses = 0
    for part in key:
        ellipses += part is Ellipsis
        if ellipses > 1:
            raise IndexError("an index can only have a single ellipsis ('...')")
        widths.append(width(part))
    if (used := sum(widths)) > len(shape):
        raise IndexError(
            f"too many indices for array: array is {len(shape)}-dimensional, but {used} were indexed"
        )
    if not ellipses and used < len(shape):
        key, widths = (*key, Ellipsis), [*widths, 0]
    items, axis = [], 0
    for part, consumes in zip(key, widths, strict=True):
        rest = len(shape) - used if part is Ellipsis else consumes
        items.append(item(part, shape[axis : axis + rest], axis))
        axis += rest
    return items


def width(part: Any) -> int:
    """How many axes one part of a key consumes; `...` is settled by the others."""
    if part is None or part is Ellipsis:
        return 0
    if isinstance(part, slice) or is_integer(part):
        return 1
    index = as_index(part)
    return index.ndim if index.dtype == bool else 1


def item(part: Any, axes: Shape, first: int) -> Item:
    if part is Ellipsis:
        return Item(part, axes, first, axes)
    if part is None:
        return Item(part, axes, first, (1,))
    if isinstance(part, slice):
        return Item(part, axes, first, (slice_length(part, axes[0]),))
    if is_integer(part):
        return Item(part, axes, first, (), "integer")
    index = as_index(part)
    if index.dtype != bool:
        return Item(part, axes, first, index.shape, "advanced")
    for offset, (size, masked) in enumerate(zip(axes, index.shape, strict=True)):
        if None not in (size, masked) and masked not in (0, size):  # NumPy takes an empty mask anywhere
            raise IndexError(
                f"boolean index did not match indexed array along axis {first + offset}; size of "
                f"axis is {size} but size of corresponding boolean axis is {masked}"
            )
    count = None if is_staged(part) else int(np.count_nonzero(part))
    return Item(part, axes, first, (count,), "advanced")


def is_integer(part: Any) -> bool:
    if isinstance(part, ScalarType):
        return part.python is int
    if isinstance(part, ArrayType):
        return part.shape == () and part.dtype.kind in "iu"
    if isinstance(part, np.ndarray):
        return part.shape == () and part.dtype.kind in "iu"
    return not isinstance(part, (bool, np.bool_)) and hasattr(part, "__index__")


def as_index(part: Any) -> ArrayType:
    """The array of integers or truth values that a part of a key is."""
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
        return size if part.start is None or part.step != -1 else lift(lambda n: min(n, 1), size)
    return lift(lambda n: len(range(*part.indices(n))), size)


def check_bounds(items: list[Item], kind: str) -> None:
    """Check the integers of a kind of items, as far as they are not staged."""
    for item in items:
        if item.kind != kind or is_staged(item.part):
            continue
        values = np.asarray(item.part)
        size = item.axes[0] if values.dtype != bool else None
        if size is None:
            continue
        for outside in values[(values < -size) | (values >= size)][:1]:
            raise IndexError(f"index {outside} is out of bounds for axis {item.first} with size {size}")
