"""Room for big trees: the walks over them recurse, and may begin deep in a program."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType

from autograph_rs.converters import PassError
from autograph_rs.runtime.places import Place

from . import refusals

MAX_DEPTH = 20_000

_lock = threading.Lock()
_users = 0
_before = 0
_collects = False


@contextmanager
def big_trees() -> Iterator[None]:
    """Raise the interpreter's recursion limit and pause its garbage collector while any thread converts.

    A tree has no cycles that die before the conversion ends. To look for some again and again, in a heap
    that grows with the tree, would take more than linear time.
    """
    global _users, _before, _collects  # noqa: PLW0603 - what is changed is global too
    with _lock:
        if _users == 0:
            _before, _collects = sys.getrecursionlimit(), gc.isenabled()
            sys.setrecursionlimit(max(_before, MAX_DEPTH))
            gc.disable()
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                sys.setrecursionlimit(_before)
                if _collects:
                    gc.enable()


class converting:  # noqa: N801 - it is called, and left as a context
    """Room to convert, and an error of ours where Python's own stack or compiler gives up, or a pass.

    Args:
        what: what is converted.
        place: asked where it begins, if it is refused.

    Raises:
        ConversionError: `what` is nested too deeply, or Python does not compile what became of it.
    """

    def __init__(self, what: str, place: Callable[[], Place]):
        self.what, self.place = what, place
        self.room = big_trees()

    def __enter__(self) -> None:
        self.room.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.room.__exit__(kind, error, at)
        if isinstance(error, (RecursionError, MemoryError)):
            raise refusals.too_deep(self.what, self.place()) from error
        if isinstance(error, SyntaxError):
            if error.msg.startswith("too many"):  # blocks, parentheses, levels of indentation
                reason = f"{error.msg} in the converted code"
                raise refusals.too_deep(self.what, self.place(), reason) from error
            raise refusals.fault(self.what, self.place(), error.msg) from error
        if isinstance(error, PassError):
            raise refusals.broken_pass(str(error), self.place()) from error
