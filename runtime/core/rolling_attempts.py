"""Attempts to roll a Python loop into one staged loop, and what they notice of the loop's body.

In an unrolled loop the counter is a plain number, in a rolled one it is staged. Python code can tell them
apart: it can index a list of unlike things by a plain number, use it as a dict key, or pass it to a function
that stays unconverted. So an *attempt* captures the body with plain counters and with the staged one, and
counts in each capture the *uses*: the places where the body inspects a staged value, and the errors that
arise. If the staged counter leads to further uses, or if an iteration has an effect that cannot be undone,
the attempt ends with `CannotRoll`.
"""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

MAX_MERGED, MAX_GROWTH = 500, 4
"""How many values the conditions of a rolled body may merge, and how many times those of the plain body."""


class CannotRoll(BaseException):
    """End an attempt: the iterations of the loop have to be staged one by one."""


class Attempt:
    """An attempt to roll the iterations over `items`."""

    def __init__(self, items: range):
        self.items = items
        self.counter: Any = None
        """The staged counter, while the body is captured with it."""
        self.is_costly = False
        """Whether the attempt has ended because the rolled loop would be much larger than the body."""
        self._merged = {True: 0, False: 0}
        """The number of values that conditions have merged, by whether the counter was plain."""
        self._is_plain = True
        self.uses: Counter[Any] = Counter()
        self._plain_uses: Counter[Any] = Counter()
        self._staged_uses: Counter[Any] = Counter()

    @contextlib.contextmanager
    def capturing(self, *, is_plain: bool) -> Iterator[None]:
        """Count the uses of one capture of the body, with a plain counter or with the staged one."""
        self.uses, self._is_plain = Counter(), is_plain
        try:
            yield
        finally:
            self.counter = None
            if is_plain:
                self._plain_uses |= self.uses
            else:
                self._staged_uses |= self.uses

    def check_uses(self) -> None:
        """End the attempt if a capture with the staged counter had more uses than those with plain ones."""
        if self._staged_uses - self._plain_uses:
            raise CannotRoll

    def add_merged(self, count: int) -> None:
        """Count values that a condition merges. The counter may decide conditions that were plain before."""
        self._merged[self._is_plain] += count
        self.is_costly = self._merged[False] > MAX_MERGED + MAX_GROWTH * self._merged[True]
        if self.is_costly:
            raise CannotRoll

    def commit(self) -> None:
        """Count the uses of the rolled loop as those of the attempt around it."""
        for outer in _running.attempts[-2:-1]:
            outer.uses += self._plain_uses


class _Running(threading.local):
    def __init__(self) -> None:
        self.attempts: list[Attempt] = []


_running = _Running()
WHILE_ROLLING: list[Callable[[], AbstractContextManager[Any]]] = []
"""Factories of context managers that surround each attempt."""


@contextlib.contextmanager
def rolling(items: range) -> Iterator[Attempt]:
    attempt = Attempt(items)
    with contextlib.ExitStack() as stack:
        for surround in WHILE_ROLLING:
            stack.enter_context(surround())
        _running.attempts.append(attempt)
        stack.callback(_running.attempts.pop)
        yield attempt


def is_rolling() -> bool:
    """Return whether this thread is attempting to roll a loop."""
    return bool(_running.attempts)


def refuse_rolling() -> None:
    """End the innermost attempt, if any, before something happens that cannot be undone or repeated."""
    if _running.attempts:
        raise CannotRoll


def note_merged(count: int) -> None:
    """Count values that a condition merges. End an attempt for which they are too many."""
    for attempt in _running.attempts:
        attempt.add_merged(count)


def note_use(*use: Any) -> None:
    """Count a use, if an attempt is running."""
    if _running.attempts:
        _running.attempts[-1].uses[use] += 1


def counted_range(value: Any) -> range | None:
    """Return the values that `value` takes if it is the staged counter of a running attempt, else None."""
    return next((a.items for a in _running.attempts if a.counter is not None and a.counter is value), None)
