"""Whether calls outside of any trace are recorded now, for a gradient that may be asked later."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import get_ident
from typing import Any

from .modes import MODES
from .trace import is_tracing

_session: ContextVar[Any] = ContextVar("autograph_rs_session", default=(None, None))


def session() -> Any:
    """The session that records calls now, or None; another thread than that which began it has none."""
    if not MODES or is_tracing():
        return None
    made, thread = _session.get()
    return made if made is None or thread == get_ident() else None


def begin(made: Any) -> None:
    """Let calls of this thread be recorded by a session from now on, or by none."""
    _session.set((made, get_ident()))


@contextmanager
def unrecorded() -> Iterator[None]:
    """Let calls be recorded by no session for the time being."""
    token = _session.set((None, None))
    try:
        yield
    finally:
        _session.reset(token)


def recorded(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method whose calls are recorded, where calls are."""

    @functools.wraps(method)
    def called(*args: Any) -> Any:
        now = session()
        return method(*args) if now is None else now.call(method, *args)

    return called
