"""Peel the first iteration of a loop if a variable that it carries has no value before it.

    best = None
    for x in xs:
        if best is None or x > best:
            best = x

A staged loop cannot carry a value that is None at first and an array later. So the first iteration runs
before the loop, with None, and the staged loop runs the remaining ones. If the loop runs no iterations,
the program raises an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from ..backends import Backend
from ..core.closures import nothing, set_nothing
from ..errors import MismatchError
from .conditions import if_stmt


@dataclass(frozen=True)
class NoInitialValue:
    """The variables that are unbound or None before a loop, and therefore prevent it from being staged."""

    absent: Sequence[str]
    mismatch: Callable[[], MismatchError]

    @property
    def names(self) -> str:
        by_attribute = {name.rpartition(".")[2]: name for name in reversed(self.absent)}
        return ", ".join(reversed(by_attribute.values()))


def assert_runs(
    backend: Backend, conditions: Sequence[Any], found: NoInitialValue
) -> AbstractContextManager[Any]:
    """Make the program raise if a loop runs no iterations. Code in the `with` block runs after this check."""
    error = AssertionError(
        f"a staged loop ran no iterations, and only its body assigns {found.names}: assign a value of the "
        "same type before the loop"
    )

    def fail() -> None:
        raise error

    checks = []
    for condition in conditions:
        if condition is True:
            continue
        if not getattr(backend, "can_raise", True):
            raise found.mismatch()
        if hasattr(backend, "fail"):
            checks.append(backend.fail(backend.not_(condition), error))
        else:
            if_stmt(backend, backend.not_(condition), fail, nothing, tuple, set_nothing, (), 0)
    return backend.after(checks) if checks and hasattr(backend, "after") else nullcontext()


def first_and_rest(
    backend: Backend, iterated: Any, first_test: Any, found: NoInitialValue
) -> tuple[Any, Any] | None:
    """Return the first item of an iterable and an iterable of the rest, or None if it is empty."""
    parts = getattr(backend, "first_and_rest", lambda _: None)(iterated)
    if parts is None:
        raise found.mismatch()
    is_there, first, rest = parts
    if is_there is False:
        return None
    with assert_runs(backend, (is_there, first_test), found):
        return first(), rest
