"""Blocks in which converted code calls functions as they are written.

    with ag.do_not_convert():
        y = helper(x)

Outside such blocks nothing asks: the operator `callee` of every namespace is another one as long as there is
a block anywhere, and that asks whether it is in one. A generator that stops in a block leaves the block open
for who called it, as with every context variable.
"""

from __future__ import annotations

import threading
import types
import weakref
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Self

_depth: ContextVar[int] = ContextVar("autograph_rs_blocks", default=0)
_lock = threading.RLock()  # a collection may end a block, in a generator, while another begins
_blocks = 0
_plain: weakref.WeakKeyDictionary[types.ModuleType, Callable[[Any], Any]] = weakref.WeakKeyDictionary()
_callees: weakref.WeakKeyDictionary[types.ModuleType, Callable[[Any], Any]] = weakref.WeakKeyDictionary()


def is_off() -> bool:
    """Whether the code that runs is in such a block."""
    return _depth.get() > 0


def register(namespace: types.ModuleType, plain: Callable[[Any], Any]) -> None:
    """Let blocks count for the code that calls this namespace's operators; there `plain` is its `callee`."""
    with _lock:
        _plain[namespace] = plain
        if _blocks:
            _ask(namespace)


def _ask(namespace: types.ModuleType) -> None:
    callee, plain = namespace.callee, _plain[namespace]
    _callees[namespace] = callee

    def asking(function: Any) -> Any:
        return plain(function) if is_off() else callee(function)

    namespace.callee = asking  # type: ignore[attr-defined]


class Block:
    """A context manager, which threads may share and which may be entered again."""

    def __enter__(self) -> Self:
        global _blocks  # noqa: PLW0603 - there is one number of blocks
        with _lock:
            _blocks += 1
            if _blocks == 1:
                for namespace in list(_plain):
                    _ask(namespace)
        _depth.set(_depth.get() + 1)
        return self

    def __exit__(self, *_: object) -> None:
        global _blocks  # noqa: PLW0603 - there is one number of blocks
        _depth.set(max(0, _depth.get() - 1))  # a generator may be closed in another context than it ran in
        with _lock:
            _blocks -= 1
            if not _blocks:
                for namespace, callee in list(_callees.items()):
                    namespace.callee = callee  # type: ignore[attr-defined]
                _callees.clear()
