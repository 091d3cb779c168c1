"""What a `GradientTape` records outside of any trace: calls, with their arguments and results.

A `Taped` value computes at once, as the array that it holds, and notes each call. For a gradient the calls
are made once more in a trace, with staged values in the place of the taped ones; what comes of it is a graph
as any other.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from ..variables import Variable

_session: ContextVar[Session | None] = ContextVar("autograph_rs_tape", default=None)


@dataclass
class Entry:
    """One call. `state` are the variables that it reads, each with its value then, `left` those that it wrote."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    result: Any
    state: list[tuple[Variable, Taped]] = field(default_factory=list)
    left: list[tuple[Variable, Taped]] = field(default_factory=list)


class Session:
    """What is recorded while the outermost of some tapes is open."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.variables: dict[int, tuple[Variable, Taped]] = {}

    def of(self, variable: Variable) -> Taped:
        """The taped value that a variable has now."""
        known = self.variables.get(id(variable))
        if known is None:
            known = self.variables[id(variable)] = variable, Taped(variable.array.copy()[()])
        return known[1]


def session() -> Session | None:
    return _session.get()
