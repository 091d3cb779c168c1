"""Captures, conditionals and loops for PyTensor.

A branch is captured as the graph that it builds, and a loop body as a graph over placeholders. A conditional
is a `switch` of numbers, or an `ifelse`; a loop is a `scan`, with `until` if a condition may end it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytensor
import pytensor.tensor as pt
from pytensor.ifelse import ifelse
from pytensor.raise_op import CheckAndRaise
from pytensor.scan.op import Scan as ScanOp
from pytensor.scan.utils import until

from ...core.active_backends import CAPTURES
from ...errors import MismatchError, StagingError
from ...values.structures import flatten, unflatten
from ..functional.abstract_values import AppendedItems, ListAval
from ..functional.backend import Outputs
from ..functional.captures import Loop, ProgramCapture
from ..functional.iterables import StagedSequence
from ..functional.nullable_values import is_flagged
from .counter_arithmetic import check_graph
from .errors import Failure, Failures, ShapeChangeError, position
from .graphs import LoopValue, draws, guarded, is_differentiable, is_of_numbers, with_inputs
from .operators import negated
from .private import now
from .stacked_lists import Rows
from .values import PytensorValues

MAX_ITERATIONS = 2**31 - 1
"""The largest number of iterations of a loop that only a condition ends: `scan` counts with 32 bits."""


@dataclass
class GraphCapture(ProgramCapture):
    """A captured graph: its placeholders, the age of its oldest node, and the errors that it may raise."""

    placeholders: Sequence[Any] = ()
    start: int = 0
    failures: Failures = field(default_factory=Failures)
    known_tests: int = 0
    """The number of tests that are decided where the capture begins."""


class PytensorBackend(PytensorValues):
    """Conditionals and loops of `pytensor.ifelse` and `pytensor.scan`."""

    # Captures

    def capture(self, run: Callable[..., Any], arguments: Sequence[Any] = ()) -> GraphCapture:
        self.check_traced()
        avals = self.argument_avals(arguments)
        placeholders = [pt.TensorType(aval.dtype, aval.shape)() for aval in avals]
        for placeholder, aval in zip(placeholders, avals, strict=True):
            if aval.weak:
                self.as_number(placeholder)
        with self._opened(placeholders, is_loop=bool(arguments)) as capture:
            capture.value, capture.leaves = run(*self.arguments(arguments, placeholders))
        if arguments and draws(capture.results, capture.start, placeholders):
            raise StagingError(
                "the body of a staged loop draws random numbers",
                why="each iteration would draw the same numbers, because the generator stays the same",
                remedy="draw all numbers before the loop (_, xs = rng.normal(size=n)), and loop over them",
            )
        return capture

    def open_branch(self) -> AbstractContextManager[GraphCapture]:
        """Capture the code in the `with` block, which computes the leaves that it sets."""
        self.check_traced()
        return self._opened()

    @contextmanager
    def _opened(self, placeholders: Sequence[Any] = (), *, is_loop: bool = False) -> Iterator[GraphCapture]:
        """Capture the code in the `with` block, a branch or a loop's body over these placeholders."""
        capture = GraphCapture(placeholders=placeholders, start=now())
        outer = self.captures[-1].known_tests if self.captures else 0
        capture.known_tests = len(CAPTURES.tests) if is_loop else outer
        with self.capturing(capture):
            yield capture
        self.result_arrays(capture, capture.leaves)
        for leaf in (leaf for failure in capture.failures.found for leaf in failure.leaves):
            capture.positions.setdefault(id(leaf), len(capture.results))
            capture.results.append(leaf)

    def run_program(self, capture: ProgramCapture, arguments: Sequence[Any]) -> Sequence[Any]:
        assert isinstance(capture, GraphCapture)
        values = dict(zip(capture.placeholders, arguments, strict=True))
        return with_inputs(capture.results, capture.start, values) if values else capture.results

    def check_counter_arithmetic(self, capture: GraphCapture, largest: int) -> None:
        """End the attempt to roll a loop if its body computes numbers from the counter inexactly."""
        check_graph(capture.results, capture.start, capture.placeholders[0], largest)

    @property
    def path(self) -> Any:
        """Return whether the branch that is captured runs, within its loop: True, or a variable."""
        first = self.captures[-1].known_tests if self.captures else 0
        result: Any = True
        for test, outcome in CAPTURES.tests[first:]:
            if self.is_staged(test):
                holds = self.truth(test) if outcome else self.negated(self.truth(test))
                result = holds if result is True else pt.and_(result, holds)
        return result

    # Conditionals

    def conditional(self, test: Any, captures: tuple[Any, Any], outputs: Outputs) -> list[Any]:
        avals = [aval for _, _, aval in outputs]
        parts = [part for aval in avals for part in self.array_avals(aval)]
        tests = test, self.negated(test)
        first, second = (self._branch(captures[i], tests[i], outputs, i) for i in (0, 1))
        if not avals:
            return []
        if first is None or second is None:  # what a branch leaves that raises is not read
            return self.from_arrays(avals, first or second or list(map(self.zeros, parts)))
        if all(part.shape == () for part in parts) and all(
            is_of_numbers(arrays, capture.start)
            for arrays, capture in zip((first, second), captures, strict=True)
        ):
            return self.from_arrays(avals, self.select_arrays(test, (first, second), outputs))
        return self.from_arrays(avals, list(ifelse(test, first, second)))

    def _branch(self, capture: GraphCapture, holds: Any, outputs: Outputs, i: int) -> list[Any] | None:
        """Return the arrays that a branch leaves, or None if it raises, and note its errors."""
        arrays: list[Any] = []
        if capture.raised is None:
            arrays = self.branch_arrays(self.result_lookup(capture, capture.results), outputs, i)
        failures = capture.failures.found
        leaves = [leaf for failure in failures for leaf in failure.leaves]
        made = guarded([*arrays, *leaves], capture.start, holds)
        remaining = iter(made[len(arrays) :])
        for failure in failures:
            flag, *operands = [next(remaining) for _ in failure.leaves]
            self.failures.add(failure.at([pt.and_(holds, flag), *operands]))
        return None if capture.raised is not None else made[: len(arrays)]

    # Loops

    def stage_while(self, loop: Loop) -> list[Any]:
        return self._staged(loop, None, self._limit(loop))

    def stage_for(self, iterated: Any, loop: Loop) -> list[Any]:
        items, limit = self.sequence(iterated), self._limit(loop)
        length = items.length
        if limit is not None:
            length = self.min_length(length, limit)
        return self._staged(loop, items, length)

    def _staged(self, loop: Loop, items: StagedSequence | None, length: Any) -> list[Any]:
        lists = [aval for aval in loop.types if isinstance(aval, ListAval)]
        start = self.carried_arrays(loop, loop.init)
        self._check_shapes(loop, start)
        if isinstance(length, int) and length <= 0:
            return self.loop_results(loop, start)
        going = self.path
        if loop.first_test is not True:
            first = self.truth(loop.first_test)
            going = first if going is True else self.logical_and(going, first)
        if going is False:
            return self.loop_results(loop, start)
        scan = Scan(self, loop, items, start)
        bound = MAX_ITERATIONS if length is None else length
        count = bound if going is True else pt.switch(going, bound, 0)
        final, rows = scan.run(count)
        if length is None:
            self._fail_if_endless(final[0])
        if not scan.is_counted:
            again, rows_again = scan.run(final[0], is_counted=True)
            final, rows = _with_gradients(final, again), _with_gradients(rows, rows_again)
        for failure in scan.failures_of(final):
            self.failures.add(failure)
        carried = final[len(final) - len(start) :]
        results = self.loop_results(loop, carried)
        return (
            self._with_lists(loop, results, rows, length if scan.is_counted else None) if lists else results
        )

    def _fail_if_endless(self, count: Any) -> None:
        error = RuntimeError(f"a loop did not end within {MAX_ITERATIONS} iterations")
        self.fail(pt.ge(count, MAX_ITERATIONS), error)

    def _check_shapes(self, loop: Loop, start: Sequence[Any]) -> None:
        for aval in loop.types:
            if isinstance(aval, ListAval) and None in aval.items:
                raise StagingError(
                    "a loop appends a value that is no number and no tensor to a list",
                    why="the items that the iterations append are stacked in one tensor",
                    remedy="use a list for each part of a tuple",
                )
            if is_flagged(aval) and any(None in part.shape for part in self.array_avals(aval)):
                raise StagingError(
                    "a loop assigns a tensor of unknown shape to a variable without a value before the loop",
                    why="PyTensor allocates what a loop carries before the first iteration",
                    remedy="assign a tensor of that shape to the variable before the loop",
                )

    def _with_lists(self, loop: Loop, results: list[Any], rows: Sequence[Any], length: Any) -> list[Any]:
        """Return the results with the items that the iterations appended to lists."""
        is_known = isinstance(length, int)
        if not is_known and self.captures:
            raise StagingError(
                "a loop inside of another loop or of a branch appends to a list, and how often is not known",
                why="the rows of a tensor have the same length",
                remedy="assign the items of a tensor created before the loop: x[i] = value",
            )
        remaining = iter(rows)
        for i, (aval, before) in enumerate(zip(loop.types, loop.init, strict=True)):
            if isinstance(aval, ListAval):
                stacked = [next(remaining) for part in aval.items for _ in self.array_avals(part)]
                if is_known:
                    made = [array[k] for k in range(length) for array in stacked]
                elif len(stacked) == 1:
                    made = [Rows(stacked[0])]
                else:
                    made = [Rows(_interleaved(stacked))]
                results[i] = AppendedItems((*before.items, *made))
        return results

    def elements(self, iterated: Any) -> tuple[Callable[[Sequence[Any]], Any], list[Any]]:
        items = self.sequence(iterated)
        with self.in_range():
            leaves, spec = flatten(items.item(pt.scalar(dtype="int64")))
        arrays = [leaf if self.is_array(leaf) else pt.as_tensor(np.asarray(leaf)) for leaf in leaves]
        avals = [self.aval(array) for array in arrays]
        return (lambda values: unflatten(spec, list(values))), avals

    @contextmanager
    def in_range(self) -> Iterator[None]:
        """Drop the checks of an index that is in range, because it counts the items of a loop."""
        self.captures.append(GraphCapture())
        try:
            yield
        finally:
            self.captures.pop()

    def item(self, array: Any, index: Any) -> Any:
        """Return an item of an array that a loop goes over."""
        found = self.slices.get(id(array))
        if found is not None and found[0] is index:
            return found[1]
        return self.get_item(array, index) if isinstance(index, int) else array[index]

    @property
    def slices(self) -> dict[int, tuple[Any, Any]]:
        """The index and the item of each array that the loops being built go over."""
        return self._local.__dict__.setdefault("slices", {})


