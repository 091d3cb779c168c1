"""The session that records eager calls on this thread, for gradients that may be requested later."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import get_ident
from typing import Any

from ..tracing.modes import MODES
from ..tracing.trace import is_tracing

_session: ContextVar[Any] = ContextVar("autograph_rs_session", default=(None, None))


def current_session() -> Any:
    """Return the session that records calls, or None while tracing or on a thread that did not start it."""
    if not MODES or is_tracing():
        return None
    session, thread = _session.get()
    return session if session is None or thread == get_ident() else None


def set_session(session: Any) -> None:
    """Record calls of this thread in a session from now on, or stop recording if `session` is None."""
    _session.set((session, get_ident()))


@contextmanager
def pause_recording() -> Iterator[None]:
    token = _session.set((None, None))
    try:
        yield
    finally:
        _session.reset(token)


def record_calls(method: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a method so that its calls are recorded while a session is active."""

    @functools.wraps(method)
    def wrapper(*args: Any) -> Any:
        session = current_session()
        return method(*args) if session is None else session.call(method, *args)

    return wrapper
