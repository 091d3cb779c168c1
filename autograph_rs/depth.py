"""Room for deep trees: the walks over them recurse, and may begin deep in a program."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

MAX_DEPTH = 20_000

_lock = threading.Lock()
_users = 0
_before = 0


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Raise the interpreter's recursion limit while any thread converts."""
    global _users, _before  # noqa: PLW0603 - the limit is global too
    with _lock:
        if _users == 0:
            _before = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_before, MAX_DEPTH))
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                sys.setrecursionlimit(_before)
