"""Operators for conditional expressions, comprehensions, f-strings, assertions and guards.

The path for plain values is kept short for speed. Staged values go to `autograph_rs.runtime.staging`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .. import staging
from ..backends import BACKENDS
from ..backends.builtins import CONVERSIONS
from ..core.active_backends import active_backend
from ..debugging.tracebacks import drop_current_frame
from ..errors import UnsupportedPlaceError
from ..errors.unsupported import rule_message


def if_exp(cond: Any, if_true: Callable[[], Any], if_false: Callable[[], Any], expr_repr: str) -> Any:
    """`if_true() if cond else if_false()`"""
    try:
        if cond is True:
            return if_true()
        if cond is False:
            return if_false()
        backend = BACKENDS[type(cond)]
        if backend is not None and backend.is_staged(cond):
            return staging.if_exp(backend, cond, if_true, if_false, expr_repr)
        return if_true() if cond else if_false()
    except BaseException as error:
        drop_current_frame(error)
        raise


def list_comp(iterated: Iterable[Any], comprehension: Callable[[Iterable[Any]], list]) -> Any:
    """`comprehension(iterated)`, a list comprehension over `iterated`."""
    try:
        backend = BACKENDS[type(iterated)]
        if backend is not None and backend.is_staged(iterated):
            return staging.list_comp(backend, iterated, comprehension)
        if staging.ACTIVE and active_backend() is not None:
            return staging.plain_comp(iterated, comprehension)
        return comprehension(iterated)
    except BaseException as error:
        drop_current_frame(error)
        raise


def keep(cond: Any) -> Any:
    """Return `cond`, the condition of a list comprehension; if it is staged, record it and return a bool."""
    backend = BACKENDS[type(cond)]
    return staging.keep(cond) if backend is not None and backend.is_staged(cond) else cond


def fmt(value: Any, conversion: str = "") -> Any:
    """Convert a value for an f-string."""
    try:
        if staging.ACTIVE and isinstance(value, BaseException):
            value = staging.shown(value, is_exact=conversion in ("r", "a"))
        backend = BACKENDS[type(value)]
        if backend is not None and backend.is_staged(value):
            return backend.fmt(value, conversion)
        if staging.ACTIVE and isinstance(value, (tuple, list, dict, set)):
            staging.refuse_text(value)
        return CONVERSIONS[conversion](value) if conversion else value
    except BaseException as error:
        drop_current_frame(error)
        raise


def text(text: str) -> Any:
    """Return the text of an f-string whose values `fmt` has converted; it may be staged."""
    backend = active_backend()
    return text if backend is None else backend.text(text)


def call(function: Callable[..., Any], *args: Any) -> Any:
    """`function(*args)` for a lambda that the converters generated."""
    try:
        return function(*args)
    except BaseException as error:
        drop_current_frame(error)
        raise


def guard(value: Any, construct: str, rule: str, detail: str = "") -> Any:
    """Return `value`, or raise if it is staged; `rule` names the reason why `construct` cannot be staged."""
    backend = BACKENDS[type(value)]
    if backend is not None and backend.is_staged(value):
        why, remedy = rule_message(rule, detail)
        raise UnsupportedPlaceError(
            f"'{construct}' depends on a staged value, but cannot be staged",
            why=why,
            remedy=remedy,
        )
    return value


def assert_stmt(test: Any, msg: Callable[[], Any] | None) -> None:
    """`assert test, msg()`"""
    try:
        backend = BACKENDS[type(test)]
        if backend is not None and backend.is_staged(test):
            backend.assert_(test, msg)
        elif not test:
            raise AssertionError if msg is None else AssertionError(msg())
    except BaseException as error:
        # a trace recognizes a failed `assert` by this frame
        if not (staging.ACTIVE and staging.tells_raises()):
            drop_current_frame(error)
        raise
