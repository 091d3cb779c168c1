"""Unroll Python loops that a staged condition ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..backends import staged_by
from ..core.closures import nothing
from ..errors import UnrolledLoopError
from .conditions import if_stmt

MAX_UNROLLED = 10_000


def finish_unrolled(
    items: Iterator[Any],
    extra_test: Callable[[], Any],
    body: Callable[[Any], None],
    get_state: Callable[[], tuple],
    set_state: Callable[[tuple], None],
    names: Sequence[str],
) -> None:
    """Run each remaining iteration of a Python loop under the staged condition that the loop continues."""
    for count, item in enumerate(items):
        test_result = extra_test()
        owner = staged_by(test_result)
        if owner is None:
            if not test_result:
                return
            body(item)
            continue
        if count == MAX_UNROLLED:
            raise UnrolledLoopError(
                f"a 'break' on a staged value did not end a Python loop within {MAX_UNROLLED} iterations",
                why="a plain iterator is unrolled to its end, because the iteration in which the loop "
                "breaks is known only when the graph runs",
                remedy="use 'while', or loop over a staged range or array",
            )

        def iteration(item: Any = item) -> None:
            body(item)

        if_stmt(owner, test_result, iteration, nothing, get_state, set_state, names, len(names))
