"""The traces that are running converted code, one stack for each thread.

A trace begins with the outermost converted function that is called during staging, and ends with it. While it
runs, the special methods of the classes that it meets are converted too.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any


class Trace:
    """A running trace.

    `namespace` holds the operators of its converted code, and `exits` what has to be undone when it ends.
    """

    def __init__(self, namespace: Any) -> None:
        self.namespace = namespace
        self.exits = contextlib.ExitStack()
        self.met: set[type] = set()
        self.seen: dict[int, Any] = {}
        """The functions and values whose classes the trace has met, by id."""


class _Running(threading.local):
    trace: Trace | None = None


_running = _Running()
TRACES: list[Trace] = []
"""The traces that run in any thread."""
WHILE_TRACING: list[Callable[[], AbstractContextManager[Any]]] = []
"""Factories of context managers that surround each trace."""


def current_trace() -> Trace | None:
    """Return the trace that this thread is running, or None."""
    return _running.trace


@contextlib.contextmanager
def tracing(namespace: Any) -> Iterator[None]:
    """Run a trace in the `with` block, unless one with the same operators is running already."""
    outer = _running.trace
    if outer is not None and outer.namespace is namespace:
        yield
        return
    trace = Trace(namespace)
    with trace.exits:
        for surround in WHILE_TRACING:
            trace.exits.enter_context(surround())
        _running.trace = trace
        TRACES.append(trace)
        try:
            yield
        finally:
            TRACES.remove(trace)
            _running.trace = outer
