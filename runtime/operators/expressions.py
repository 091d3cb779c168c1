"""Operators for conditional expressions, comprehensions, f-strings, assertions and guards.

The path for plain values is kept short for speed. Staged values go to `autograph_rs.runtime.staging`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .. import staging
from ..backends import BACKENDS
from ..backends.builtins import CONVERSIONS
from ..core.active_backends import ACTIVE, active_backend
from ..core.traces import TRACES
from ..debugging.tracebacks import drop_current_frame
from ..errors import UnsupportedPlaceError
from ..errors.unsupported import unsupported_place


def if_exp(cond: Any, if_true: Callable[[], Any], if_false: Callable[[], Any], expr_repr: str) -> Any:
    """`if_true() if cond else if_false()`"""
    try:
        if cond is True:
            return if_true()
        if cond is False:
            return if_false()
        backend = BACKENDS[type(cond)]
        if backend is None and ACTIVE:
            cond, backend = staging.truth(cond)
        if backend is not None and backend.is_staged(cond):
            return staging.fork_if_exp(backend, cond, if_true, if_false, expr_repr)
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
            if (source := staging.source_of(iterated)) is not None:
                from .consumers import collected  # noqa: PLC0415 - plain code needs no staging

                iterated = None  # type: ignore[assignment] # as in `for_stmt`
                if (made := collected(source, comprehension)) is not None:
                    return made[0]
                iterated = source.iterator()
            return staging.plain_comp(iterated, comprehension)
        return comprehension(iterated)
    except BaseException as error:
        drop_current_frame(error)
        raise


def iterated(items: Any) -> Any:
    """Return what a generator expression iterates over in place of `items`."""
    backend = BACKENDS[type(items)]
    return staging.StagedItems(items) if backend is not None and backend.is_staged(items) else items


def generated(make: Callable[[Any], Iterator[Any]], push: Callable[..., None], iterated: Any) -> Any:
    """`make(iterated)`, a generator expression with several `for`.

    Where a trace consumes it, `push(iterated)` runs instead, which calls the consumer with each item.
    """
    try:
        generator = make(iterated)
        if staging.ACTIVE:
            staging.note_push_form(generator, push, make, iterated)
        return generator
    except BaseException as error:
        drop_current_frame(error)
        raise


def keep(cond: Any) -> Any:
    """Return `cond`, the condition of a list comprehension; if it is staged, record it and return a bool."""
    backend = BACKENDS[type(cond)]
    if backend is None and ACTIVE:
        cond, backend = staging.truth(cond)
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
            backend = staging.owner_of_text(value)
            if backend is not None:
                return backend.fmt(value, conversion)
        if TRACES and (found := staging.text_of(value, conversion)) is not None:
            owner = BACKENDS[type(found)]
            return found if owner is None else owner.fmt(found, "")
        return CONVERSIONS[conversion](value) if conversion else value
    except BaseException as error:
        drop_current_frame(error)
        raise


def interpolate(template: Any, values: Any) -> Any:
    """`template % values`"""
    try:
        if staging.ACTIVE and isinstance(template, str) and (backend := active_backend()) is not None:
            from ..containers.text import interpolate  # noqa: PLC0415 - needed by traces only

            return interpolate(backend, template, values)
        return template % values
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
    if ACTIVE:
        value = staging.whole(value)
    backend = BACKENDS[type(value)]
    if backend is not None and backend.is_staged(value):
        outcome = staging.assumed(value, sys._getframe(1))
        if outcome is None:
            if (settle := getattr(type(value), "ag__settle", None)) is not None:
                settle(value)
            raise unsupported_place(construct, rule, detail)
        return outcome
    return value


def is_of_class(value: Any, kind: Any, is_whole: bool = False) -> bool:
    """Return whether a class pattern accepts `value`; with `is_whole`, its subpattern gets the value too."""
    if is_whole and isinstance(kind, type) and not kind.__flags__ & _MATCH_SELF:
        raise UnsupportedPlaceError(
            f"the name {kind.__name__!r} of a builtin class stands for another class in a pattern",
            why="the subpatterns of builtin classes are converted by the name of the class",
            remedy="give the class another name",
        )
    backend = BACKENDS[type(value)]
    if isinstance(kind, type) and backend is not None and backend.is_staged(value):
        return bool(backend.call_builtin(isinstance, (value, kind), {}))
    match value:
        case kind():
            return True
    return False


_MATCH_SELF = 1 << 22
"""The flag of classes, such as `int`, whose only positional subpattern is matched with the subject itself."""


def assert_stmt(test: Any, msg: Callable[[], Any] | None) -> None:
    """`assert test, msg()`"""
    try:
        backend = BACKENDS[type(test)]
        if backend is None and ACTIVE:
            test, backend = staging.truth(test)
        if backend is not None and backend.is_staged(test):
            backend.assert_(test, msg)
        elif not test:
            raise AssertionError if msg is None else AssertionError(msg())
    except BaseException as error:
        # a trace recognizes a failed `assert` by this frame
        if not (staging.ACTIVE and staging.tells_raises()):
            drop_current_frame(error)
        raise
