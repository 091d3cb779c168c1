"""The types of staged values, and the values that stand for what a program may lack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..undefined import Undefined, is_result
from . import Shared


@dataclass(frozen=True)
class Aval:
    """The dtype and shape of a staged value; `weak` ones take the dtype of what they meet."""

    dtype: Any
    shape: tuple[Any, ...]
    weak: bool = False

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"


@dataclass(frozen=True)
class MaybeAval:
    """A variable that some path leaves unbound."""

    held: Any
    name: str

    def __str__(self) -> str:
        return f"{self.held} or unbound"

    @property
    def is_flagged(self) -> bool:
        """Whether it is asked for; what a function returns is read on no path that leaves it unbound."""
        return not is_result(self.name)


class Maybe(Shared):
    """A staged value that is there only where `bound` is true when the program runs."""

    def __init__(self, value: Any, bound: Any, name: str):
        self.value, self.bound, self.name = value, bound, name


def is_bound(value: Any) -> Any:
    """Whether a variable has a value: known, or a staged truth value."""
    if isinstance(value, Maybe):
        return value.bound
    return not (isinstance(value, Undefined) or value is None)


@dataclass(frozen=True)
class ListAval:
    """What a branch, or one iteration, appends to a list."""

    items: tuple[Any, ...]

    def __str__(self) -> str:
        return f"list + [{', '.join(map(str, self.items))}]"


@dataclass(frozen=True, eq=False)
class Added:
    """The items that were appended to a list since the capture of a branch or iteration began."""

    items: tuple[Any, ...] = ()
