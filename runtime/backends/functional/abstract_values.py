"""Types of staged values, and the values that represent unbound variables and appended list items."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from ...core.undefined import is_return_variable
from .. import BackendNeutral

SMALL = 1024
"""The largest number of elements that a branch may compute with, although it might not run."""


def is_small(shape: Sequence[Any]) -> bool:
    """Return whether an array of a shape, whose sizes may be unknown or symbolic, is surely small."""
    return all(isinstance(size, int) for size in shape) and math.prod(shape) <= SMALL


@dataclass(frozen=True)
class Aval:
    """The dtype and shape of a staged value. A `weak` dtype yields to the dtype of the other operand."""

    dtype: Any
    shape: tuple[Any, ...]
    weak: bool = False

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"


@dataclass(frozen=True)
class MaybeAval:
    """The type of a variable that some path leaves unbound; `aval` is its type where it is bound."""

    aval: Any
    name: str

    def __str__(self) -> str:
        return f"{self.aval} or unbound"

    @property
    def is_flagged(self) -> bool:
        """Return whether a staged flag records that the variable is bound. Function results need no flag."""
        return not is_return_variable(self.name)


class Maybe(BackendNeutral):
    """A staged value that exists only if `bound` is true when the program runs."""

    def __init__(self, value: Any, bound: Any, name: str):
        self.value, self.bound, self.name = value, bound, name

    @property
    def may_be_none(self) -> bool:
        return getattr(self.value, "may_be_none", False)


@dataclass(frozen=True)
class OptionalAval:
    """The type of a value that may be None when the program runs; `aval` is its type where it is not."""

    aval: Any

    def __str__(self) -> str:
        return f"{self.aval} or None"


@dataclass(frozen=True)
class ListAval:
    """The types of the items that a branch, or one iteration, appends to a list."""

    items: tuple[Any, ...]

    def __str__(self) -> str:
        return f"list + [{', '.join(map(str, self.items))}]"


@dataclass(frozen=True, eq=False)
class AppendedItems:
    """The items appended to a list since the capture of a branch or iteration began."""

    items: tuple[Any, ...] = ()


class Compound(BackendNeutral):
    """A staged value that several arrays hold."""

    @property
    def parts(self) -> list[Any]:
        """The arrays that hold the value."""
        raise NotImplementedError

    def with_parts(self, parts: Sequence[Any]) -> Self:
        """Return a value of the same kind that other arrays hold."""
        raise NotImplementedError

    def known(self, parts: Sequence[Any]) -> Any:
        """Return the value that the arrays hold once the program runs."""
        raise NotImplementedError
