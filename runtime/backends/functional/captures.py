"""The records of captured closures and loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ...errors import RaiseInTryError


@contextmanager
def undone_after(backend: Any, error: type[BaseException]) -> Iterator[None]:
    """Refuse to run the `with` block again if it had effects, which cannot be taken back."""
    try:
        yield
    except error as again:
        if not backend.has_effects():
            raise
        raise RaiseInTryError(
            "a plain list or array changes in a 'try' or 'with', after a statement that may raise",
            why=f"the block would be traced again, and the effects that {backend.name} has recorded remain",
            remedy="use an array instead of the list, or print after the block",
        ) from again


@dataclass
class Capture:
    """The trace of one closure.

    `leaves` are what an open branch leaves in variables, and `lists` the outer lists that a closure changed,
    by identity, each with its earlier state.
    """

    value: Any = None
    raised: BaseException | None = None
    writes: list[tuple[Any, Any]] = field(default_factory=list)
    leaves: Sequence[Any] = ()
    lists: dict[int, tuple[Any, Any]] = field(default_factory=dict)

    def restore_lists(self) -> None:
        """Record the contents of changed lists as writes, and restore the lists."""
        for changed, before in self.lists.values():
            self.writes.append((changed, changed.read()))
            changed.restore(before)


@dataclass
class ProgramCapture(Capture):
    """A closure captured as a program from arrays to arrays.

    `results` are the program's results; `positions` maps the id of a leaf that the closure returned to its
    index among them. `failed` is true, or staged and true at run time, if the closure raised. `known_results`
    contains the ids of the results that are not staged. `is_body` is whether it is the body of a loop.
    """

    program: Any = None
    results: list[Any] = field(default_factory=list)
    positions: dict[int, int] = field(default_factory=dict)
    failed: Any = False
    known_results: set[int] = field(default_factory=set)
    is_body: bool = False


@dataclass(frozen=True)
class Loop:
    """A captured loop: `body` runs if `first_test` is true, and again as long as `next_test` is true.

    `init` and `types` are the initial values and the types of the carried variables, and `results` the leaves
    that hold them after an iteration.
    """

    first_test: Any
    init: Sequence[Any]
    types: Sequence[Any]
    body: Any
    next_test: Any
    results: Sequence[Any]
    options: dict[str, Any]

    @property
    def limit(self) -> Any:
        return self.options.get("maximum_iterations")

    @property
    def is_unconditional(self) -> bool:
        """Return whether only the number of iterations ends the loop."""
        return self.first_test is True and self.next_test is True
