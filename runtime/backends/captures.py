"""What systems share whose captures are programs from arrays to arrays, which conditions and loops run.

The results of a program are found by the identity of what the closure left. A list from outside, which a
capture may append to, is no array: it is neither an argument nor a part of what a loop carries.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import StagingError
from .avals import Added, ListAval, Maybe
from .functional import Capture, FunctionalBackend
from .texts import Text, resolved


class CapturingBackend(FunctionalBackend):
    """Arguments, results and carried values of captured programs."""

    an_array = "an array"

    # Captures

    def argument_types(self, kinds: Sequence[Any]) -> list[Any]:
        """The types of the arrays in which the arguments of a closure are held."""
        return [part for kind in kinds if not isinstance(kind, ListAval) for part in self.parts(kind)]

    def arguments(self, kinds: Sequence[Any], arrays: Sequence[Any]) -> list[Any]:
        """The arguments of a closure out of their arrays; of a list, that nothing was appended as yet."""
        held = iter(self.built([k for k in kinds if not isinstance(k, ListAval)], arrays))
        return [Added() if isinstance(kind, ListAval) else next(held) for kind in kinds]

    def value_of(self, capture: Capture, values: Sequence[Any]) -> Callable[[Any], Any]:
        """From a leaf that a closure left to its value among the results of the program."""

        def value(leaf: Any) -> Any:
            if isinstance(leaf, Maybe):
                return Maybe(value(leaf.value), value(leaf.bound), leaf.name)
            if isinstance(leaf, Added):
                return Added(tuple(map(value, leaf.items)))
            place = capture.places.get(id(leaf))
            return leaf if place is None else values[place]

        return value

    # Conditions

    def sides(
        self, values_of: Sequence[Callable[[Any], Any]], outputs: Sequence[tuple[Any, Any, Any]]
    ) -> list[list[Any]]:
        """The arrays in which each path holds what it leaves."""
        return [
            [a for out in outputs for a in self.held(value_of(out[side]), out[2])]
            for side, value_of in enumerate(values_of)
        ]

    # Loops

    def carried(self, values: Sequence[Any], types: Sequence[Any]) -> list[Any]:
        """The arrays in which the values of a loop are held, but for lists."""
        pairs = zip(values, types, strict=True)
        return [a for value, kind in pairs if not isinstance(kind, ListAval) for a in self.held(value, kind)]

    def left(self, value_of: Callable[[Any], Any], results: Sequence[Any], types: Sequence[Any]) -> list[Any]:
        """The arrays that an iteration leaves."""
        return self.carried([value_of(leaf) for leaf in results], types)

    def gathered(
        self, types: Sequence[Any], init: Sequence[Any], left: Sequence[Any], rows: Sequence[Sequence[Any]]
    ) -> list[Any]:
        """What a loop leaves, of the arrays that it carried and the rows that its iterations appended."""
        held = iter(self.built([k for k in types if not isinstance(k, ListAval)], left))
        found: list[Any] = []
        start = 0
        for kind, value in zip(types, init, strict=True):
            if isinstance(kind, ListAval):
                end = start + len(kind.items)
                found.append(Added((*value.items, *[a for row in rows for a in row[start:end]])))
                start = end
            else:
                found.append(next(held))
        return found

    def refuse_lists(self, types: Sequence[Any]) -> None:
        if any(isinstance(kind, ListAval) for kind in types):
            raise StagingError(
                "a list is appended to in a loop whose number of rounds is known only at run time",
                why=f"{self.name} has no arrays of such a length",
                remedy=f"make {self.an_array} of the greatest length before the loop and write "
                "its items, or loop a fixed number of times",
            )

    # Texts

    def fmt(self, value: Any, conversion: str) -> Any:
        return Text.mark(value, conversion)

    def text(self, text: str) -> Any:
        return resolved(text)
