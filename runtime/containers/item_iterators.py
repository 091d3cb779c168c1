"""`iter` of arrays, lists, sets and dicts of staged length, and `next` of what it returns.

The position is known in the trace, so `next` is refused where a staged branch or loop would have to advance
an iterator from outside of it. A loop takes the rest of the items.
"""

from __future__ import annotations

import inspect
import sys
import weakref
from typing import Any, NoReturn

from .. import staging
from ..backends import staged_by
from ..backends.builtins import DISPATCHING
from ..core.active_backends import active_backend
from ..core.closures import nothing
from ..debugging.tracebacks import user_frame
from ..errors import ValueNeededError
from ..staging.generators import FINDERS, Consumer, Loop, Source, drives
from ..staging.state.heap import running_heaps
from .iterators import LoopState, is_sized
from .keyed import raise_if
from .statements import branch

_len, _list = DISPATCHING[id(len)], DISPATCHING[id(list)]


class ItemIterator:
    """The result of `iter(values)`. Its position is None once a loop has taken all items."""

    __slots__ = ("__weakref__", "position", "values", "version")

    def __init__(self, values: Any, position: int = 0):
        self.values, self.version = values, getattr(values, "version", 0)
        self.position: int | None = position

    def __iter__(self) -> ItemIterator:
        return self

    def __next__(self) -> NoReturn:
        if self.position is None:
            raise StopIteration
        raise ValueNeededError(
            "Python cannot take the items of an iterator over a staged value",
            why="their number is known only when the graph runs",
            remedy="use next(), a 'for' loop, a comprehension or list() in converted code, once",
        )

    def ag__take(self, *default: Any) -> Any:
        """`next(self, *default)`"""
        if self.position is None:
            return next(iter(()), *default)
        self.check()
        place, self.position = self.position, self.position + 1
        length = _len(self.values)
        backend: Any = staged_by(length) or active_backend()
        if default:
            reached = self.values, *default
            item = lambda: self._item(place)  # noqa: E731 - a single expression
            return staging.if_exp(backend, length > place, item, lambda: default[0], "", reached)
        raise_if(backend, length <= place, StopIteration())
        return self._item(place)

    def _item(self, place: int) -> Any:
        is_keyed = hasattr(type(self.values), "as_list")
        return (_list(self.values) if is_keyed else self.values)[place]

    def check(self) -> None:
        is_outside = any(heap.has_iterator(self) for heap in running_heaps())
        if is_outside or in_generator():
            raise ValueNeededError(
                "next() of an iterator over a staged value is called in another branch, loop or generator",
                why="how often it runs is known only when the graph runs, and the position during the trace",
                remedy="use an index: i += 1; x = items[i]",
            )
        if self.position and getattr(self.values, "version", 0) != self.version:
            raise ValueNeededError(
                "next() of an iterator over a staged value is called after a change of the value",
                why="the trace does not know the items that the iterator has left behind",
                remedy="make another iterator, or use an index",
            )


def in_generator() -> bool:
    """Return whether a generator runs, where a StopIteration would become a RuntimeError."""
    frame = user_frame(sys._getframe(1))
    return frame is not None and (bool(frame.f_code.co_flags & inspect.CO_GENERATOR) or drives(frame))


def iterate(*args: Any) -> Any:
    """`iter(*args)`"""
    if len(args) != 1 or not hasattr(staged_by(args[0]), "known_items"):
        return iter(*args)
    [values] = args
    if not is_sized(values):
        return values  # a staged zip or the like is an iterator itself
    return ItemIterator(values) if staged_by(_len(values)) is not None else iter(values)


def _find(iterator: ItemIterator) -> Source | None:
    values, start, ref = iterator.values, iterator.position, weakref.ref(iterator)
    if start is None:
        return None
    if start:
        iterator.check()

    def drive(consumer: Consumer, loop: Loop) -> None:
        if (driven := ref()) is not None:
            driven.position = None
        state = LoopState(("the number of the item",), 0)

        def body(item: Any) -> None:
            [number] = state.values
            state.values = (number + 1,)
            accessors = consumer.state()
            branch(number >= start, lambda: consumer(item), nothing, *accessors, consumer.outputs(0))

        if start:
            loop(values, consumer.test, body, *consumer.state(*state.accessors), {})
        else:
            loop(values, consumer.test, consumer, *consumer.state(), {})

    return Source(drive, lambda: ItemIterator(values, start), iterator)


ItemIterator.__module__ = "itertools"  # a statement watches the positions of Python's iterators
FINDERS[ItemIterator] = _find
