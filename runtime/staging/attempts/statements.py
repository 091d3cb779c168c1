"""Stage `try` and `with` statements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...backends import Backend
from ...core.in_flight import MAX_RESTS, InFlight, running
from ...core.rolling_attempts import is_rolling, refuse_rolling
from ...debugging.tracebacks import is_internal
from ...errors import AutographError, RaiseInTryError
from ...values.structures import flatten
from ..branches.conditions import if_stmt
from ..branches.exceptions import AlwaysRaises
from ..state.heap import is_of_user
from ..state.statement import Restage, Statement
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
    outputs: int,
) -> None:
    """Stage a `try` or `with`, which is the whole of `body`.

    A loop around it stays unrolled if a handler might catch what a library raises for a staged counter.

    Raises:
        AutographError: what cannot be staged, even if a handler has caught it.
    """
    running.has_tried = True
    outer_flight, outer_refusals = running.flight, running.refusals
    running.refusals = [] if outer_refusals is None else outer_refusals
    try:
        if is_rolling() and not _can_roll(backend, kinds):
            refuse_rolling()
        if not hasattr(backend, "open_branch"):
            with watching(body, kinds, caught, get_state):
                body()
        else:
            running.flight = outer_flight or Flight()
            state = (get_state, set_state), names, outputs
            _try_stmt(running.flight, backend, body, kinds, caught, *state)
        _raise_what_was_caught(kinds)
    finally:
        running.flight, running.refusals = outer_flight, outer_refusals


def _can_roll(backend: Backend, kinds: Callable[[], tuple]) -> bool:
    """Return whether no handler catches what a library or Python itself raises for a staged counter."""
    caught = flatten(kinds())[0]
    is_safe = all(kind is np.linalg.LinAlgError or is_of_user(kind) for kind in caught)
    return is_safe and getattr(backend, "rolls_long_ranges", False)


def _raise_what_was_caught(kinds: Callable[[], tuple]) -> None:
    """Raise an error of this package that a handler of the traced code has caught without naming it."""
    named = tuple(k for k in flatten(kinds())[0] if isinstance(k, type) and issubclass(k, AutographError))
    for error in running.refusals or ():
        if isinstance(error, named) or error.__traceback__ is None:
            continue
        code = error.__traceback__.tb_frame.f_code  # of the function that has caught it
        if "ag__" in code.co_freevars and not is_internal(code):
            raise error


def _try_stmt(
    flight: Flight,
    backend: Any,
    body: Any,
    kinds: Any,
    caught: Any,
    accessors: tuple,
    names: Sequence[str],
    outputs: int,
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
        elif len(turns) == 1 and is_left and not (others or attempt.is_left_by_error):
            turn(turns[0])
        else:
            if_stmt(
                backend, flight.state.number == turns[0].number, lambda: turn(turns[0]),
                lambda: rest(turns[1:]), accessors[0], accessors[1], names, outputs,
            )  # fmt: skip

    def turn(raised: Raised) -> None:
        flight.state.number = 0
        flight.repeated = raised.again(backend, flight.state)
        flight.again = map(Again, attempt.entered)
        for array in flight.carried if hasattr(backend, "share") else ():
            backend.share(array, "an exception may hold another name for it")
        body()

    if own:
        flight.repeating.append(attempt)
        try:
            rest(own)
        except RecursionError as error:
            if type(error) is not RecursionError or len(own) <= MAX_RESTS:
                raise
            raise RaiseInTryError(
                f"a 'try' or 'with' catches what {len(own)} statements may raise",
                why="its handlers are staged for each of them, each time in a branch inside the one before",
                remedy="raise in fewer places, or return a value that says whether something has failed",
            ) from None
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
