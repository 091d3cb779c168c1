"""`try` and `with` on backends that cannot record a branch statement by statement.

There an exception under a staged condition cannot arrive at a handler, so it is refused.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...core.in_flight import running
from ..branches.exceptions import iteration_error
from .flight import Attempt, Flight, refusal


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
            if attempt is not None and attempt.is_own and attempt.names(kind):
                why = "the program raises it when it runs, and by then the loop or next() has ended"
                raise iteration_error(error, "__next__", why, "loop over an array, a range or a list")
            if attempt is not None and any(entered.names(kind) for entered in attempt.entered):
                raise refusal(f"{kind.__name__} is raised under a staged condition") from error


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
