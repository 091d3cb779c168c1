"""The exception that a program may be raising: which one, as a staged number, and its staged arguments.

Exceptions that a `try` of the traced code may catch are numbered. While a `try` is staged, each branch
and loop body is a *region*. If a staged condition decides whether one of its statements raises, the
number of the exception in flight is staged, and the rest of the region becomes a branch for the number
zero.
"""

from __future__ import annotations

import threading
from typing import Any

MAX_RESTS = 40
"""The number of statements in a row that may raise: each adds a level of nesting to the graph."""


class InFlight:
    """State of the program: `number` is 0 while nothing is raised; further attributes hold arguments.

    >>> InFlight().number
    0
    """

    def __init__(self) -> None:
        self.number: Any = 0


class _Running(threading.local):
    flight: Any = None
    """The `Flight` of the outermost `try` that this thread is staging, or None."""
    refusals: list[Exception] | None = None
    """The errors of this package that were created in the outermost `try` which this thread is staging."""

    has_tried: bool = False
    """Whether the trace has staged a `try`, whose `finally` may replace an exception by another."""


running = _Running()
SKIPPED: Any = object()
"""Stands for the value of an expression that has not been evaluated because of an exception."""


def repeated_error() -> BaseException | None:
    """Return the exception for which the body of the innermost `try` runs again, or None."""
    if running.flight is None:
        return None
    error, running.flight.repeated = running.flight.repeated, None
    return error


def count_rests() -> int:
    """Return how many statements of the innermost region may raise what a `try` catches."""
    flight = running.flight
    return len(flight.regions[-1].rests) if flight is not None and flight.regions else 0
