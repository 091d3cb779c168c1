"""Peel the first iteration of a loop if a variable that it carries has no value before it.

    best = None
    for x in xs:
        if best is None or x > best:
            best = x

A staged loop that carried a value which is None at first and an array later would test in each iteration
which it is. So the first iteration runs before the loop, with None, and the staged loop runs the remaining
ones. If the loop may run no iterations, a condition is around both. Programs of systems that have no results
which may be None raise an error instead.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..backends import Backend
from ..core.closures import nothing, set_nothing
from ..core.traces import current_trace
from ..errors import AliasError, MismatchError
from .branches.conditions import if_stmt


@dataclass(frozen=True)
class NoInitialValue:
    """The variables that are unbound or None before a loop, and therefore prevent it from being staged."""

    absent: Sequence[str]
    mismatch: Callable[[], MismatchError]

    @property
    def names(self) -> str:
        by_attribute = {name.rpartition(".")[2]: name for name in reversed(self.absent)}
        return ", ".join(reversed(by_attribute.values()))


def run_peeled(
    backend: Backend,
    conditions: Sequence[Any],
    run: Callable[[], None],
    state: tuple[Callable[[], tuple], Callable[[tuple], None], Sequence[str]],
    closures: Sequence[Any],
    found: NoInitialValue,
) -> None:
    """Run a loop with a peeled first iteration if all conditions are true. `closures` are the loop's own.

    If one of its variables cannot be None on one path, the program raises instead where a condition is false.
    """
    staged = [condition for condition in conditions if condition is not True]
    trace, code = current_trace(), closures[-1].__code__
    asserting = set() if trace is None else trace.asserting
    if staged and getattr(backend, "leaves_none", False) and code not in asserting:
        test = functools.reduce(lambda a, b: backend.and_(a, lambda: b), staged)
        try:
            if_stmt(backend, test, run, nothing, *state, len(state[2]), closures=closures)
        except (AliasError, MismatchError):  # an error of the body itself is raised again below
            asserting.add(code)
        else:
            return
    with _assert_all(backend, staged, found):
        run()


def _assert_all(
    backend: Backend, conditions: Sequence[Any], found: NoInitialValue
) -> contextlib.AbstractContextManager[Any]:
    """Make the program raise unless all conditions are true. The code in the `with` block runs afterwards."""
    error = AssertionError(
        f"a staged loop ran no iterations, and only its body assigns {found.names}: assign a value of the "
        "same type before the loop"
    )

    def fail() -> None:
        raise error

    checks = []
    for condition in conditions:
        if not getattr(backend, "can_raise", True):
            raise found.mismatch()
        if hasattr(backend, "fail"):
            checks.append(backend.fail(backend.not_(condition), error))
        else:
            if_stmt(backend, backend.not_(condition), fail, nothing, tuple, set_nothing, (), 0)
    return backend.after(checks) if checks and hasattr(backend, "after") else contextlib.nullcontext()


def first_and_rest(backend: Backend, iterated: Any, found: NoInitialValue) -> tuple[Any, Any, Any]:
    """Return whether an iterable has items, a function that returns the first one, and the rest.

    Raises:
        MismatchError: the iterable cannot be split.
    """
    parts = getattr(backend, "first_and_rest", lambda _: None)(iterated)
    if parts is None:
        raise found.mismatch()
    return parts
