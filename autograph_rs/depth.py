"""Room for big trees: the walks over them recurse, and may begin deep in a program."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

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
