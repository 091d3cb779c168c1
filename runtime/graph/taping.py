"""Whether calls outside of any trace are recorded now, for a gradient that may be asked later."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from .modes import MODES
from .trace import is_tracing

_session: ContextVar[Any] = ContextVar("autograph_rs_session", default=None)


def session() -> Any:
    """The session that records calls now, or None."""
    return _session.get() if MODES and not is_tracing() else None


def begin(made: Any) -> None:
    """Let calls be recorded by a session from now on, or by none."""
    _session.set(made)


@contextmanager
def unrecorded() -> Iterator[None]:
    """Let calls be recorded by no session for the time being."""
    token = _session.set(None)
    try:
        yield
    finally:
        _session.reset(token)


def recorded(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method whose calls are recorded, where calls are."""

    @functools.wraps(method)
    def called(*args: Any) -> Any:
        now = session() if MODES else None
        return method(*args) if now is None else now.call(method, *args)

    return called
