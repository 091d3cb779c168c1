"""The first round of a loop before the loop, where a variable has nothing until then that a loop could carry.

    best = None
    for x in xs:
        if best is None or x > best:
            best = x

No staged loop carries what is None at first and an array later. So the first round runs on its own, with
None, and the staged loop is that of the others. A loop that runs no round then has no result: where only the
program can tell, it raises.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from ..backends import Backend
from ..empty import nothing, set_nothing
from ..errors import MismatchError
from .conditions import if_stmt


@dataclass(frozen=True)
class NothingBefore:
    """All that keeps a loop from being staged has no value, or is None, before it."""

    absent: Sequence[str]
    mismatch: Callable[[], MismatchError]

    @property
    def names(self) -> str:
        by_attribute = {name.rpartition(".")[2]: name for name in reversed(self.absent)}
        return ", ".join(reversed(by_attribute.values()))


def assert_runs(backend: Backend, conditions: Sequence[Any], names: str) -> AbstractContextManager[Any]:
    """Raise, when the program runs, if a loop is not entered; what is computed in the context comes after."""
    error = AssertionError(
        f"a staged loop runs no round, and only a round gives {names} a value: give it one of that type "
        "before the loop"
    )

    def fail() -> None:
        raise error

    checks = []
    for going in conditions:
        if going is True:
            continue
        if hasattr(backend, "fail"):
            checks.append(backend.fail(backend.not_(going), error))
        else:
            if_stmt(backend, backend.not_(going), fail, nothing, tuple, set_nothing, (), 0)
    return backend.after(checks) if checks and hasattr(backend, "after") else nullcontext()


def first_and_rest(
    backend: Backend, iterated: Any, going: Any, found: NothingBefore
) -> tuple[Any, Any] | None:
    """The first item of what a loop iterates, and an iterable of the others; None if there is no item.

    Raises:
        MismatchError: the backend cannot take it apart.
    """
    take: Callable[[Any], Any] | None = getattr(backend, "first_and_rest", None)
    parts = None if take is None else take(iterated)
    if parts is None:
        raise found.mismatch()
    is_there, first, rest = parts
    if is_there is False:
        return None
    with assert_runs(backend, (is_there, going), found.names):
        return first(), rest
