"""Roll the rest of a loop over a plain `range` into one staged loop, once a staged condition may end it.

    for i in range(1000):
        x = step(x)
        if error(x) < 1e-6:
            break

A rolled loop must leave what the unrolled one would: the same values, of the same types. So an attempt first
captures the body with the first and with the last counter, as unrolling would, to find out which variables
change and what their types become. It then captures the body with a staged counter, which has to leave these
types and to be used as a plain one would (`core.rolling_attempts`). In all other cases, and if a capture
fails, everything is restored and the loop is unrolled.
"""

from __future__ import annotations

import copy
import enum
import functools
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..backends import Backend, staged_by
from ..core.closures import never
from ..core.rolling_attempts import Attempt, CannotRoll, rolling
from ..core.traces import current_trace
from ..core.undefined import Undefined
from ..debugging.positions import catches_unstaged
from ..errors import MismatchError
from ..values.locations import Path
from ..values.structures import flatten
from .loop_peeling import NoInitialValue
from .loops import build_for, fixed_point, run_iteration
from .rolling.rolling_guard import RollingGuard
from .state.aliases import with_bases
from .state.carried_values import CarriedValues
from .state.escapes import outlives
from .state.statement import Statement

MIN_ROLLED = 9
"""Shorter loops stay unrolled: an attempt captures the body about five times."""

_ITERATORS = (type(iter(range(0))), type(iter(range(1 << 64))))


class Outcome(enum.Enum):
    ROLLED = enum.auto()
    UNSTABLE = enum.auto()
    """The types of variables change between iterations. They may be stable after another iteration."""
    REFUSED = enum.auto()


def remaining_range(items: Iterator[Any]) -> range | None:
    """Return the items left in an iterator over a plain `range`, or None for few items or another iterator.

    An iterator that counts the items of another one has that one as its attribute `counted`.
    """
    items = getattr(items, "counted", items)
    if type(items) not in _ITERATORS or (count := operator.length_hint(items)) < MIN_ROLLED:
        return None
    ahead = copy.copy(items)
    first = next(ahead)
    step = next(ahead) - first
    return range(first, first + count * step, step)


def is_rolling_needed(backend: Backend) -> bool:
    """Return whether an earlier trace has failed because it unrolled loops: see `AutographError.needs`."""
    is_needed = getattr(backend, "is_needed", never)
    return is_needed("rolled loops")


def roll(
    backend: Backend,
    rest: range,
    first_test: Any,
    extra_test: Callable[[], Any],
    body: Callable[[Any], None],
    accessors: tuple[Callable[[], tuple], Callable[[tuple], None]],
    names: Sequence[str],
    items: Iterator[Any],
    *,
    keeps_plain: bool = False,
    target: str = "",
) -> Outcome:
    """Stage the iterations over `rest` as one loop if possible. Otherwise change nothing.

    With `keeps_plain`, a loop that changes a plain value is not rolled, since that value would become staged,
    unless it is that of the variable `target`.
    """
    count = 2 if is_rolling_needed(backend) else MIN_ROLLED
    if len(rest) < count or not getattr(backend, "rolls_ranges", False):
        return Outcome.REFUSED
    if any(catches_unstaged(f.__code__) for f in (extra_test, body)):
        return Outcome.REFUSED
    trace = current_trace()
    if trace is not None and body.__code__ in trace.unrolled:
        return Outcome.REFUSED
    statement = Statement(backend, (extra_test, body), accessors, names)
    if statement.heap.has_iterators:
        return Outcome.REFUSED
    before, shared, guard = statement.before, _shared_arrays(statement), RollingGuard(statement)
    try:
        with rolling(rest) as attempt, guard.watching():
            carried = CarriedValues(statement, keep_plain=True)
            path = _captured(attempt, guard, carried, extra_test, body)
            changed = list(_changed_plain_values(carried))
            if any(outlives(statement, location) for location in changed):
                raise CannotRoll  # it would keep a staged value
            if keeps_plain and any(getattr(location, "name", None) != target for location in changed):
                raise _PlainValueError
            build_for(carried, path, rest, first_test, {})
            attempt.commit()
    except (CannotRoll, Exception) as error:  # noqa: BLE001 - unrolling raises it too, or does not need to
        statement.before = before
        statement.restore()
        guard.restore()
        for array, reason in shared:
            array.shared = reason
        if trace is not None and attempt.is_costly:
            trace.unrolled.add(body.__code__)
        is_unstable = isinstance(error, (MismatchError, _PlainValueError))
        return Outcome.UNSTABLE if is_unstable else Outcome.REFUSED
    getattr(items, "rolled", lambda _: None)(backend)
    return Outcome.ROLLED


def _shared_arrays(statement: Statement) -> list[tuple[Any, str]]:
    """Return the arrays of the state that can be marked as shared, each with its mark."""
    arrays = filter(statement.backend.is_handle, flatten(statement.before)[0])
    return [(v, v.shared) for array in arrays for v in with_bases(array) if hasattr(v, "shared")]


def _captured(
    attempt: Attempt,
    guard: RollingGuard,
    carried: CarriedValues,
    extra_test: Callable[[], Any],
    body: Callable[[Any], None],
) -> Path:
    """Capture the body with plain counters, then with the staged one; return the path of the last capture."""
    largest = max(map(abs, (attempt.items[0], attempt.items[-1])))
    set_bound = getattr(carried.backend, "set_number_bound", lambda *_: None)

    def settle(elements: Any, *, is_plain: bool) -> Path:
        def counting_body(item: Any) -> None:
            if not is_plain:
                attempt.counter = item
                set_bound(item, largest)
            body(item)

        def once() -> Path:
            with attempt.capturing(is_plain=is_plain):
                path = run_iteration(carried, elements, extra_test, counting_body)
            guard.check()
            return path

        path = fixed_point(carried, once, "a staged 'for'", (body,))
        if isinstance(path, NoInitialValue):
            raise path.mismatch()
        if path.capture.raised is not None:
            raise CannotRoll
        return path

    for value in (attempt.items[0], attempt.items[-1]):
        settle((functools.partial(_constant, value), []), is_plain=True)
    types = {(location, i): kind for location, i, kind in carried.slots()}
    path = settle(carried.backend.elements(attempt.items), is_plain=False)
    attempt.check_uses()
    _check_types(carried, types)
    check = getattr(carried.backend, "check_counter_arithmetic", None)
    if check is not None:
        check(path.capture, largest)
    return path


class _PlainValueError(Exception):
    """A loop changes a plain value. It may be staged after another iteration."""


def _changed_plain_values(carried: CarriedValues) -> Iterator[Any]:
    """Yield the locations whose values are plain before the loop and staged afterwards."""
    for location, i, _ in carried.slots():
        value = carried.init[location][0][i]
        if not isinstance(value, Undefined) and staged_by(value) is None:
            yield location


def _constant(value: Any, _: Sequence[Any]) -> Any:
    return value


def _check_types(carried: CarriedValues, plain: dict[Any, Any]) -> None:
    """End the attempt if the staged counter gives a value another type than plain counters would."""
    for location, i, kind in carried.slots():
        initial = carried.init[location][0][i]
        expected = plain.get((location, i))
        if expected is None and not isinstance(initial, Undefined):
            expected = carried.backend.type_of(initial)
        if expected is not None and expected != kind:
            raise CannotRoll
