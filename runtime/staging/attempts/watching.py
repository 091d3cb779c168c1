"""`try` and `with` on backends that cannot record a branch statement by statement.

There an exception under a staged condition cannot arrive at a handler, so it is refused.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...errors import RaiseInTryError
from ..state.in_flight import running
from .flight import Attempt, Flight


class Watch(Flight):
    """The statements that are running."""

    def run(self, statement: Any, closure: Callable[[], Any], skipped: Any) -> tuple[Any, bool]:
        return closure(), False

    def go_on(self, backend: Any) -> None:
        pass

    def reached(self) -> tuple[list[Any], list[Any]]:
        return [], []

    def refuse(self, error: BaseException) -> None:
        kind = type(error)
        for _, attempt in self._protected():
            if attempt is not None and any(entered.names(kind) for entered in attempt.entered):
                raise _refusal(f"{kind.__name__} is raised under a staged condition") from error

    def refuse_item(self) -> None:
        """Raise if an index out of bounds would have to arrive at a handler."""
        if self.expected((IndexError,)):
            raise _refusal("an item is read or written at a staged index")


def _refusal(what: str) -> RaiseInTryError:
    return RaiseInTryError(
        f"{what}, inside a 'try' or 'with' that catches the exception",
        why="the program raises it when it runs, and by then the 'try' or 'with' has ended",
        remedy="test the condition instead of catching the exception",
    )


@contextlib.contextmanager
def watching(
    body: Callable[[], None], kinds: Callable[[], tuple], caught: Sequence[str], get_state: Any
) -> Iterator[None]:
    """Refuse what the statement in the `with` block would have to catch when the program runs."""
    outer = running.flight
    if outer is None:
        running.flight = Watch()
    running.flight.attempts.append(Attempt(body, kinds, caught, get_state))
    try:
        yield
    finally:
        running.flight.attempts.pop()
        running.flight = outer
