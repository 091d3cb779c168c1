"""The traces that are running converted code, one stack for each thread.

A trace begins with the outermost converted function that is called during staging, and ends with it. While it
runs, the special methods of the classes that it meets are converted too.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import CodeType
from typing import Any


class Trace:
    """A running trace, as a context manager that sets no attribute of an exception.

    `namespace` holds the operators of its converted code, and `exits` what has to be undone when it ends. A
    trace inside another one with the same operators is part of that one.
    """

    def __init__(self, namespace: Any) -> None:
        self.namespace = namespace
        self.exits = contextlib.ExitStack()
        self.met: set[type] = set()
        self.seen: dict[int, Any] = {}
        """The functions and values whose classes the trace has met, by id."""
        self.unrolled: set[CodeType] = set()
        """The bodies of the loops that it unrolls, because an attempt to roll them was too costly."""
        self.asserting: set[CodeType] = set()
        """The bodies of the loops that raise if they run no iterations: they assign what cannot be None."""

    def __enter__(self) -> None:
        outer = _running.trace
        if outer is not None and outer.namespace is self.namespace:
            return
        for surround in WHILE_TRACING:
            self.exits.enter_context(surround())
        self.exits.callback(setattr, _running, "trace", outer)
        self.exits.callback(TRACES.remove, self)
        TRACES.append(self)
        _running.trace = self

    def __exit__(self, *_: object) -> None:
        self.exits.close()


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
