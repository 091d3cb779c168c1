"""Python's loops that a staged condition ends."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..backends import Backend, staged_by
from ..errors import StagingError
from .conditions import if_stmt
from .loops import for_stmt
from .statement import nothing

MAX_UNROLLED = 10_000
MAX_WRITTEN_OUT = 4
"""So many rounds of a `range` are as well written out as looped over."""


def finish_for(
    backend: Backend,
    iterated: Any,
    items: Iterator[Any],
    extra_test: Callable[[], Any],
    body: Callable[[Any], None],
    state: tuple[Callable[[], tuple], Callable[[tuple], None], Sequence[str]],
    options: dict[str, Any],
) -> None:
    """The rest of a Python loop whose `break` turned out to be staged.

    What is left of a `range` is one loop, if the backend's numbers act like Python's and the body takes a
    staged one. Else each iteration stands under a condition.
    """
    get_state, set_state, names = state
    left = operator.length_hint(items) if type(iterated) is range else 0
    if left > MAX_WRITTEN_OUT and getattr(backend, "numbers_are_python", False):
        before = get_state()
        try:
            for_stmt(backend, iterated[len(iterated) - left :], extra_test, body, *state, options)
        except Exception:  # noqa: BLE001 - what fails with a staged number may do with those of the range
            set_state(before)
        else:
            return
    for count, item in enumerate(items):
        going = extra_test()
        owner = staged_by(going)
        if owner is None:
            if not going:
                return
            body(item)
            continue
        if count == MAX_UNROLLED:
            raise StagingError(
                f"a 'break' on a staged value did not end a Python loop after {MAX_UNROLLED} iterations: a "
                "plain iterator is unrolled to its end. Loop over a staged range or array, or use 'while'"
            )

        def iteration(item: Any = item) -> None:
            body(item)

        if_stmt(owner, going, iteration, nothing, get_state, set_state, names, len(names))
