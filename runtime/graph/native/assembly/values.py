"""Values of a graph in machine code: LLVM registers and what is known about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from .kinds import Kind


@dataclass(frozen=True)
class Check:
    """An operation on floats that may warn: `result` is computed from `operands`."""

    result: str
    operands: tuple[str, ...]
    llvm: str


@dataclass(frozen=True)
class Scalar:
    """A number in a register. `checks` are operations whose warnings have not been ruled out yet.

    If one of them gave infinity or NaN, so does the number itself. `bounds` are the smallest and largest
    value that an integer can have, if they are known. `may_raise` says that a float of an array operation
    must be computed for the flags that this may raise.
    """

    register: str
    kind: Kind
    checks: frozenset[Check] = frozenset()
    constant: Any = None
    bounds: tuple[int, int] | None = None
    may_raise: bool = False

    @property
    def interval(self) -> tuple[int, int]:
        """The smallest and largest value that an integer can have."""
        if self.bounds is not None:
            return self.bounds
        return self.kind.range


@dataclass(frozen=True)
class Array:
    """An array: its address, dimensions and strides in bytes as registers or literals.

    `block` is the register with the address of the memory block that a region allocated, or "null" for
    memory of the caller. `strides` is None for a C-contiguous array. Arrays with different roots share no
    memory; an array whose `root` is None may share memory with any other.
    """

    kind: Kind
    address: str
    dims: tuple[str, ...]
    block: str = "null"
    strides: tuple[str, ...] | None = None
    root: str | None = None


@dataclass(frozen=True)
class List:
    """A Python list of numbers, or of arrays of one rank. Its elements are in a block that may grow.

    The element of a list of arrays is a row of words: the block, the address, the dimensions.
    """

    kind: Kind
    rank: int  # of the elements, or -1 for numbers
    address: str
    length: str
    capacity: str
    block: str = "null"

    @property
    def element_size(self) -> int:
        return self.kind.size if self.rank < 0 else 8 * (2 + self.rank)


@dataclass(frozen=True)
class Maybe:
    """A variable that is unbound unless the register `is_bound` says otherwise."""

    is_bound: str
    value: Scalar | Array | List


@dataclass(frozen=True)
class Access:
    """The element that a loop over arrays has reached: its indices, or its position in contiguous arrays."""

    indices: tuple[str, ...]
    position: str | None = None


@dataclass(frozen=True, eq=False)
class Expression:
    """Element-wise operations that have not been computed yet. `element` emits the value of one element."""

    kind: Kind
    dims: tuple[str, ...]
    element: Callable[[Access], Scalar]
    arrays: tuple[Array, ...]
    may_warn: bool


@dataclass(frozen=True)
class Range:
    start: Scalar
    stop: Scalar
    step: Scalar


@dataclass(frozen=True)
class Zip:
    parts: tuple[Iterable, ...]


@dataclass(frozen=True)
class Enumerate:
    source: Iterable
    start: Scalar


@dataclass(frozen=True)
class Reversed:
    source: Iterable


Iterable: TypeAlias = Array | List | Range | Zip | Enumerate | Reversed


@dataclass(frozen=True)
class Tuple:
    """Several results of one node."""

    parts: tuple[Any, ...] = field(default=())


Value: TypeAlias = Scalar | Array | List | Maybe | Expression | Range | Zip | Enumerate | Reversed | Tuple
