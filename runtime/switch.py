"""Blocks in which converted code calls functions as they are written.

    with ag.do_not_convert():
        y = helper(x)

Outside such blocks nothing asks: the operator `callee` of every namespace is another one as long as there is
a block anywhere, and that asks whether it is in one.
"""

from __future__ import annotations

import threading
import types
import weakref
from contextvars import ContextVar, Token
from typing import Any, Self

from .calls import Entries, make_callee

_depth: ContextVar[int] = ContextVar("autograph_rs_blocks", default=0)
_lock = threading.Lock()
_blocks = 0
_namespaces: weakref.WeakSet[types.ModuleType] = weakref.WeakSet()
_callees: weakref.WeakKeyDictionary[types.ModuleType, Any] = weakref.WeakKeyDictionary()


def is_off() -> bool:
    """Whether the code that runs is in such a block."""
    return _depth.get() > 0


_plain = make_callee(Entries(), None)  # converts nothing


def register(namespace: types.ModuleType) -> None:
    """Let blocks count for the code that calls this namespace's operators."""
    with _lock:
        _namespaces.add(namespace)
        if _blocks:
            _ask(namespace)


def _ask(namespace: types.ModuleType) -> None:
    callee = _callees[namespace] = namespace.callee

    def asking(function: Any) -> Any:
        return _plain(function) if is_off() else callee(function)

    namespace.callee = asking  # type: ignore[attr-defined]


class Block:
    """A context manager; several may be open, in one thread or several, and one may be entered again."""

    def __init__(self) -> None:
        self._tokens: list[Token[int]] = []

    def __enter__(self) -> Self:
        global _blocks  # noqa: PLW0603 - there is one number of blocks
        with _lock:
            _blocks += 1
            if _blocks == 1:
                for namespace in _namespaces:
                    _ask(namespace)
        self._tokens.append(_depth.set(_depth.get() + 1))
        return self

    def __exit__(self, *_: object) -> None:
        global _blocks  # noqa: PLW0603 - there is one number of blocks
        _depth.reset(self._tokens.pop())
        with _lock:
            _blocks -= 1
            if not _blocks:
                for namespace, callee in _callees.items():
                    namespace.callee = callee  # type: ignore[attr-defined]
                _callees.clear()
