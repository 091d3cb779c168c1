"""The tests for None that the current branches of a trace have decided."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..tracing.tensor import Optional, Staged


class _Outcomes(threading.local):
    def __init__(self) -> None:
        self.stack: list[tuple[Any, bool]] = []


_outcomes = _Outcomes()


@contextmanager
def assuming(test: Any, *, outcome: bool) -> Iterator[None]:
    """Make the outcome of a test known while a branch is captured."""
    _outcomes.stack.append((test, outcome))
    try:
        yield
    finally:
        _outcomes.stack.pop()


def is_known(value: Any) -> bool:
    """Return whether a value is known not to be None in the current branch."""
    if not isinstance(value, Optional):
        return True
    for test, outcome in _outcomes.stack:
        node = test.origin if isinstance(test, Staged) else None
        while node is not None and node.op == "not_":
            node, outcome = node.inputs[0], not outcome
        if node is not None and node.op == "is_none" and node.inputs[0] is value.origin and not outcome:
            return True
    return False
