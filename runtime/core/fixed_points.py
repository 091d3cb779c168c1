"""Searches for the types of what loops carry, and the places whose types only a later capture finds.

    for x in xs:
        if x < 0:
            return np.array(found)
        found.append(x)

The first capture of this body meets the list before anything has been appended to it. Its path ends at that
place, so that the others find the type of the items, and the outermost loop is captured again.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Hashable, Iterator


class _Search(threading.local):
    depth = 0
    """How many loops around the current place are being captured."""

    def __init__(self) -> None:
        self.ended: set[Hashable] = set()
        """The places at which a path of the current capture of the outermost loop has ended."""
        self.passed: set[Hashable] = set()
        """Those of earlier captures."""


_search = _Search()


@contextlib.contextmanager
def searching() -> Iterator[None]:
    """Surround the captures of one loop."""
    _search.depth += 1
    try:
        yield
    finally:
        _search.depth -= 1
        if not _search.depth:
            _search.ended, _search.passed = set(), set()


def is_searching() -> bool:
    """Return whether a loop is being captured."""
    return _search.depth > 0


def begin_capture() -> None:
    """Begin a capture of the innermost loop."""
    if _search.depth == 1:
        _search.ended = set()


def is_complete() -> bool:
    """Return whether no path of a capture has ended early that has found all other types.

    Only the outermost loop has to be captured again.
    """
    if _search.depth > 1 or not _search.ended:
        return True
    _search.passed |= _search.ended
    _search.ended = set()
    return False


def end_path(place: Hashable) -> bool:
    """Note that a path ends at a place, and return whether it may.

    It may not if all other types have been found without the rest of the path.
    """
    if place in _search.passed:
        return False
    _search.ended.add(place)
    return True
