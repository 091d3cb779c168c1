"""Context manager form of `do_not_convert`: inside it, functions called by converted code stay unconverted.

    with ag.do_not_convert():
        y = helper(x)

While any thread is in a block, traces or rolls a loop, the operator `callee` of every namespace is replaced
with one that checks a context variable and what the traced code or the loop's body calls. At other times
there is no overhead. As with any context variable, a generator that yields inside a block leaves the block
open for its caller.
"""

from __future__ import annotations

import contextlib
import threading
import types
import weakref
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, Self

from .. import staging
from ..core.rolling_attempts import WHILE_ROLLING, refuse_rolling
from ..core.traces import WHILE_TRACING, current_trace
from .rolling_checks import checked_callee

_depth: ContextVar[int] = ContextVar("autograph_rs_opt_out_depth", default=0)
_lock = threading.RLock()  # garbage collection of a generator may exit a block while another is entered
_checking = 0
_plain: weakref.WeakKeyDictionary[types.ModuleType, Callable[[Any], Any]] = weakref.WeakKeyDictionary()
_callees: weakref.WeakKeyDictionary[types.ModuleType, Callable[[Any], Any]] = weakref.WeakKeyDictionary()


def is_opted_out() -> bool:
    return _depth.get() > 0


def register(namespace: types.ModuleType, plain: Callable[[Any], Any]) -> None:
    """Register a namespace of operators: inside a block, its `callee` acts as `plain`."""
    with _lock:
        _plain[namespace] = plain
        if _checking:
            _install_check(namespace)


def _install_check(namespace: types.ModuleType) -> None:
    callee, plain = namespace.callee, _plain[namespace]
    _callees[namespace] = callee

    def checking_callee(function: Any) -> Any:
        if current_trace() is not None:
            function = staging.meet_called(function)
        return checked_callee(function, callee, plain if is_opted_out() else None)

    namespace.callee = checking_callee  # type: ignore[attr-defined]


def _start_checking() -> None:
    global _checking  # noqa: PLW0603 - one count for the process
    with _lock:
        _checking += 1
        if _checking == 1:
            for namespace in list(_plain):
                _install_check(namespace)


def _stop_checking() -> None:
    global _checking  # noqa: PLW0603 - one count for the process
    with _lock:
        _checking -= 1
        if not _checking:
            for namespace, callee in list(_callees.items()):
                namespace.callee = callee  # type: ignore[attr-defined]
            _callees.clear()


@contextlib.contextmanager
def _checking_calls() -> Iterator[None]:
    _start_checking()
    try:
        yield
    finally:
        _stop_checking()


WHILE_ROLLING.append(_checking_calls)
WHILE_TRACING.append(_checking_calls)


class OptOutContext:
    """A reentrant context manager that threads may share."""

    def __enter__(self) -> Self:
        refuse_rolling()
        _start_checking()
        _depth.set(_depth.get() + 1)
        return self

    def __exit__(self, *_: object) -> None:
        _depth.set(max(0, _depth.get() - 1))  # a generator may be closed in another context
        _stop_checking()
