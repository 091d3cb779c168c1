"""Closures captured as programs from arrays to arrays, for conditionals and loops to run.

A program's result is looked up by the identity of the leaf that the closure returned. A list that a capture
appends to is not an array: it is neither an argument nor a carried value.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from ...errors import StagingError
from ...staging.branches.exceptions import is_own_raise
from ...staging.state.mismatches import UNEQUAL_LENGTHS
from ...values.structures import flatten
from .abstract_values import AppendedItems, Compound, ListAval, Maybe
from .backend import FunctionalBackend, Outputs
from .captures import Loop, ProgramCapture
from .growing_lists import GrowingList
from .iterables import StagedSequence
from .nullable_values import is_flagged
from .optional_values import Optional
from .staged_text import is_text, resolve_markers


class CapturingBackend(FunctionalBackend):
    """Arguments, results and carried values of captured programs."""

    array_noun = "an array"
    length_remedy = "use an array and a count"
    """What allows paths to append different numbers of items to a list."""
    libraries: tuple[str, ...] = ()

    def is_user_error(self, error: BaseException) -> bool:
        return is_own_raise(error, self.libraries)

    # Captures

    def result_arrays(self, capture: ProgramCapture, leaves: Sequence[Any]) -> list[Any]:
        """Return the result arrays of a program from the leaves that its closure returned."""
        writes = [value for _, value in capture.writes]
        capture.results = self.arrays_in([*leaves, *flatten(capture.value)[0], *writes, capture.failed])
        capture.positions = {id(array): i for i, array in enumerate(capture.results)}
        return capture.results

    def argument_avals(self, avals: Sequence[Any]) -> list[Any]:
        """Return the types of the arrays that hold the arguments of a closure."""
        return [part for aval in avals if not isinstance(aval, ListAval) for part in self.array_avals(aval)]

    def arguments(self, avals: Sequence[Any], arrays: Sequence[Any]) -> list[Any]:
        """Return the arguments that arrays hold; lists start without appended items."""
        values = iter(self.from_arrays([a for a in avals if not isinstance(a, ListAval)], arrays))
        return [AppendedItems() if isinstance(aval, ListAval) else next(values) for aval in avals]

    run_program: Callable[[ProgramCapture, Sequence[Any]], Sequence[Any]]
    """Run a captured program in the current trace; return its results."""

    def results(self, capture: ProgramCapture, arguments: Sequence[Any]) -> Callable[[Any], Any]:
        """Run a captured program; return a function that maps a leaf of the closure to its value."""
        return self.result_lookup(capture, self.run_program(capture, arguments))

    def result_lookup(self, capture: ProgramCapture, values: Sequence[Any]) -> Callable[[Any], Any]:
        """Return a function that maps a leaf of a closure to its value among a program's results."""

        def value_of(leaf: Any) -> Any:
            if isinstance(leaf, Maybe):
                return Maybe(value_of(leaf.value), value_of(leaf.bound), leaf.name)
            if isinstance(leaf, Optional):
                return self.optional_value(value_of(leaf.value), value_of(leaf.is_present))
            if isinstance(leaf, AppendedItems):
                return AppendedItems(tuple(map(value_of, leaf.items)))
            if isinstance(leaf, Compound):
                return leaf.with_parts([value_of(part) for part in leaf.parts])
            position = capture.positions.get(id(leaf))
            return leaf if position is None else values[position]

        return value_of

    def branch_arrays(self, value_of: Callable[[Any], Any], outputs: Outputs, branch: int) -> list[Any]:
        """Return the arrays that hold the outputs of a conditional in one branch."""
        return [array for out in outputs for array in self.to_arrays(value_of(out[branch]), out[2])]

    # Loops

    run_loop: Callable[[Loop, Any, Callable[[Any], list[Any]], int | None], list[Any]]
    """Stage a loop of at most `length` iterations, or of any number if `length` is None.

    `element(i)` returns the leaves of the i-th item, and `most` is the largest value of a staged `length`, or
    None.
    """
    scan: Callable[[Loop, StagedSequence, int], list[Any]]
    """Stage a loop of known length, which stacks the items appended to lists and supports reverse mode."""

    def element_leaves(self, item: Any) -> list[Any]:
        return flatten(item)[0]

    def sources(self, iterated: Any) -> list[Any]:
        return list(self.sequence(iterated).arrays)

    def stage_while(self, loop: Loop) -> list[Any]:
        self._reject_growing_lists(loop.types)
        return self.run_loop(loop, self._limit(loop), lambda _: [], None)

    def stage_for(self, iterated: Any, loop: Loop) -> list[Any]:
        items, limit = self.sequence(iterated), self._limit(loop)
        length = items.length if isinstance(items.count, int) else items.count
        most = items.most
        if limit is not None:
            length = self.min_length(length, limit)
            most = limit if most is None or (isinstance(limit, int) and limit < most) else most
        if loop.is_unconditional and isinstance(length, int):
            return self.scan(loop, items, length)
        self._reject_growing_lists(loop.types)
        most = most if isinstance(most, int) else None
        return self.run_loop(loop, length, lambda i: self.element_leaves(items.item(i)), most)

    def _limit(self, loop: Loop) -> Any:
        limit = loop.limit
        return limit if limit is None or self.is_array(limit) else operator.index(limit)

    def carried_arrays(self, loop: Loop, values: Sequence[Any]) -> list[Any]:
        """Return the arrays that hold the carried variables other than lists."""
        pairs = zip(values, loop.types, strict=True)
        return [a for v, aval in pairs if not isinstance(aval, ListAval) for a in self.to_arrays(v, aval)]

    def iteration_arrays(self, loop: Loop, value_of: Callable[[Any], Any]) -> list[Any]:
        """Return the arrays that hold the carried variables after an iteration."""
        return self.carried_arrays(loop, [value_of(leaf) for leaf in loop.results])

    def appended_arrays(self, loop: Loop, value_of: Callable[[Any], Any]) -> list[Any]:
        """Return the items that an iteration appends to lists."""
        pairs = zip(loop.results, loop.types, strict=True)
        return [
            array
            for leaf, aval in pairs
            if isinstance(aval, ListAval)
            for array in self.to_arrays(value_of(leaf), aval)
        ]

    def loop_results(
        self, loop: Loop, arrays: Sequence[Any], rows: Sequence[Sequence[Any]] = ()
    ) -> list[Any]:
        """Return the values after a loop from its carried arrays and the rows that iterations appended."""
        values = iter(self.from_arrays([a for a in loop.types if not isinstance(a, ListAval)], arrays))
        results: list[Any] = []
        start = 0
        for aval, before in zip(loop.types, loop.init, strict=True):
            if isinstance(aval, ListAval):
                end = start + len(aval.items)
                results.append(AppendedItems((*before.items, *[a for row in rows for a in row[start:end]])))
                start = end
            else:
                results.append(next(values))
        return results

    @property
    def list_remedy(self) -> str:
        """What to do in place of a list whose length is known only at run time."""
        return (
            f"create {self.array_noun} of the maximum length before the loop and assign its items, or loop a "
            "fixed number of times"
        )

    def _reject_growing_lists(self, avals: Sequence[Any]) -> None:
        if any(isinstance(aval, ListAval) for aval in avals):
            raise StagingError(
                "a loop appends to a list, and its number of iterations is known only at run time",
                why=f"{self.name} has no arrays of unknown length",
                remedy=self.list_remedy,
            )

    # Lists

    def is_handle(self, value: Any) -> bool:
        return isinstance(value, GrowingList)

    def staged_list(self, values: Sequence[Any]) -> Any:
        return GrowingList(self, values)

    def unstaged(self, value: Any) -> Any:
        """Return a growing list as a Python list if no capture is under way, and other values unchanged."""
        return value.items if isinstance(value, GrowingList) and not self.captures else value

    def type_of(self, value: Any) -> Any:
        if isinstance(value, AppendedItems):
            kinds = tuple(map(self.type_of, value.items))
            if any(map(is_flagged, kinds)):
                raise StagingError(
                    "a loop appends a value that may be None to a list",
                    why=f"{self.name} stacks the items of such a list",
                    remedy="append a number instead, such as np.nan for None",
                )
            if None in kinds:
                kind = type(value.items[kinds.index(None)]).__name__
                raise StagingError(
                    f"a loop appends a value of type {kind} to a list",
                    why=f"{self.name} stacks the items of such a list, which have to be numbers or arrays",
                    remedy="append to one list for each attribute or part of the value",
                )
            return ListAval(kinds)
        return super().type_of(value)

    def merge(self, first: Any, second: Any) -> Any:
        if isinstance(first, ListAval) and isinstance(second, ListAval):
            if len(first.items) != len(second.items):
                raise TypeError(f"{UNEQUAL_LENGTHS}; {self.length_remedy}")
            return ListAval(tuple(map(self.merge, first.items, second.items)))
        return super().merge(first, second)

    def widen(self, before: Any, after: Any) -> Any:
        """Return the type of a carried variable; for a list, that of the items appended by one iteration."""
        is_list = isinstance(before, ListAval) and isinstance(after, ListAval)
        return after if is_list else self.merge(before, after)

    def component_avals(self, aval: Any) -> list[Any]:
        return list(aval.items) if isinstance(aval, ListAval) else [aval]

    def components(self, value: Any, aval: Any) -> list[Any]:
        if isinstance(aval, ListAval):
            return [self.cast(v, a) for v, a in zip(value.items, aval.items, strict=True)]
        return [self.cast(value, aval)]

    def compose(self, aval: Any, arrays: list[Any], count: Any) -> Any:
        return AppendedItems(tuple(arrays)) if isinstance(aval, ListAval) else arrays[0]

    # Text

    text = staticmethod(resolve_markers)
    is_text = staticmethod(is_text)
