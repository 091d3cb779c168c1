"""The types of bounded arrays, and how branches and loops merge arrays with different numbers of items."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..functional.abstract_values import AppendedItems, Aval, Maybe, MaybeAval, OptionalAval
from ..functional.captures import Loop
from ..functional.capturing import CapturingBackend
from ..functional.optional_values import Optional
from .bounded_arrays import BoundedArray, exceeded, resized
from .bounded_lists import NO_ITEMS, BoundedList, not_an_item


@dataclass(frozen=True)
class BoundedAval(Aval):
    """The type of a bounded array: the dtype and shape of its buffer, and whether items may be missing.

    `limit` is the size to which a loop that carries the array has already cut its buffer.
    """

    may_exceed: bool = False
    limit: int | None = None

    def __str__(self) -> str:
        bound, *rest = self.shape
        return f"{self.dtype}[{', '.join([f'at most {bound}', *map(str, rest)])}]"


@dataclass(frozen=True)
class NoItemsAval:
    """The type of a list before the type of its items is known."""

    def __str__(self) -> str:
        return "an empty list"


_ADVICE = "in a loop, ag.set_loop_options(maximum_size=n) allows up to n items"


class _Sizes(threading.local):
    maximum: int | None = None
    depth = 0  # the number of captures around the loop that states the maximum
    is_carried = False


class BoundedTypes(CapturingBackend):
    """Types that allow the number of an array's items to change."""

    length_remedy = _ADVICE
    list_remedy = "state the largest number of items by ag.set_loop_options(maximum_size=n) in the loop"

    def __init__(self) -> None:
        super().__init__()
        self._sizes = _Sizes()

    @contextmanager
    def sized(self, maximum: int) -> Iterator[None]:
        """Allow arrays and lists of different lengths in the loops staged in this context."""
        before = self._sizes.maximum, self._sizes.depth
        self._sizes.maximum, self._sizes.depth = maximum, len(self.captures)
        try:
            yield
        finally:
            self._sizes.maximum, self._sizes.depth = before

    @property
    def maximum_size(self) -> int | None:
        """The largest number of items of arrays that a loop carries, or None outside of its body."""
        is_in_body = any(capture.is_body for capture in self.captures[self._sizes.depth :])
        return self._sizes.maximum if is_in_body else None

    def widen(self, before: Any, after: Any) -> Any:
        outer, self._sizes.is_carried = self._sizes.is_carried, True
        try:
            return super().widen(before, after)
        finally:
            self._sizes.is_carried = outer

    def type_of(self, value: Any) -> Any:
        if isinstance(value, AppendedItems) and any(isinstance(item, BoundedArray) for item in value.items):
            raise not_an_item(BoundedArray)
        return NoItemsAval() if value is NO_ITEMS else super().type_of(value)

    def merge(self, first: Any, second: Any) -> Any:
        if NoItemsAval() not in (first, second) or first == second:
            return super().merge(first, second)
        known = second if first == NoItemsAval() else first
        if not isinstance(known, Aval) or not known.shape:
            raise TypeError("one is a list, the other is not")
        empty = replace(known, shape=(0, *known.shape[1:]))
        return self.merge(*(empty if kind == NoItemsAval() else kind for kind in (first, second)))

    def merge_bounded(self, first: Aval, second: Aval, kind: Aval) -> BoundedAval:
        """Return the type of an array with the number of items of either of two types.

        `kind` is their type if the numbers are equal. A loop carries no more items than its option allows,
        or, without the option, than it begins with.
        """
        sizes, maximum = (first.shape[0], second.shape[0]), self._sizes.maximum
        is_bounded = isinstance(first, BoundedAval) or isinstance(second, BoundedAval)
        shapes = f"one has the shape {_shape(first)}, the other {_shape(second)}"
        if maximum is None and not is_bounded:
            raise TypeError(f"{shapes}; {_ADVICE}")
        size = max(sizes)
        if self._sizes.is_carried and sizes[1] > sizes[0]:
            if maximum is None:
                raise TypeError(f"{shapes}; {_ADVICE}")
            if sizes[0] > maximum:
                raise TypeError(f"{shapes}, more than the maximum_size={maximum} of the loop")
            size = maximum
        may_exceed = False
        if not self._sizes.is_carried:
            may_exceed = any(getattr(a, "may_exceed", False) for a in (first, second))
            limit = max(getattr(a, "limit", None) or a.shape[0] for a in (first, second))
            if limit == self.maximum_size and limit < size:
                size, may_exceed = limit, True
        return BoundedAval(kind.dtype, (size, *kind.shape[1:]), kind.weak, may_exceed)

    # The arrays that hold a value: the buffer and the number of items

    def component_avals(self, aval: Any) -> list[Any]:
        if isinstance(aval, NoItemsAval):
            return []
        if isinstance(aval, BoundedAval):
            return [Aval(aval.dtype, aval.shape, aval.weak), replace(self.aval(0), weak=False)]
        return super().component_avals(aval)

    def components(self, value: Any, aval: Any) -> list[Any]:
        if isinstance(aval, NoItemsAval):
            return []
        if not isinstance(aval, BoundedAval):
            return super().components(value, aval)
        if value is NO_ITEMS:
            return [jnp.ones(aval.shape, aval.dtype), jnp.zeros((), int)]
        bound = aval.shape[0]
        if not isinstance(value, BoundedArray):
            data, length = jnp.asarray(value), len(value)
        else:
            has_cut = value.cut is not None and len(value.cut) == bound
            data, length = value.cut if has_cut else value.data, value.length
        return [self.cast(resized(data, bound), aval), jnp.asarray(length, int)]

    def compose(self, aval: Any, arrays: list[Any], count: Any) -> Any:
        if isinstance(aval, NoItemsAval):
            return NO_ITEMS
        if not isinstance(aval, BoundedAval):
            return super().compose(aval, arrays, count)
        return BoundedArray(*arrays, may_exceed=aval.may_exceed)

    # Arrays that outgrow the bound of a loop

    def outgrown(self, loop: Loop, values: Sequence[Any]) -> Any:
        """Return whether a value has more items than its carried type allows; False if none can have."""
        found: Any = False
        given = zip(loop.types, loop.init, loop.results, values, strict=True)
        for aval, *sources, value in given:
            bound = _held_type(aval)
            if not isinstance(bound, BoundedAval):
                continue
            held = _held(value)
            if _may_exceed(sources, bound):
                length = held.length if isinstance(held, BoundedArray) else jnp.asarray(_size(held))
                found = (length > bound.shape[0]) | found
        return found

    def can_outgrow(self, loop: Loop) -> bool:
        return any(
            isinstance(bound := _held_type(aval), BoundedAval) and _may_exceed(ends, bound)
            for aval, *ends in zip(loop.types, loop.init, loop.results, strict=True)
        )

    def fail_if_outgrown(self, loop: Loop, values: Sequence[Any]) -> None:
        """Make the program raise an error if a loop has left more items than its option allows."""
        outgrown = self.outgrown(loop, values)
        if outgrown is not False:
            self.fail(outgrown, exceeded(self._sizes.maximum or 0))

    # Lists

    def is_handle(self, value: Any) -> bool:
        return isinstance(value, BoundedList) or super().is_handle(value)

    def staged_list(self, values: Sequence[Any]) -> Any:
        if self._sizes.maximum is None:
            return super().staged_list(values)
        return BoundedList.of(self, values)


def _held(value: Any) -> Any:
    while isinstance(value, (Maybe, Optional)):
        value = value.value
    return value


def _held_type(aval: Any) -> Any:
    while isinstance(aval, (MaybeAval, OptionalAval)):
        aval = aval.aval
    return aval


def _may_exceed(values: Sequence[Any], aval: BoundedAval) -> bool:
    """Return whether one of several values may have more items than a type allows."""
    held = list(map(_held, values))
    lacks_items = any(isinstance(v, BoundedArray) and v.may_exceed for v in held)
    return lacks_items or max(map(_size, held)) > aval.shape[0]


def _size(value: Any) -> int:
    """Return the largest number of items of an array, or 0 for another value."""
    if isinstance(value, BoundedArray):
        return value.bound
    return value.shape[0] if isinstance(value, (jax.Array, np.ndarray)) and value.ndim else 0


def _shape(aval: Aval) -> str:
    shape = str(aval.shape)
    return f"(at most {shape[1:]}" if isinstance(aval, BoundedAval) else shape
