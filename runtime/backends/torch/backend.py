"""Captures, conditionals and loops for PyTorch.

A branch is captured as a graph whose inputs are the values it uses. torch's higher-order operators `cond`,
`while_loop` and `scan` run the graphs. Eager tensors, and traced tensors with a known value, are plain.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import torch

from ...errors import AliasError, StagedRecursionError
from ...values.structures import flatten, unflatten
from ..functional.abstract_values import ListAval
from ..functional.backend import Outputs
from ..functional.captures import Loop, ProgramCapture
from ..functional.iterables import StagedSequence
from . import higher_order
from .autograd import (
    as_differentiable,
    link_gradients,
    may_need_gradient,
    restored,
    select_initial,
    with_distinct_gradients,
)
from .capture import Program, trace
from .inplace_updates import InplaceUpdates, is_number, mark_shared
from .items import device_of
from .private import assert_holds, codes_of_modes, is_within_compile, untraced
from .values import Handle, TensorType, TorchValues

MAX_UNROLLED = 4
"""Loops of at most this many iterations are unrolled instead of becoming an inner graph."""


class TorchBackend(TorchValues):
    """Conditionals and loops as torch's higher-order operators."""

    @property
    def codes(self) -> set[types.CodeType]:
        """The code that torch itself calls when a loop is rolled: that of the program's function modes."""
        return codes_of_modes()

    # Captures

    def capture(self, run: Callable[..., Any], arguments: Sequence[Any] = ()) -> ProgramCapture:
        capture = ProgramCapture()

        def traced(*placeholders: Any) -> list[Any]:
            leaves: Sequence[Any] = ()
            with self.capturing(capture), InplaceUpdates():
                capture.value, leaves = run(*self.arguments(arguments, placeholders))
            results = self.result_arrays(capture, leaves)
            capture.known_results = {id(array) for array in results if not self.is_staged(array)}
            return results

        examples = self._examples(self.argument_avals(arguments))
        try:
            capture.program = trace(traced, examples)
        except RecursionError as error:
            raise _recursion_error(error) from None
        if any(w is e for w in capture.program.written for e in examples):
            raise AliasError(
                "a staged loop cannot write in place to a tensor that it also rebinds or iterates over",
                why="other names for that tensor would have to change too",
                remedy="compute a new tensor: write x = x + 1, not x += 1",
            )
        self._record_writes(capture)
        return capture

    def _record_writes(self, capture: ProgramCapture) -> None:
        """Give the final value of each written tensor an identity that differs from the tensor's."""
        count = len(capture.results)
        written = capture.program.written
        with untraced():
            final = [torch.empty_like(tensor) for tensor in written]
        capture.results += written
        capture.positions = {id(array): i for i, array in enumerate(capture.results)}
        capture.positions |= {id(array): count + i for i, array in enumerate(final)}
        capture.results += final
        capture.writes += [(Handle.of(tensor), array) for tensor, array in zip(written, final, strict=True)]

    def _is_shared(self, capture: ProgramCapture, leaf: Any) -> bool:
        """Return whether a leaf may have another name, outside the closure or among the closure's leaves."""
        if not isinstance(leaf, torch.Tensor) or is_number(leaf):
            return False
        position = capture.positions.get(id(leaf))
        if position is None:
            return True
        return capture.program.shared[position] and not any(leaf is final for _, final in capture.writes)

    def _examples(self, avals: Sequence[TensorType]) -> list[torch.Tensor]:
        with untraced():
            return [self.zeros(aval) for aval in avals]

    def run_program(self, capture: ProgramCapture, arguments: Sequence[Any]) -> Sequence[Any]:
        return capture.program.results(arguments)

    staged_array = staticmethod(torch.tensor)

    # Conditionals

    def conditional(
        self, test: Any, captures: tuple[ProgramCapture, ProgramCapture], outputs: Outputs
    ) -> list[Any]:
        avals = [aval for _, _, aval in outputs]
        parts = [part for aval in avals for part in self.array_avals(aval)]
        programs = [c.program for c in captures]
        operands = [v for program in programs for v in program.operands]
        encodes = may_need_gradient(
            [*operands, *self.arrays_in([leaf for out in outputs for leaf in out[:2]])]
        )
        has_effects = any(program.has_effects for program in programs)
        if not avals and not has_effects:
            return []
        raises = any(c.raised for c in captures)
        if not raises and higher_order.is_selectable(programs, parts, compute=self.can_compute_both):
            return self._mark_results(self._selected(test, captures, outputs), captures, outputs)

        def branch(i: int) -> Program:
            def run() -> list[Any]:
                value_of = self.results(captures[i], ())
                if captures[i].raised is not None:
                    arrays = [self.zeros(part) for part in parts]
                else:
                    arrays = self.branch_arrays(value_of, outputs, i)
                arrays += [self.cast(True, self.boolean)] if has_effects else []
                return list(map(as_differentiable, arrays)) if encodes else arrays

            return trace(run, fresh=True)

        arrays = higher_order.cond(test, (branch(0), branch(1)))
        if has_effects:
            assert_holds(restored(arrays.pop(), torch.bool), "")
        arrays = [restored(a, part.dtype) for a, part in zip(arrays, parts, strict=True)]
        if encodes and is_within_compile():
            arrays = with_distinct_gradients(arrays)
        return self._mark_results(self.from_arrays(avals, arrays), captures, outputs)

    def _selected(
        self, test: Any, captures: tuple[ProgramCapture, ProgramCapture], outputs: Outputs
    ) -> list[Any]:
        values = [self.result_lookup(c, c.program.results((), fresh=False)) for c in captures]
        branches = [self.branch_arrays(value_of, outputs, i) for i, value_of in enumerate(values)]
        arrays = self.select_arrays(self.cast(test, self.boolean), branches, outputs)
        return self.from_arrays([aval for _, _, aval in outputs], arrays)

    def _mark_results(
        self, results: list[Any], captures: tuple[ProgramCapture, ProgramCapture], outputs: Outputs
    ) -> list[Any]:
        """Mark the results of a conditional that may have other names."""
        for result, out in zip(results, outputs, strict=True):
            if any(self._is_shared(c, leaf) for c, leaf in zip(captures, out, strict=False)):
                mark_shared(result, "it may be another name for a tensor created before an 'if'")
        return results

    # Loops

    def run_loop(
        self, loop: Loop, length: Any, element: Callable[[Any], list[Any]], most: int | None
    ) -> list[Any]:
        body, start = loop.body, self.carried_arrays(loop, loop.init)
        bound = length if length is None or isinstance(length, int) else self._counter(length)
        counters = [] if bound is None else [self._counter(0)]
        is_counted = loop.is_unconditional and bound is not None
        tests = [] if is_counted else [self.cast(self.truth(loop.first_test), self.boolean)]
        head = [*tests, *counters]
        always_enters = bound is None or (isinstance(bound, int) and bound > 0)
        has_run = [] if loop.first_test is True else [*tests]
        has_run += [] if always_enters else [counters[0] < bound]

        def step(*state: Any) -> list[Any]:
            state = state[len(tests) :]
            carry = [*element(state[0] if counters else None), *state[len(counters) :]]
            value_of = self.results(body, carry)
            going = [self.cast(self.truth(value_of(loop.next_test)), self.boolean) for _ in tests]
            return [*going, *[i + 1 for i in state[: len(counters)]], *self.iteration_arrays(loop, value_of)]

        with untraced():
            examples = [torch.zeros_like(a) for a in (*head, *start)]
        program = trace(step, examples, fresh=True)
        is_separable = not is_counted and not body.program.has_effects and self._is_separable(loop, start)
        carried_test = higher_order.split_test(program, len(examples)) if is_separable else None
        if carried_test is not None:
            del head[0], examples[0]

        def test(*state: Any) -> list[Any]:
            holds = state[: len(tests)] if carried_test is None else [carried_test(*state)]
            in_bounds = [] if bound is None else [state[len(head) - 1] < bound]
            return [reduce(self.logical_and, [*holds, *in_bounds])]

        test_program = trace(test, examples, fresh=True)
        carried = link_gradients(_copies([*head, *start]), [*test_program.operands, *program.operands])
        final = higher_order.while_loop(test_program, program, carried)
        if body.program.has_effects:
            assert_holds(torch.logical_or(final[0], torch.logical_not(final[0])), "")
        values = final[len(head) :]
        if has_run:
            values = select_initial(reduce(self.logical_and, has_run), values, carried[len(head) :])
        return self._finish(loop, values)

    def _counter(self, value: Any) -> torch.Tensor:
        return self.cast(value, TensorType(torch.int64, ()))

    def _is_separable(self, loop: Loop, start: Sequence[Any]) -> bool:
        """Return whether the test can be computed from the carried tensors, before the first iteration too.

        Each carried leaf must be a distinct staged tensor that the iteration computes and that is carried
        without a cast. Otherwise the traced test may be specialized to a value known at trace time, and wrong
        for the initial values.
        """
        body, results = loop.body, loop.results
        if len(results) != len(start) or len(set(map(id, results))) != len(results):
            return False
        for leaf, carried in zip(results, start, strict=True):
            if not isinstance(leaf, torch.Tensor) or id(leaf) in body.known_results:
                return False
            position = body.positions.get(id(leaf))
            if position is None or leaf.dtype != carried.dtype or body.program.shared[position]:
                return False
        return True

    def _finish(self, loop: Loop, arrays: Sequence[Any], rows: Sequence[Sequence[Any]] = ()) -> list[Any]:
        results = self.loop_results(loop, arrays, rows)
        for result, leaf in zip(results, loop.results, strict=True):
            if self._is_shared(loop.body, leaf):
                mark_shared(result, "it may be another name for a tensor created in or before a loop")
        return results

    def scan(self, loop: Loop, items: StagedSequence, length: int) -> list[Any]:
        start = self.carried_arrays(loop, loop.init)

        def step(item: Any, carry: Sequence[Any]) -> tuple[list[Any], list[Any]]:
            value_of = self.results(loop.body, [*self.element_leaves(item), *carry])
            row = self.appended_arrays(loop, value_of)
            return self.iteration_arrays(loop, value_of), row

        if (
            length > MAX_UNROLLED
            and is_within_compile()
            and not any(isinstance(t, ListAval) for t in loop.types)
        ):
            return self.run_loop(
                loop, length, lambda i: self.element_leaves(items.item(i)), length
            )  # inductor: no scan
        if length > MAX_UNROLLED:
            return self._finish(loop, *self._scan(loop, items, length, start, step))
        carry, rows = _copies(start), []
        for i in range(length):
            carry, row = step(items.item(i), carry)
            rows.append(row)
        return self._finish(loop, carry, rows)

    def _scan(
        self, loop: Loop, items: StagedSequence, length: int, start: list[Any], step: Callable[..., Any]
    ) -> tuple[list[Any], list[list[Any]]]:
        """Stage a `scan`; return the final carry and the rows that iterations appended."""
        program = loop.body.program
        xs, item = self.scanned(items, length, lambda: torch.arange(length, device=device_of(items.arrays)))
        carried = [self.cast(True, self.boolean), *start] if program.has_effects or not start else start
        dtypes = [a.dtype for a in carried]
        row_dtypes: list[torch.dtype] = []
        encodes = may_need_gradient([*carried, *xs, *program.operands])

        def iterate(*arguments: Any) -> list[Any]:
            carry = [restored(a, dtype) for a, dtype in zip(arguments, dtypes, strict=False)]
            head = carry[: len(carry) - len(start)]
            following, row = step(item(arguments[len(carry) :]), carry[len(head) :])
            row_dtypes[:] = [a.dtype for a in row]
            results = [*head, *following, *row]
            return list(map(as_differentiable, results)) if encodes else results

        carried = _copies(list(map(as_differentiable, carried)) if encodes else carried)
        with untraced():
            examples = [torch.zeros_like(a) for a in (*carried, *[x[0] for x in xs])]
        results = higher_order.scan(trace(iterate, examples, fresh=True), carried, xs)
        final = [restored(a, dtype) for a, dtype in zip(results, dtypes, strict=False)]
        if program.has_effects:
            assert_holds(final[0], "")
        stacked = [restored(a, d) for a, d in zip(results[len(final) :], row_dtypes, strict=True)]
        return final[len(final) - len(start) :], [[a[i] for a in stacked] for i in range(length)]

    def elements(self, iterated: Any) -> tuple[Callable[[Sequence[Any]], Any], list[Any]]:
        items = self.sequence(iterated)
        avals: list[Any] = []
        specs: list[Any] = []

        def first(i: Any) -> list[Any]:
            leaves, spec = flatten(items.item(i))
            avals[:], specs[:] = [self.aval(leaf) for leaf in leaves], [spec]
            return []

        trace(first, self._examples([TensorType(torch.int64, ())]))
        return (lambda values: unflatten(specs[0], list(values))), avals

    def element_leaves(self, item: Any) -> list[Any]:
        return [self.cast(leaf, aval) for leaf in flatten(item)[0] if (aval := self.aval(leaf)) is not None]


def _recursion_error(error: RecursionError) -> RecursionError:
    if isinstance(error, StagedRecursionError):
        return error
    return StagedRecursionError(
        "staged statements are nested too deeply for PyTorch's tracer",
        why="a function calls itself under a staged condition, or there are very many branches",
        remedy="write the recursion as a loop, or split the function",
    )


def _copies(values: Sequence[Any]) -> list[Any]:
    """Copy the initial values of a loop, each into its own memory."""
    return [value.clone(memory_format=torch.contiguous_format) for value in values]
