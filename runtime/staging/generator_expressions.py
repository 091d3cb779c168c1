"""Loops over generator expressions.

One with several `for` has a push form, which the converter has made. One with a single `for` runs anew for
each item of what it iterates over.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import FrameType, FunctionType, GeneratorType
from typing import Any
from weakref import WeakKeyDictionary

from ..backends import staged_by
from ..core.active_backends import active_backend
from ..core.closures import nothing
from ..errors.unsupported import unsupported_place
from .branches.conditions import if_stmt
from .expressions import repetition
from .generators import (
    FINDERS,
    Consumer,
    Loop,
    Source,
    StagedItems,
    as_argument,
    counted,
    function_of,
    loop_over,
    of_a_function,
    source_of,
)
from .loop_rolling import remaining_range

_PUSH_FORMS: WeakKeyDictionary[Any, tuple[Callable[..., Any], Callable[[Any], Any], Any]] = (
    WeakKeyDictionary()
)


def note_push_form(
    generator: Any, push: Callable[..., Any], make: Callable[[Any], Any], iterated: Any
) -> None:
    """Let `push(iterated)` run where a loop consumes the generator `make(iterated)`."""
    _PUSH_FORMS[generator] = push, make, iterated


def _find(generator: Any) -> Source | None:
    if generator.gi_code.co_name != "<genexpr>":
        return of_a_function(generator)
    function = function_of(generator)
    if function is None:
        return None
    if generator in _PUSH_FORMS:
        return _with_push_form(generator, *_PUSH_FORMS[generator])
    return _expression(generator, function, generator.gi_frame.f_locals[".0"])


def _with_push_form(
    generator: Any, push: Callable[..., Any], make: Callable[[Any], Any], iterated: Any
) -> Source:
    code = generator.gi_code

    def drive(consumer: Consumer, _: Loop) -> None:
        with counted(code):
            push(as_argument(iterated), ag__consumer=consumer, ag__going=consumer.test or _goes_on)

    return Source(drive, lambda: make(iterated), generator, reached=(push, make, iterated))


def _goes_on() -> bool:
    return True


class _Run:
    """The results of a generator expression for one item. Its staged conditions get a plain outcome.

    The first `assumed` of them are true. The next one is recorded in `condition`, and false.
    """

    def __init__(self, function: FunctionType, item: Any, assumed: int):
        self.generator = function(iter([item]))
        self.frame, self.assumed = self.generator.gi_frame, assumed
        self.condition: Any = None
        self.has_results = False
        self.undo = repetition(active_backend(), function) if assumed else nothing

    def __iter__(self) -> _Run:
        return self

    def __next__(self) -> Any:
        _running.stack.append(self)
        try:
            result = next(self.generator)
        finally:
            _running.stack.pop()
        if self.condition is not None:
            raise unsupported_place("if in a comprehension", "AG005")
        self.has_results = True
        return result


class _Running(threading.local):
    def __init__(self) -> None:
        self.stack: list[_Run] = []


_running = _Running()


def assumed(condition: Any, frame: FrameType) -> bool | None:
    """Return the outcome of a staged condition of a generator expression that is driven, otherwise None."""
    run = _running.stack[-1] if _running.stack else None
    if run is None or run.frame is not frame or run.condition is not None:
        return None
    if run.assumed:
        run.assumed -= 1
        if not run.assumed:
            run.undo()
        return True
    run.condition = condition
    return False


def _expression(generator: Any, function: FunctionType, iterated: Any) -> Source:
    if inner := source_of(iterated):
        iterated = None
    if isinstance(iterated, StagedItems):
        items = iterated.value
    else:
        items = remaining_range(iterated) or iterated  # a loop over a long range rolls

    def drive(consumer: Consumer, loop: Loop) -> None:
        def body(item: Any) -> None:
            _consume_results(consumer, loop, function, item, 0)

        loop_over(inner, items, consumer, body, loop, functions=(function,))

    remake = lambda: function(inner.iterator() if inner else iterated)  # noqa: E731 - a single expression
    return Source(drive, remake, generator, inner=inner, reached=(function,))


def _consume_results(consumer: Consumer, loop: Loop, function: FunctionType, item: Any, assumed: int) -> None:
    """Consume what a generator expression gives for one item, under its staged conditions."""
    run = _Run(function, item, assumed)
    state: Any = consumer.state(functions=(function,))
    loop(run, consumer.test, consumer, *state, {})
    if run.condition is None:
        return
    if run.has_results:
        raise unsupported_place("if in a comprehension", "AG005")

    def if_true() -> None:
        _consume_results(consumer, loop, function, item, assumed + 1)

    backend = staged_by(run.condition)
    assert backend is not None
    if_stmt(backend, run.condition, if_true, nothing, *state, consumer.outputs(0))  # type: ignore[call-arg,arg-type]


FINDERS[GeneratorType] = _find
