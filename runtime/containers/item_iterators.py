"""`iter` of sequences and of what has a staged length, `itertools.count` and `cycle`, and `next` of these.

The position is an attribute that branches and loops change, so it may be staged. A loop takes the rest of the
items.
"""

from __future__ import annotations

import inspect
import itertools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import staging
from ..backends import staged_by
from ..backends.builtins import DISPATCHING
from ..debugging.tracebacks import user_frame
from ..errors import ValueNeededError
from ..staging.branches.exceptions import raise_in_program
from ..staging.generators import FINDERS, Consumer, Loop, Source, drives
from ..values.locations import HeapObject
from .iterators import goes_on, is_sized
from .ordering import raise_if
from .statements import repeat_while

_len, _list = DISPATCHING[id(len)], DISPATCHING[id(list)]


class ItemIterator(HeapObject):
    """The result of `iter(values)`."""

    __slots__ = ("position", "values", "version")

    def __init__(self, values: Any, position: Any = 0):
        self.values, self.position, self.version = values, position, getattr(values, "version", 0)

    def __iter__(self) -> ItemIterator:
        return self

    def __next__(self) -> Any:
        if staged_by(self.has_ended()) is not None:
            raise ValueNeededError(
                "Python cannot take the items of an iterator whose end is staged",
                why="their number is known only when the graph runs",
                remedy="use next(), a 'for' loop, a comprehension or list() in converted code",
            )
        return self.ag__take()

    def ag__take(self, *default: Any) -> Any:
        """`next(self, *default)`"""
        self._check()
        has_ended, place = self.has_ended(), self.position
        backend: Any = staged_by(has_ended)
        if backend is None and has_ended:
            return default[0] if default else raise_in_program(StopIteration())
        if backend is not None and not default:
            raise_if(backend, has_ended, StopIteration())
        self.position = place + 1
        if backend is None or not default:
            return self._item(place)
        reached = self.values, *default
        return staging.if_exp(backend, has_ended, lambda: default[0], lambda: self._item(place), "", reached)

    def ag__rest(self, *, takes_all: bool = True) -> Any:
        """Return all items if none has been taken, and leave none; else the iterator, which has the others.

        What may not take all of them gets the iterator, too, if later code can continue with it.
        """
        has_begun = staged_by(self.position) is not None or self.position
        if has_begun or (not takes_all and staging.may_be_continued(self)):
            return self
        self.position = _len(self.values)
        return self.values

    def __radd__(self, items: Any) -> Any:
        """`items += self` for a list"""
        rest = self.ag__rest() if type(items) is list else self
        return NotImplemented if rest is self else items + rest

    def has_ended(self) -> Any:
        return _len(self.values) <= self.position

    def _item(self, place: Any) -> Any:
        if type(self.values) is range:
            return self.values.start + place * self.values.step
        values = _list(self.values) if hasattr(type(self.values), "as_list") else self.values
        return values[place] if staged_by(place) is None else staging.get_item(values, place)

    def _check(self) -> None:
        if in_generator() and staged_by(self.has_ended()) is not None:
            raise ValueNeededError(
                "next() of an iterator whose end is staged is called in a generator",
                why="it would end the generator with an error, which is known only when the graph runs",
                remedy="use an index: i += 1; x = items[i]",
            )
        is_keyed = hasattr(type(self.values), "as_list")
        if is_keyed and self.values.version != self.version and self.position != 0:
            raise ValueNeededError(
                "next() of an iterator over a staged value is called after a change of the value",
                why="the trace does not know the items that the iterator has left behind",
                remedy="make another iterator, or use an index",
            )


def in_generator() -> bool:
    """Return whether a generator runs, where a StopIteration would become a RuntimeError."""
    frame = user_frame(sys._getframe(1))
    return frame is not None and (bool(frame.f_code.co_flags & inspect.CO_GENERATOR) or drives(frame))


class Count(HeapObject):
    """The result of `itertools.count(number, step)` for ints."""

    __slots__ = ("number", "step")

    def __init__(self, number: Any, step: int):
        self.number, self.step = number, step

    def __iter__(self) -> Count:
        return self

    def __next__(self) -> Any:
        number, self.number = self.number, self.number + self.step
        return number

    def __repr__(self) -> str:
        return f"count({self.number})" if self.step == 1 else f"count({self.number}, {self.step})"


class Cycle(HeapObject):
    """The result of `itertools.cycle(values)`."""

    __slots__ = ("position", "values")

    def __init__(self, values: Any):
        self.values, self.position = values, 0

    def __iter__(self) -> Cycle:
        return self

    def __next__(self) -> Any:
        place, length = self.position, _len(self.values)
        if (backend := staged_by(length)) is not None:
            raise_if(backend, length == 0, StopIteration())
        self.position = (place + 1) % length
        return self.values[place] if staged_by(place) is None else staging.get_item(self.values, place)


def cycle(values: Any) -> Any:
    """`itertools.cycle(values)`"""
    if type(values) in (*_SEQUENCES, str):
        values = list(values)
    elif not is_sized(values) or (staged_by(values) is None and type(values) is not np.ndarray):
        return itertools.cycle(values)
    length = _len(values)
    return itertools.cycle(values) if staged_by(length) is None and not length else Cycle(values)


def count(start: Any = 0, step: Any = 1) -> Any:
    """`itertools.count(start, step)`"""
    is_of_ints = type(start) is int and type(step) is int
    return Count(start, step) if is_of_ints else itertools.count(start, step)


def iterate(*args: Any) -> Any:
    """`iter(*args)`"""
    if len(args) != 1:
        return iter(*args)
    [values] = args
    if type(values) in _SEQUENCES or (type(values) is np.ndarray and values.ndim):
        return ItemIterator(values)
    if not hasattr(staged_by(values), "known_items"):
        return iter(values)
    return ItemIterator(values) if is_sized(values) else values  # a staged zip is an iterator itself


class _Rest(Source):
    """The items that an iterator has left. Where other code continues with it, the loop calls `next`."""

    def __init__(
        self, iterator: Any, take: Callable[[], Any], has_ended: Callable[[], Any], drive: Any = None
    ):
        super().__init__(drive or self.take_all, lambda: iterator, iterator, reached=(take,))
        self.take, self.has_ended = take, has_ended

    def take_all(self, consumer: Consumer, _: Loop) -> None:
        state = consumer.state(functions=(self.take,))
        repeat_while(lambda: goes_on(self.has_ended(), consumer), lambda: consumer(self.take()), *state)

    def keep_position(self) -> bool:
        self._drive = self.take_all
        return True

    def consume(self, consumer: Consumer, loop: Loop) -> bool:
        if not super().consume(consumer, loop):
            self.take_all(consumer, loop)
        return True


def _find(iterator: ItemIterator) -> Source:
    def drive(consumer: Consumer, loop: Loop) -> None:
        if staged_by(iterator.position) is not None or iterator.position:
            rest.take_all(consumer, loop)
        else:
            loop(iterator.values, consumer.test, consumer, *consumer.state(), {})
            iterator.position = _len(iterator.values)

    rest = _Rest(iterator, iterator.ag__take, iterator.has_ended, drive)
    return rest


FINDERS[ItemIterator] = _find
FINDERS[Count] = lambda counter: _Rest(counter, counter.__next__, lambda: False)
FINDERS[Cycle] = lambda cycle: _Rest(cycle, cycle.__next__, lambda: _len(cycle.values) == 0)
_SEQUENCES = (list, tuple, range)
