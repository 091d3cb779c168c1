"""The types of bounded arrays, and how branches and loops merge arrays with different numbers of items."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import jax.numpy as jnp
import numpy as np

from ...errors import OptionError
from ..functional.abstract_values import Aval, Maybe, MaybeAval, OptionalAval
from ..functional.captures import Loop
from ..functional.capturing import CapturingBackend
from ..functional.optional_values import Optional
from .bounded_arrays import BoundedArray, padded, resized
from .bounded_lists import NO_ITEMS, BoundedList


@dataclass(frozen=True)
class BoundedAval(Aval):
    """The type of a bounded array: the dtype and shape of its buffer."""

    def __str__(self) -> str:
        bound, *rest = self.shape
        return f"{self.dtype}[{', '.join([f'at most {bound}', *map(str, rest)])}]"


@dataclass(frozen=True)
class NoItemsAval:
    """The type of a list before the type of its items is known."""

    def __str__(self) -> str:
        return "an empty list"


class _Sizes(threading.local):
    maximum: int | None = None
    is_carried = False


class BoundedTypes(CapturingBackend):
    """Types that allow the number of an array's items to change."""

    def __init__(self) -> None:
        super().__init__()
        self._sizes = _Sizes()

    @contextmanager
    def sized(self, maximum: int) -> Iterator[None]:
        """Allow arrays and lists of different lengths in the loops staged in this context."""
        before, self._sizes.maximum = self._sizes.maximum, maximum
        try:
            yield
        finally:
            self._sizes.maximum = before

    def widen(self, before: Any, after: Any) -> Any:
        outer, self._sizes.is_carried = self._sizes.is_carried, True
        try:
            return super().widen(before, after)
        finally:
            self._sizes.is_carried = outer

    def type_of(self, value: Any) -> Any:
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

        `kind` is their type if the numbers are equal. A loop carries no more items than its option allows, or,
        without the option, than it begins with.
        """
        sizes, maximum = (first.shape[0], second.shape[0]), self._sizes.maximum
        is_bounded = isinstance(first, BoundedAval) or isinstance(second, BoundedAval)
        shapes = f"one has the shape {_shape(first)}, the other {_shape(second)}"
        if maximum is None and not is_bounded:
            raise TypeError(shapes)
        size = max(sizes)
        if self._sizes.is_carried and sizes[1] > sizes[0]:
            if maximum is None:
                raise TypeError(f"{shapes}; ag.set_loop_options(maximum_size=n) lets a loop add items")
            if sizes[0] > maximum:
                raise TypeError(f"{shapes}, more than the maximum_size={maximum} of the loop")
            size = maximum
        return BoundedAval(kind.dtype, (size, *kind.shape[1:]), kind.weak)

    # The arrays that hold a value: the buffer and the number of items

    def component_avals(self, aval: Any) -> list[Any]:
        if isinstance(aval, NoItemsAval):
            return []
        if isinstance(aval, BoundedAval):
            return [Aval(aval.dtype, aval.shape, aval.weak), self.aval(0)]
        return super().component_avals(aval)

    def components(self, value: Any, aval: Any) -> list[Any]:
        if isinstance(aval, NoItemsAval):
            return []
        if not isinstance(aval, BoundedAval):
            return super().components(value, aval)
        if value is NO_ITEMS:
            return [jnp.ones(aval.shape, aval.dtype), jnp.zeros((), int)]
        data, length = (
            (value.data, value.length) if isinstance(value, BoundedArray) else (jnp.asarray(value), len(value))
        )
        return [self.cast(resized(data, aval.shape[0]), aval), jnp.asarray(length, int)]

    def compose(self, aval: Any, arrays: list[Any], count: Any) -> Any:
        if isinstance(aval, NoItemsAval):
            return NO_ITEMS
        return BoundedArray(*arrays) if isinstance(aval, BoundedAval) else super().compose(aval, arrays, count)

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
            if max(map(_size, map(_held, sources))) > bound.shape[0] and _size(held):
                length = held.length if isinstance(held, BoundedArray) else jnp.asarray(held.shape[0])
                found = (length > bound.shape[0]) | found
        return found

    def can_outgrow(self, loop: Loop) -> bool:
        return any(
            isinstance(bound := _held_type(aval), BoundedAval) and max(map(_size, map(_held, ends))) > bound.shape[0]
            for aval, *ends in zip(loop.types, loop.init, loop.results, strict=True)
        )

    def fail_if_outgrown(self, loop: Loop, values: Sequence[Any]) -> None:
        """Make the program raise an error if a loop has left more items than its option allows."""
        outgrown = self.outgrown(loop, values)
        if outgrown is not False:
            size = self._sizes.maximum
            self.fail(
                outgrown,
                OptionError(
                    f"an array or list has more items than the maximum_size={size} of its loop",
                    why="JAX reserves memory for so many items before the program runs",
                    remedy="state a larger maximum_size",
                ),
            )

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


def _size(value: Any) -> int:
    """Return the largest number of items of an array, or 0 for another value."""
    if isinstance(value, BoundedArray):
        return value.bound
    return np.shape(value)[0] if hasattr(value, "shape") and np.ndim(value) else 0


def _shape(aval: Aval) -> str:
    shape = str(aval.shape)
    return f"(at most {shape[1:]}" if isinstance(aval, BoundedAval) else shape