def _interleaved(arrays: Sequence[Any]) -> Any:
    """Return the items that iterations append several of, in order."""
    try:
        rows = pt.stack(list(arrays), axis=1)
    except (TypeError, ValueError) as error:
        raise MismatchError(
            "a loop appends items of several shapes to a list, and its number of iterations is not known",
            why=f"the items are stacked in one tensor: {error}",
            remedy="use a list for each kind of item",
        ) from None
    return rows.reshape((-1, *[rows.shape[i] for i in range(2, rows.ndim)]))


def _with_gradients(values: Sequence[Any], again: Sequence[Any]) -> list[Any]:
    """Return the values after a loop that a condition ended, with the gradients of the counted loop."""
    return [LoopValue()(a, b) if is_differentiable(a) else a for a, b in zip(values, again, strict=True)]


class Scan:
    """A loop as `scan`, whose state is the number of iterations, the loop's errors and its variables."""

    def __init__(self, backend: PytensorBackend, loop: Loop, items: StagedSequence | None, start: list[Any]):
        self.backend, self.loop, self.items = backend, loop, items
        self.found: list[Failure] = loop.body.failures.found
        zero = pt.constant(np.asarray(0, "int64"))
        self.start = [zero, *self._errors_before(), *start]
        self.arrays = [] if items is None else [a for a in items.arrays if backend.is_array(a)]

    def _errors_before(self) -> list[Any]:
        leaves = [leaf for failure in self.found for leaf in failure.leaves]
        return [pt.constant(np.zeros([n or 0 for n in v.type.shape], v.dtype)) for v in leaves]

    def failures_of(self, final: Sequence[Any]) -> list[Failure]:
        position, found = 1, []
        for failure in self.found:
            end = position + len(failure.leaves)
            found.append(failure.at(final[position:end]))
            position = end
        return found

    def run(self, count: Any, *, is_counted: bool = False) -> tuple[list[Any], list[Any]]:
        """Return the state after at most `count` iterations, and the rows that they append to lists."""
        loop, backend = self.loop, self.backend
        row_count = len([p for a in loop.types if isinstance(a, ListAval) for p in backend.array_avals(a)])

        def step(*values: Any) -> Any:
            slices, state = values[: len(self.arrays)], values[len(self.arrays) :]
            known = backend.slices
            added = {id(a): (state[0], s) for a, s in zip(self.arrays, slices, strict=True)}
            known.update(added)
            with backend.in_range():
                element = [] if self.items is None else backend.element_leaves(self.items.item(state[0]))
            element = [e if backend.is_array(e) else pt.as_tensor(np.asarray(e)) for e in element]
            for key in added:
                del known[key]
            value_of = backend.results(loop.body, [*element, *state[self._errors_end :]])
            errors = [value_of(leaf) for failure in self.found for leaf in failure.leaves]
            following = [state[0] + 1, *errors, *backend.iteration_arrays(loop, value_of)]
            following = [_with_shape(new, old) for new, old in zip(following, state, strict=True)]
            outputs = [*following, *backend.appended_arrays(loop, value_of)]
            test = True if is_counted or self.is_counted else self._continues(value_of, errors)
            return outputs if test is True else (outputs, until(backend.negated(test)))

        made = pytensor.scan(
            step,
            sequences=[array[:count] for array in self.arrays],
            outputs_info=[*self.start, *[None] * row_count],
            n_steps=count,
            strict=False,
            return_list=True,
            return_updates=False,
        )
        states = made[: len(self.start)]
        return [_last(s, first) for s, first in zip(states, self.start, strict=True)], made[len(self.start) :]

    @property
    def is_counted(self) -> bool:
        """Return whether only the number of iterations ends the loop."""
        return self.loop.next_test is True and not self.found

    @property
    def _errors_end(self) -> int:
        return 1 + sum(len(failure.leaves) for failure in self.found)

    def _continues(self, value_of: Callable[[Any], Any], errors: Sequence[Any]) -> Any:
        loop, backend = self.loop, self.backend
        test = True if loop.next_test is True else backend.truth(value_of(loop.next_test))
        position = 0
        for failure in self.found:
            holds = negated(errors[position])
            test = holds if test is True else pt.and_(test, holds)
            position += len(failure.leaves)
        return test


def _with_shape(new: Any, old: Any) -> Any:
    """Return the next value of a variable, checked to have the shape of the earlier one when it runs."""
    if new.ndim == 0 or (new.type.shape == old.type.shape and None not in old.type.shape):
        return new
    shape = [old.shape[i] if n is None else n for i, n in enumerate(old.type.shape)]
    is_same = [pt.eq(length, n) for length, n in zip(new.shape, shape, strict=True)]
    return pt.specify_shape(CheckAndRaise(ShapeChangeError, position())(new, *is_same), shape)


def _last(states: Any, first: Any) -> Any:
    """Return the state after a loop, which is the first one if the loop has run no iteration.

    `scan` returns the rows that follow the initial state, in a buffer that begins with it.
    """
    buffer = states.owner.inputs[0]
    is_buffer = buffer.owner is not None and isinstance(buffer.owner.op, ScanOp)
    return buffer[-1] if is_buffer else states[-1]
