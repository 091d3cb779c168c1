"""Room for big trees: the walks over them recurse, and may begin deep in a program."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from autograph_rs.runtime.errors import ConversionError

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


@contextmanager
def converting(what: str) -> Iterator[None]:
    """Room to convert, and an error of ours where Python's own stack or compiler gives up.

    Raises:
        ConversionError: `what` is nested too deeply, or Python does not compile what became of it.
    """
    try:
        with big_trees():
            yield
    except (RecursionError, MemoryError) as error:
        raise ConversionError(f"{what} is nested too deeply to be converted") from error
    except SyntaxError as error:
        if error.msg.startswith("too many"):  # blocks, parentheses, levels of indentation
            reason = f"is nested too deeply to be converted: {error.msg} in the converted code"
        else:
            reason = f"cannot be converted, a fault of autograph_rs: Python refuses the code: {error.msg}"
        raise ConversionError(f"{what} {reason}") from error
