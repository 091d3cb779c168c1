"""What functions of `itertools` return over arrays, lists and ranges of staged length, and over generators.

It is *driven* by the loop that consumes it, as a generator is: the loops of the function become loops around
the body. Where Python takes the items, it is Python's own iterator.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import Any

from .. import staging
from ..backends import staged_by
from ..core.active_backends import active_backend
from ..core.closures import nothing
from ..core.undefined import Undefined, unbound_error
from ..errors import ValueNeededError
from ..staging.branches.exceptions import raise_in_program
from ..staging.generators import FINDERS, Consumer, Loop, Source, loop_over
from .statements import branch

Drive = Callable[[Consumer, Loop], None]


class Iterator:
    """What a function of `itertools` returns.

    `make` returns what drives it, given the arguments as `Part`s.
    """

    __slots__ = ("__weakref__", "args", "function", "kwargs", "make", "own")

    def __init__(self, function: Callable[..., Any], make: Callable[..., Any], args: tuple, kwargs: dict):
        self.function, self.make, self.args, self.kwargs = function, make, args, kwargs
        self.own: Any = None

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        if self.own is None:
            if any(map(is_number, self.args)):
                raise ValueNeededError(
                    f"Python cannot iterate over itertools.{self.function.__name__} with a staged number",
                    why="the number of items is known only when the graph runs",
                    remedy="use it in a 'for' loop, a comprehension or list() in converted code",
                )
            self.own = self.function(*self.args, **self.kwargs)
        return next(self.own)


Iterator.__module__ = "itertools"  # a statement watches the positions of Python's iterators


_ENDING = itertools.islice, itertools.takewhile
"""What may end before what it takes items of."""


def is_number(value: Any) -> bool:
    return staged_by(value) is not None and getattr(value, "ndim", 1) == 0


def _find(iterator: Iterator) -> Source | None:
    """Return the source that an iterator stands for, unless Python has taken items."""
    if iterator.own is not None:
        return None
    function, make, kwargs, ref = iterator.function, iterator.make, iterator.kwargs, weakref.ref(iterator)
    parts = [*map(Part, iterator.args)]

    def drive(consumer: Consumer, loop: Loop) -> None:
        if (driven := ref()) is not None:
            driven.own = iter(())  # it has ended for code that runs after the loop
        make(*parts, **kwargs)(consumer, loop)

    def remake() -> Iterator:
        return Iterator(function, make, tuple([part.iterable() for part in parts]), kwargs)

    found = Source(drive, remake, iterator)
    for part in parts:
        if part.source is not None:
            found.add(part.source, takes_all=function not in _ENDING)
    return found


class Part:
    """An argument: something to iterate over, which may be a source, or another value."""

    def __init__(self, value: Any):
        self.source = staging.source_of(value)
        self.value: Any = None if self.source else value

    def iterable(self) -> Any:
        return self.source.iterator() if self.source else self.value

    def drive(
        self, consumer: Consumer, body: Callable[[Any], None], loop: Loop, *state: Any, functions: Any = ()
    ) -> None:
        """Run `body` for each item, until the consumer ends the loop, which it may have done before."""

        def run() -> None:
            loop_over(self.source, self.value, consumer, body, loop, *state, functions=functions)

        if self.source is None or consumer.test is None:
            run()
        else:
            own = consumer.state(*state, functions=(*functions, *self.source.reached))
            branch(consumer.test(), run, nothing, *own, consumer.outputs(len(state[2:])))


class LoopState:
    """Values that a loop changes."""

    def __init__(self, names: tuple[str, ...], *values: Any):
        self.values = values

        def get_state() -> tuple[Any, ...]:
            return self.values

        def set_state(values: tuple[Any, ...]) -> None:
            self.values = values

        self.accessors: tuple[Any, ...] = get_state, set_state, *names
        """The arguments of `Consumer.state` for a statement around the body."""
        self.own = get_state, set_state, names, len(names)
        """The last arguments of `branch` for a statement without the body."""


def is_sized(items: Any) -> bool:
    """Return whether something to iterate over has a length, which may be staged."""
    return hasattr(items, "__len__") or is_range(items)


def is_range(items: Any) -> bool:
    return isinstance(items, range) or getattr(items, "op", "") == "range"


def bound(value: Any) -> Any:
    """Return a value that may be unbound."""
    if type(value) is Undefined:
        raise_in_program(unbound_error(value.error))
    backend = staged_by(value)
    return value if backend is None else staging.bound(backend, value)


def both(first: Any, second: Callable[[], Any]) -> Any:
    """`first and second()`"""
    backend = staged_by(first)
    return first and second() if backend is None else backend.and_(first, second)


def goes_on(has_ended: Any, consumer: Consumer) -> Any:
    """Return whether a loop over an iterator takes another item: `not has_ended and consumer.test()`."""
    backend = staged_by(has_ended)
    is_left = not has_ended if backend is None else backend.not_(has_ended)
    return is_left if consumer.test is None else both(is_left, consumer.test)


def limited_by(consumer: Consumer, goes_on: Callable[[], Any]) -> Consumer:
    """Return a consumer that the loop leaves, too, once `goes_on` is false."""
    outer = consumer.test or (lambda: True)
    state = consumer.get_state, consumer.set_state, consumer.names
    return Consumer(consumer.body, lambda: both(goes_on(), outer), *state, functions=consumer.functions)


def backend_of(*values: Any) -> Any:
    return next((backend for backend in map(staged_by, values) if backend is not None), active_backend())


FINDERS[Iterator] = _find
