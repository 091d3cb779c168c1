"""Stage `try` and `with` statements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...backends import Backend
from ...core.in_flight import InFlight, running
from ...core.rolling_attempts import refuse_rolling
from ..conditions import if_stmt
from ..state.statement import AlwaysRaises, Restage, Statement
from .flight import Attempt, Flight, Raised
from .managers import Again
from .watching import watching


def try_stmt(
    backend: Backend,
    body: Callable[[], None],
    kinds: Callable[[], tuple],
    caught: Sequence[str],
    get_state: Callable[[], tuple],
    set_state: Callable[[tuple], None],
    names: Sequence[str],
) -> None:
    """Stage a `try` or `with`, which is the whole of `body`.

    A loop whose body has one stays unrolled: a handler may catch what a staged counter raises.
    """
    refuse_rolling()
    if not hasattr(backend, "open_branch"):
        with watching(body, kinds, caught, get_state):
            body()
        return
    is_outermost = running.flight is None
    if is_outermost:
        running.flight = Flight()
    try:
        _try_stmt(running.flight, backend, body, kinds, caught, (get_state, set_state), names)
    finally:
        if is_outermost:
            running.flight = None


def _try_stmt(
    flight: Flight, backend: Any, body: Any, kinds: Any, caught: Any, accessors: tuple, names: Sequence[str]
) -> None:
    statement = Statement(backend, (body,), accessors, names)
    before = len(flight.takers)

    def run() -> tuple[Attempt, bool]:
        attempt = Attempt(body, kinds, caught, accessors[0])
        flight.attempts.append(attempt)
        is_left, ended = False, None
        try:
            with backend.undone_after(Restage):
                try:
                    _, is_left = flight.run(statement, body, None)
                except Restage:
                    raise
                except BaseException as error:  # noqa: BLE001 - its attributes may be read-only
                    ended = error
        except Restage:
            statement.restore()
            raise
        finally:
            flight.attempts.pop()
        if ended is not None:
            raise ended
        return attempt, is_left

    attempt, is_left = statement.settled(run)
    own = [r for r in flight.raised if r.attempt is attempt and _is_current(r, flight.state)]
    others = any(taker in flight.attempts for taker in flight.takers[before:])

    def rest(turns: list[Raised]) -> None:
        if not turns:
            if not others:
                flight.state.number = 0
        elif len(turns) == 1 and is_left and not others:
            turn(turns[0])
        else:
            if_stmt(  # type: ignore[call-arg]
                backend, flight.state.number == turns[0].number, lambda: turn(turns[0]),
                lambda: rest(turns[1:]), *accessors, names, len(names),
            )  # fmt: skip

    def turn(raised: Raised) -> None:
        flight.state.number = 0
        flight.repeated = raised.again(backend, flight.state)
        flight.again = map(Again, attempt.entered)
        body()

    if own:
        flight.repeating.append(attempt)
        try:
            rest(own)
        finally:
            flight.repeating.pop()
        for raised in own:
            for name in raised.names.values():
                vars(flight.state).pop(name, None)
    elif is_left:
        raise AlwaysRaises(in_flight=True)
    flight.go_on(backend)


def _is_current(raised: Raised, state: InFlight) -> bool:
    """Return whether an exception was raised by the last capture of its statement."""
    return all(hasattr(state, name) for name in raised.names.values())
