"""What a caller knows of the machine code of a region: the layout of its frame, and where it may give up."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..assembly.kinds import Kind
from .bailouts import Checkpoint

FRAME_HEADER = 2
"""The words of a frame before its values."""
FUNCTIONS = ("call_region", "call_finish", "release_all")
"""The functions of a region that Python calls."""
SHARED_FUNCTIONS = ("call_parts", "work")
"""Those of a region in one loop, besides."""


@dataclass(frozen=True)
class Leaving:
    """A value that leaves machine code.

    Args:
        kind: the kind of a number, or of the elements; None if there never is a value.
        rank: of an array, or of the arrays in a list; -1 for a number or a list of numbers.
        source: the index of the input that an array is.
        is_list: whether it is a list.
        is_maybe: whether it may be unbound or None.
        is_optional: whether it is None rather than unbound if it has no value.
        shape: the dimensions of the arrays in a list.
        others: the indices of the values leaving with it whose memory it may share.
    """

    kind: Kind | None
    rank: int = -1
    source: int | None = None
    is_list: bool = False
    is_maybe: bool = False
    is_optional: bool = False
    shape: tuple[int, ...] = ()
    others: tuple[int, ...] = ()

    @property
    def words(self) -> int:
        own = 3 if self.is_list else 1 if self.rank < 0 else 2 + self.rank
        return own + self.is_maybe

    @property
    def is_object(self) -> bool:
        """Whether its elements are copied into a new array object."""
        return self.source is None and self.kind is not None and (self.is_list or self.rank >= 0)

    @property
    def is_array(self) -> bool:
        """Whether it is an array, and not always the same input."""
        return self.is_object and not self.is_list


@dataclass
class RegionCode:
    """What is needed to call the machine code of a region."""

    symbols: list[str]
    words: int
    outputs: list[Leaving]
    checkpoints: list[Checkpoint]
    exits: dict[int, list[Leaving]] = field(default_factory=dict)
    allocates: bool = False
    uses_floats: bool = False
    only_read: tuple[int, ...] = ()
    """The inputs of which copies serve as well: nothing writes to them, and no result is a view of them."""
