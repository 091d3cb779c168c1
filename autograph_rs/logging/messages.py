"""Log conversions, calls and traces. Messages are formatted only when their level is enabled."""

from __future__ import annotations

import logging
import types
from collections.abc import Callable
from time import perf_counter
from typing import Any

from autograph_rs.runtime.debugging.loggers import CALLS, CODE, CONVERT, TRACE


def log_conversion(f: types.FunctionType, code: Callable[[], str], started: float) -> None:
    """Log that `f` was converted; at level `CODE`, also log the text that `code` returns."""
    if CONVERT.isEnabledFor(logging.INFO):
        CONVERT.info("converted %s in %.1f ms", _name(f), 1000 * (perf_counter() - started))
    if CONVERT.isEnabledFor(CODE):
        CONVERT.log(CODE, "%s", code())


def log_call(f: types.FunctionType, verdict: Callable[[], tuple[bool, str]]) -> None:
    """Log whether a function called by converted code is converted, and the rule that decided."""
    if CALLS.isEnabledFor(logging.DEBUG):
        converts, rule = verdict()
        CALLS.debug("%s is %s: %s", _name(f), "converted" if converts else "left unconverted", rule)


def log_trace(traced: Any, reason: Callable[[], str], started: float) -> None:
    """Log a trace with the reason for retracing, if any; at level `CODE`, also log the graph."""
    if TRACE.isEnabledFor(logging.INFO):
        duration, why = 1000 * (perf_counter() - started), reason()
        TRACE.info("traced %r in %.1f ms%s", traced, duration, why and f", retraced: {why}")
    if TRACE.isEnabledFor(CODE):
        TRACE.log(CODE, "%s", traced.graph)


def _name(function: types.FunctionType) -> str:
    code = function.__code__
    return f"{function.__qualname__!r} ({code.co_filename}:{code.co_firstlineno})"
