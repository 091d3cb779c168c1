"""`if` and `while` of our own code: Python's where the condition is plain, and staged otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import staging
from ..backends import staged_by
from ..backends.builtins import DISPATCHING


def branch(condition: Any, body: Callable[[], None], orelse: Callable[[], None], *state: Any) -> None:
    """`if condition: body() else: orelse()`

    `state` are the accessors, the names and the number of outputs.
    """
    condition = DISPATCHING[id(bool)](condition)
    backend = staged_by(condition)
    if backend is not None:
        staging.if_stmt(backend, condition, body, orelse, *state)
    elif condition:
        body()
    else:
        orelse()


def repeat_while(
    test: Callable[[], Any],
    body: Callable[[], None],
    get_state: Callable[[], tuple[Any, ...]],
    set_state: Callable[[tuple[Any, ...]], None],
    names: tuple[str, ...],
) -> None:
    """`while test(): body()`, staged from the first iteration whose test is staged."""
    while True:
        condition = DISPATCHING[id(bool)](test())
        backend = staged_by(condition)
        if backend is None and not condition:
            return
        if backend is None:
            body()
            continue
        staging.while_stmt(backend, condition, test, body, get_state, set_state, names, {})
        return
