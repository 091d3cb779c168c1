"""Loops over instances of user classes with `__iter__`, and `next` of those with `__next__`.

The end of the iteration may be staged: `__next__` raises StopIteration under a staged condition, or
`__iter__` is a generator function whose loops are staged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import staging
from ..backends import staged_by
from ..core.active_backends import active_backend
from ..core.closures import nothing
from ..core.in_flight import repeated_error
from ..core.undefined import Undefined
from ..staging.attempts.statements import try_stmt
from ..staging.generators import FINDERS, Consumer, Loop, Source
from ..values.plain_loops import iterating
from .iterators import bound, goes_on
from .statements import branch, repeat_while

_ENDS = (StopIteration,)
_NAMES = ("whether an iterator has ended", "the item")


class _Next:
    """What `next` takes from an iterator, whose method is `take`."""

    has_ended: Any
    item: Any

    def __init__(self, take: Callable[[], Any]):
        self.take = take
        self.reset()

    def reset(self) -> None:
        self.has_ended, self.item = False, Undefined(_NAMES[1])

    def get_state(self) -> tuple[Any, Any]:
        return self.has_ended, self.item

    def set_state(self, values: tuple[Any, Any]) -> None:
        self.has_ended, self.item = values

    def run(self) -> None:
        """`try: self.item = next(iterator)` with `except StopIteration: self.has_ended = True`"""
        self.reset()
        take, get_state, set_state = self.take, self.get_state, self.set_state

        def body() -> None:
            try:
                error = repeated_error()
                if error is not None:
                    raise error
                set_state((False, take()))
            except StopIteration:
                set_state((True, self.item))

        try_stmt(active_backend(), body, lambda: _ENDS, (), get_state, set_state, _NAMES, len(_NAMES))


def next_of(take: Callable[[], Any], *default: Any) -> Any:
    """`next(iterator, *default)` of an iterator whose converted `__next__` is `take`."""
    if not default:
        return take()
    step = _Next(take)
    step.run()
    backend = staged_by(step.has_ended)
    if backend is None:
        return default[0] if step.has_ended else bound(step.item)
    return staging.if_exp(backend, step.has_ended, lambda: default[0], lambda: bound(step.item), "")


def source_of_object(value: Any) -> Source | None:
    """Return the source that an instance of a user class stands for, or None if it has no `__iter__`."""
    _, iterate = staging.user_method(value, "__iter__")
    if iterate is None:
        return None

    def drive(consumer: Consumer, loop: Loop) -> None:
        made = [iterate()]
        _, take = staging.user_method(made[0], "__next__")
        if take is None:
            loop(made.pop(), consumer.test, consumer, *consumer.state(), {})
        else:
            take_all(take, consumer)

    return Source(drive, lambda: value, reached=(iterate,))


def take_all(take: Callable[[], Any], consumer: Consumer) -> None:
    """Run a loop over the items that an iterator has left; `take` is its method `__next__`."""
    step = _Next(take)

    def body() -> None:
        step.run()
        state = *consumer.state(), consumer.outputs(0)
        branch(step.has_ended, nothing, lambda: consumer(bound(step.item)), *state)
        step.item = Undefined(_NAMES[1])

    def get_state() -> tuple[Any]:
        return (step.has_ended,)

    def set_state(values: tuple[Any]) -> None:
        [step.has_ended] = values

    state = consumer.state(get_state, set_state, _NAMES[0], functions=(take,))
    with iterating((take,)):
        repeat_while(lambda: goes_on(step.has_ended, consumer), body, *state)


FINDERS[object] = source_of_object
