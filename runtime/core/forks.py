"""Runs of captured closures. A condition can *fork* one: what follows is captured for each outcome."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Mapping
from typing import Any, Self

from .active_backends import assuming
from .in_flight import running

MAX_FORKS = 64
"""How many times conditions may fork the runs of one trace. Five in a row do so 31 times."""


class Fork(BaseException):
    """End a run whose condition number `index` has to fork it, because `error` prevents the merge.

    `printed` is how often the trace has printed plain values since the condition.
    """

    def __init__(self, run: Run, index: int, error: Exception):
        self.run, self.index, self.error = run, index, error
        self.printed = run.printed_since(index)


class Reached(BaseException):
    """End a run at the condition up to which it has run again."""

    def __init__(self, run: Run, condition: Any):
        self.run, self.condition = run, condition


class Run:
    """A run of a function, a branch or the body of a loop, as a context manager. It numbers its conditions.

    `outcomes` has those that are decided, and `end` is the number of the condition that ends the run, if any.
    An earlier run has `printed` plain values so often after the condition that it forked at.
    """

    def __init__(
        self,
        outcomes: Mapping[int, bool] | None = None,
        end: int = -1,
        *,
        is_loop: bool = False,
        is_root: bool = False,
        printed: int = 0,
    ) -> None:
        self.is_loop, self.is_root = is_loop, is_root
        self._first = next(iter(outcomes or {-1: True}))
        self._is_ending = False
        self.outcomes, self.end = dict(outcomes or {}), end
        self._decided: list[tuple[Any, bool]] = []
        self.count = 0
        self.merging: int | None = None
        """The number of the condition whose branches are captured or merged."""
        self.depth = 0
        """The number of decided conditions whose branches are running."""
        self._prints: list[int] = []
        self._printed = self._to_skip = printed
        self._assumed = contextlib.ExitStack()

    def __enter__(self) -> Self:
        _stack.runs.append(self)
        self._is_in_try = running.flight is not None
        return self

    def __exit__(self, *_: object) -> None:
        _stack.runs.pop()
        self._assumed.close()

    def meet(self, condition: Any, is_same: Callable[[Any, Any], bool]) -> int:
        """Return the number of a condition. If its outcome is decided, assume it for the rest of the run."""
        index = self.count
        self.count += 1
        if index == self.end:
            self._is_ending = True
            raise Reached(self, condition)
        for decided, outcome in self._decided:
            if is_same(condition, decided):
                self.outcomes.setdefault(index, outcome)
        if index in self.outcomes:
            self._decided.append((condition, self.outcomes[index]))
            self._assumed.enter_context(assuming(condition, outcome=self.outcomes[index]))
        return index

    def note_print(self) -> None:
        """Note that the trace prints plain values."""
        self._prints.append(self.count)

    def printed_since(self, index: int) -> int:
        """Return how often this or an earlier run has printed plain values since a condition."""
        return self._printed if self.outcomes else sum(count > index for count in self._prints)

    def skips_print(self) -> bool:
        """Return whether the run of a function has printed plain values before, or prints them as it ends."""
        is_repeated = self.end >= 0 or self.count <= self._first
        if self._to_skip and not (is_repeated or self._is_ending or self.depth):
            self._to_skip -= 1
            return True
        return self.is_root and (is_repeated or self._is_ending)

    @property
    def can_fork(self) -> bool:
        """Whether the run can begin again: no `try` around it has begun, and none in it may have caught."""
        flight = running.flight
        is_tried = flight is not None and (
            any(region.rests for region in flight.regions) or flight.expected((Fork,))
        )
        is_ended = self._is_in_try or is_tried or self.end >= 0
        return _stack.forks < MAX_FORKS and not is_ended

    @property
    def is_exact(self) -> bool:
        """Whether a condition has to fork the run if values of two shapes would get one type."""
        return self.can_fork and not any(run.is_loop for run in _stack.runs)

    def fork_later(self, index: int, error: Exception) -> None:
        """Fork the run at a condition that it has passed, if the run goes on."""
        if self in _stack.runs and index not in self.outcomes:
            error.can_fork = True  # type: ignore[attr-defined]
            self.fork(index, error)

    def fork(self, index: int, error: Exception) -> None:
        """Fork the run at a condition, unless that cannot help or would be too costly."""
        if getattr(error, "can_fork", False) and self.can_fork:
            _stack.forks += 1
            self._is_ending = True
            raise Fork(self, index, error)


class _Stack(threading.local):
    def __init__(self) -> None:
        self.runs: list[Run] = []
        self.forks = 0


_stack = _Stack()


def is_forked() -> bool:
    """Return whether the outcome of a condition is decided for what is captured."""
    return any(run.outcomes for run in _stack.runs)


def current_run() -> Run | None:
    return _stack.runs[-1] if _stack.runs else None


def begin_trace() -> None:
    """Count forks from 0, unless another trace surrounds the one that begins."""
    if not _stack.runs:
        _stack.forks = 0
