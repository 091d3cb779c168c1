"""What is told of conversions, calls and traces. Its text is made only where it is asked for."""

from __future__ import annotations

import ast
import logging
import types
from time import perf_counter as now
from typing import Any

from autograph_rs.runtime.log import CALLS, CODE, CONVERT, TRACE

from . import loader, source
from .policy import Policy


def tell_conversion(f: types.FunctionType, tree: Any, started: float) -> None:
    if CONVERT.isEnabledFor(logging.INFO):
        CONVERT.info("converted %s in %.1f ms", _name(f), 1000 * (now() - started))
    if CONVERT.isEnabledFor(CODE):
        CONVERT.log(CODE, "%s", ast.unparse(loader.detached(tree)))


def tell_call(f: types.FunctionType, policy: Policy) -> None:
    """Tell what becomes of a function that converted code calls, and by which rule."""
    if not CALLS.isEnabledFor(logging.DEBUG):
        return
    converts, rule = policy.verdict(f)
    if converts and not source.is_known(f):
        converts, rule = False, "its source cannot be had"
    CALLS.debug("%s is %s: %s", _name(f), "converted" if converts else "left as it is", rule)


def tell_trace(traced: Any, names: list[str], keys: Any, last: Any, started: float) -> None:
    """Tell of a trace; with `last`, the names and keys of the one before, why there is another."""
    if TRACE.isEnabledFor(logging.INFO):
        again = f", again: {_difference(names, keys, *last)}" if last is not None else ""
        TRACE.info("traced %r in %.1f ms%s", traced, 1000 * (now() - started), again)
    if TRACE.isEnabledFor(CODE):
        TRACE.log(CODE, "%s", traced.graph)


def _difference(names: list[str], keys: Any, old_names: list[str], old_keys: Any) -> str:
    if names != old_names or len(keys) != len(old_keys):
        return "the structure of its arguments is another one"
    from . import signatures  # noqa: PLC0415 - graphs are loaded by those who trace

    pairs = zip(names, old_keys, keys, strict=True)
    changed = [
        f"{n} was {signatures.key_text(a)}, is {signatures.key_text(b)}" for n, a, b in pairs if a != b
    ]
    return "; ".join(changed) or "it is called on another instance"


__all__ = ["now", "tell_call", "tell_conversion", "tell_trace"]


def _name(function: types.FunctionType) -> str:
    code = function.__code__
    return f"{function.__qualname__!r} ({code.co_filename}:{code.co_firstlineno})"
