"""The functions of `itertools` that take one item after the other, as loops around the body of a loop."""

from __future__ import annotations

import operator
from typing import Any

from ..backends import staged_by
from ..backends.builtins import DISPATCHING
from ..core.closures import nothing
from ..core.undefined import Undefined
from ..staging.generators import Consumer, Loop
from .iterators import Drive, LoopState, Part, backend_of, both, bound, limited_by
from .ordering import raise_if, select
from .statements import branch

_bool, _range = DISPATCHING[id(bool)], DISPATCHING[id(range)]


def chain(*parts: Part) -> Drive:
    def drive(consumer: Consumer, loop: Loop) -> None:
        for part in parts:
            part.drive(consumer, consumer, loop)

    return drive


def chain_from_iterable(parts: Part) -> Drive:
    def drive(consumer: Consumer, loop: Loop) -> None:
        parts.drive(consumer, lambda items: Part(items).drive(consumer, consumer, loop), loop)

    return drive


def starmap(function: Part, items: Part) -> Drive:
    def drive(consumer: Consumer, loop: Loop) -> None:
        items.drive(consumer, lambda item: consumer(function.value(*item)), loop, functions=(function.value,))

    return drive


def filterfalse(function: Part, items: Part) -> Drive:
    def drive(consumer: Consumer, loop: Loop) -> None:
        state = consumer.state(functions=(function.value,))

        def body(item: Any) -> None:
            test = item if function.value is None else function.value(item)
            branch(test, nothing, lambda: consumer(item), *state, consumer.outputs(0))

        items.drive(consumer, body, loop, functions=(function.value,))

    return drive


def compress(pairs: Part) -> Drive:
    def drive(consumer: Consumer, loop: Loop) -> None:
        def body(pair: tuple[Any, Any]) -> None:
            branch(pair[1], lambda: consumer(pair[0]), nothing, *consumer.state(), consumer.outputs(0))

        pairs.drive(consumer, body, loop)

    return drive


def takewhile(function: Part, items: Part) -> Drive:
    def drive(consumer: Consumer, loop: Loop) -> None:
        state = LoopState(("whether takewhile goes on",), True)

        def body(item: Any) -> None:
            def end() -> None:
                state.values = (False,)

            accessors = consumer.state(*state.accessors, functions=(function.value,))
            branch(function.value(item), lambda: consumer(item), end, *accessors, consumer.outputs(1))

        limited = limited_by(consumer, lambda: state.values[0])
        items.drive(limited, body, loop, *state.accessors, functions=(function.value,))

    return drive


def dropwhile(function: Part, items: Part) -> Drive:
    def drive(consumer: Consumer, loop: Loop) -> None:
        state = LoopState(("whether dropwhile drops",), True)

        def body(item: Any) -> None:
            def test() -> None:
                state.values = (_bool(function.value(item)),)

            branch(state.values[0], test, nothing, *state.own)
            branch(state.values[0], nothing, lambda: consumer(item), *consumer.state(), consumer.outputs(0))

        items.drive(consumer, body, loop, *state.accessors, functions=(function.value,))

    return drive


def islice(items: Part, *bounds: Part) -> Drive:
    start, stop, step = _slice(*[part.value for part in bounds])

    def drive(consumer: Consumer, loop: Loop) -> None:
        state = LoopState(("the number of the item",), 0)
        is_whole = staged_by(start) is None and staged_by(step) is None and start == 0 and step == 1

        def body(item: Any) -> None:
            [number] = state.values
            state.values = (number + 1,)
            if is_whole:
                consumer(item)
                return
            is_taken = both(number >= start, lambda: (number - start) % step == 0)
            branch(is_taken, lambda: consumer(item), nothing, *consumer.state(), consumer.outputs(0))

        limited = consumer if stop is None else limited_by(consumer, lambda: state.values[0] < stop)
        items.drive(limited, body, loop, *state.accessors)

    return drive


def _slice(*bounds: Any) -> tuple[Any, Any, Any]:
    """Return the start, stop and step of `islice`, checked as Python checks them."""
    start, stop, step = (0, *bounds, 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    start, step = 0 if start is None else start, 1 if step is None else step
    form = "must be None or an integer: 0 <= x <= sys.maxsize."
    if stop is not None:
        _require(stop, stop == -1, f"Stop argument for islice() {form}")
        _require(stop, stop < 0, f"Indices for islice() {form}")
    _require(start, start < 0, f"Indices for islice() {form}")
    _require(step, step < 1, "Step for islice() must be a positive integer or None.")
    return start, stop if stop is None else select(backend_of(stop, start), stop < start, start, stop), step


def _require(number: Any, is_wrong: Any, message: str) -> None:
    try:
        _range(number)
    except TypeError:
        raise ValueError(message) from None
    raise_if(backend_of(number), is_wrong, ValueError(message))


def pairwise(items: Part) -> Drive:
    def drive(consumer: Consumer, loop: Loop) -> None:
        state = LoopState(
            ("the previous item", "whether there is one"), Undefined("the previous item"), False
        )

        def body(item: Any) -> None:
            previous, is_later = state.values
            pair = lambda: consumer((bound(previous), item))  # noqa: E731 - a single expression
            branch(is_later, pair, nothing, *consumer.state(), consumer.outputs(0))
            state.values = item, True

        items.drive(consumer, body, loop, *state.accessors)

    return drive


def accumulate(items: Part, function: Any = None, *, func: Any = None, initial: Any = None) -> Drive:
    add = func if function is None else function.value
    add = operator.add if add is None else DISPATCHING.get(id(add), add)

    def drive(consumer: Consumer, loop: Loop) -> None:
        is_later = initial is not None
        first = initial if is_later else Undefined("total")
        state = LoopState(("the total", "whether there is one"), first, is_later)

        def body(item: Any) -> None:
            def begin() -> None:
                state.values = item, True

            def go_on() -> None:
                state.values = add(bound(state.values[0]), item), True

            if initial is None:
                branch(state.values[1], go_on, begin, *state.own)
            else:
                go_on()
            consumer(bound(state.values[0]))

        if is_later:
            loop([initial], consumer.test, consumer, *consumer.state(), {})
        items.drive(consumer, body, loop, *state.accessors, functions=(add,))

    return drive


def repeat(value: Part, times: Any) -> Drive:
    count = times.value if isinstance(times, Part) else times

    def drive(consumer: Consumer, loop: Loop) -> None:
        loop(_range(count), consumer.test, lambda _: consumer(value.value), *consumer.state(), {})

    return drive
