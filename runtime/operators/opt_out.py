"""Context manager form of `do_not_convert`: inside it, functions called by converted code stay unconverted.

    with ag.do_not_convert():
        y = helper(x)

While any thread is in a block, the operator `callee` of every namespace is replaced with one that checks a
context variable. At other times there is no overhead. As with any context variable, a generator that yields
inside a block leaves the block open for its caller.
"""

from __future__ import annotations

import threading
import types
import weakref
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Self

_depth: ContextVar[int] = ContextVar("autograph_rs_opt_out_depth", default=0)
_lock = threading.RLock()  # garbage collection of a generator may exit a block while another is entered
_open_blocks = 0
_plain: weakref.WeakKeyDictionary[types.ModuleType, Callable[[Any], Any]] = weakref.WeakKeyDictionary()
_callees: weakref.WeakKeyDictionary[types.ModuleType, Callable[[Any], Any]] = weakref.WeakKeyDictionary()


def is_opted_out() -> bool:
    return _depth.get() > 0


def register(namespace: types.ModuleType, plain: Callable[[Any], Any]) -> None:
    """Register a namespace of operators: inside a block, its `callee` acts as `plain`."""
    with _lock:
        _plain[namespace] = plain
        if _open_blocks:
            _install_check(namespace)


def _install_check(namespace: types.ModuleType) -> None:
    callee, plain = namespace.callee, _plain[namespace]
    _callees[namespace] = callee

    def checking_callee(function: Any) -> Any:
        return plain(function) if is_opted_out() else callee(function)

    namespace.callee = checking_callee  # type: ignore[attr-defined]


class OptOutContext:
    """A reentrant context manager that threads may share."""

    def __enter__(self) -> Self:
        global _open_blocks  # noqa: PLW0603 - one count for the process
        with _lock:
            _open_blocks += 1
            if _open_blocks == 1:
                for namespace in list(_plain):
                    _install_check(namespace)
        _depth.set(_depth.get() + 1)
        return self

    def __exit__(self, *_: object) -> None:
        global _open_blocks  # noqa: PLW0603 - one count for the process
        _depth.set(max(0, _depth.get() - 1))  # a generator may be closed in another context
        with _lock:
            _open_blocks -= 1
            if not _open_blocks:
                for namespace, callee in list(_callees.items()):
                    namespace.callee = callee  # type: ignore[attr-defined]
                _callees.clear()
