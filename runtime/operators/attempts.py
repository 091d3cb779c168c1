"""Operators for `try` and `with`, which run again for what is raised under a staged condition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.active_backends import ACTIVE, active_backend
from ..core.in_flight import repeated_error, running
from ..debugging.tracebacks import drop_current_frame


def is_plain() -> bool:
    """Return whether no backend is staging, so that Python can run a `try` itself."""
    return not ACTIVE or active_backend() is None


def try_stmt(
    body: Callable[[], None],
    kinds: Callable[[], tuple],
    caught: tuple[str, ...],
    get_state: Callable[[], tuple],
    set_state: Callable[[tuple], None],
    symbol_names: tuple[str, ...],
    nouts: int,
) -> None:
    """Run the `try` or `with` statement that is the whole of `body`.

    `kinds()` returns what its handlers name, and `caught` contains the variables that are live in them. The
    first `nouts` of `symbol_names` are live after the statement.
    """
    try:
        backend = active_backend() if ACTIVE else None
        if backend is None:
            body()
        else:
            from ..staging.attempts import statements  # noqa: PLC0415 - plain runs need no staging

            accessors = get_state, set_state
            statements.try_stmt(backend, body, kinds, caught, *accessors, symbol_names, nouts)
    except BaseException as error:
        drop_current_frame(error)
        raise


def attempt() -> None:
    """Raise the exception for which the body of a `try` or `with` runs again, if any."""
    if ACTIVE:
        error = repeated_error()
        if error is not None:
            raise error


def manager(make: Callable[[], Any]) -> Any:
    """Return the context manager of a `with`, which is entered only once if the statement runs again."""
    flight = running.flight
    return make() if flight is None else flight.manager(make)
