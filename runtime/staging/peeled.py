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
from dataclasses import dataclass
from typing import Any

from ..backends import Backend
from ..errors import MismatchError
from .conditions import if_stmt
from .statement import nothing, set_nothing


@dataclass(frozen=True)
class NothingBefore:
    """All that keeps a loop from being staged has no value, or is None, before it."""

    absent: Sequence[str]
    mismatch: MismatchError

    @property
    def names(self) -> str:
        return ", ".join(self.absent)


def assert_runs(backend: Backend, going: Any, name: str) -> None:
    """Raise, when the program runs, if a loop is not entered."""

    def fail() -> None:
        raise AssertionError(
            f"a staged loop runs no round, and {name}, which it gives a value, has none before it: give it "
            "one of that type"
        )

    if going is not True:
        if_stmt(backend, backend.not_(going), fail, nothing, tuple, set_nothing, (), 0)


def fewer(options: dict[str, Any]) -> dict[str, Any]:
    """The options of a loop that has run one of its rounds."""
    most = options.get("maximum_iterations")
    return options if most is None else {**options, "maximum_iterations": most - 1}


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
        raise found.mismatch
    is_there, first, rest = parts
    if is_there is False:
        return None
    for holds in (is_there, going):
        assert_runs(backend, holds, found.names)
    return first(), rest
