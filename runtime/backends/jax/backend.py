"""Captures, conditionals and loops for JAX.

Traced arrays are staged, under `jit`, `vmap`, `scan` and every other transformation. A branch is captured as
a jaxpr that closes over the tracers it uses; `lax.cond`, `lax.while_loop` and `lax.scan` evaluate the jaxprs.
Concrete arrays, and tracers with a known value, are plain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from ...values.structures import flatten, unflatten
from ..functional.abstract_values import Aval, ListAval
from ..functional.backend import Outputs
from ..functional.captures import Loop, ProgramCapture
from ..functional.iterables import StagedSequence
from .control_flow import bounded_loop, is_selectable
from .counter_arithmetic import check_program
from .errors import at_user_statement
from .private import OpenProgram, can_open_programs
from .values import JaxValues


class JaxBackend(JaxValues):
    """Conditionals and loops of `jax.lax`."""

    def capture(self, run: Callable[..., Any], arguments: Sequence[Any] = ()) -> ProgramCapture:
        capture = ProgramCapture(is_body=bool(arguments))

        def trace(*placeholders: Any) -> list[Any]:
            leaves: Sequence[Any] = ()
            with self.capturing(capture):
                capture.value, leaves = run(*self.arguments(arguments, placeholders))
            return self.result_arrays(capture, leaves)

        avals = self.argument_avals(arguments)
        specs = [jax.ShapeDtypeStruct(a.shape, a.dtype, weak_type=a.weak) for a in avals]
        capture.program = jax.make_jaxpr(at_user_statement(trace))(*specs)
        return capture

    if can_open_programs:

        @contextmanager
        def open_branch(self) -> Iterator[ProgramCapture]:
            """Record the code in the `with` block into a program of its own, which computes its leaves."""
            program, capture = OpenProgram(), ProgramCapture()
            with program.recording():
                with self.capturing(capture):
                    yield capture
                results = self.result_arrays(capture, capture.leaves)
            capture.program = program.close(results)

    def check_counter_arithmetic(self, capture: ProgramCapture, largest: int) -> None:
        """End the attempt to roll a loop if its body computes numbers from the counter inexactly."""
        check_program(capture.program.jaxpr, [largest])

    def run_program(self, capture: ProgramCapture, arguments: Sequence[Any]) -> Sequence[Any]:
        program = capture.program
        return jax.core.eval_jaxpr(program.jaxpr, program.consts, *arguments)

    # Conditionals

    def conditional(
        self, test: Any, captures: tuple[ProgramCapture, ProgramCapture], outputs: Outputs
    ) -> list[Any]:
        avals = [aval for _, _, aval in outputs]
        parts = [part for aval in avals for part in self.array_avals(aval)]
        if is_selectable(captures, parts, compute=self.can_compute_both):
            branches = [self.branch_arrays(self.results(c, ()), outputs, i) for i, c in enumerate(captures)]
            return self.from_arrays(avals, self.select_arrays(test, branches, outputs))
        count, flags = len(avals), [c.failed for c in captures]
        if any(flag is not False for flag in flags):
            outputs, avals = [*outputs, (*flags, self.boolean)], [*avals, self.boolean]

        def branch(i: int) -> Callable[[], list[Any]]:
            def run() -> list[Any]:
                value_of = self.results(captures[i], ())
                if captures[i].raised is not None:
                    return [*map(self.zeros, parts), True]
                return self.branch_arrays(value_of, outputs, i)

            return run

        if not avals and not any(c.program.effects for c in captures):
            return []
        results = self.from_arrays(avals, lax.cond(test, branch(0), branch(1)))
        if len(avals) > count:
            self.set_failed(results.pop())
        return results

    # Loops. The carry starts with a failure flag if the body may raise.

    def _start(self, loop: Loop) -> list[Any]:
        flag = [] if loop.body.failed is False else [False]
        return [*flag, *self.carried_arrays(loop, loop.init)]

    def _iterate(
        self, loop: Loop, element: list[Any], carry: Sequence[Any]
    ) -> tuple[Callable[[Any], Any], list[Any]]:
        """Run the body once; return a function that looks up its values, and the next carry."""
        if loop.body.failed is False:
            value_of = self.results(loop.body, [*element, *carry])
            return value_of, self.iteration_arrays(loop, value_of)
        value_of = self.results(loop.body, [*element, *carry[1:]])
        return value_of, [value_of(loop.body.failed), *self.iteration_arrays(loop, value_of)]

    def _continues(self, loop: Loop, value_of: Callable[[Any], Any], carry: Sequence[Any]) -> Any:
        """Return whether the loop continues after an iteration."""
        test = True if loop.next_test is True else self.truth(value_of(loop.next_test))
        outgrown = self.outgrown(loop, list(map(value_of, loop.results)))
        for ends in (outgrown, False if loop.body.failed is False else carry[0]):
            if ends is not False:
                test = jnp.logical_not(ends) if test is True else test & jnp.logical_not(ends)
        return test

    def _finish(self, loop: Loop, carry: Sequence[Any], rows: Sequence[Sequence[Any]] = ()) -> list[Any]:
        if loop.body.failed is not False:
            self.set_failed(carry[0])
            carry = carry[1:]
        results = self.loop_results(loop, carry, rows)
        self.fail_if_outgrown(loop, results)
        return results

    def run_loop(
        self, loop: Loop, length: Any, element: Callable[[Any], list[Any]], most: int | None
    ) -> list[Any]:
        start = self._start(loop)
        index = jnp.zeros_like(length) if isinstance(length, jax.Array) else 0
        limit = length if isinstance(length, int) else None if loop.body.program.effects else most
        is_counted = isinstance(length, int) or (length is not None and limit is None)
        if is_counted and loop.is_unconditional and not self._may_end(loop):
            carry = lax.fori_loop(
                index, length, lambda i, carry: self._iterate(loop, element(i), carry)[1], start
            )
            return self._finish(loop, carry)

        def step(i: Any, _: Any, *carry: Any) -> list[Any]:
            value_of, following = self._iterate(loop, element(i), carry)
            return [i + 1, self._continues(loop, value_of, following), *following]

        def test(i: Any, active: Any, *_: Any) -> Any:
            return (i < length) & active

        first_test, outgrown = self.truth(loop.first_test), self.outgrown(loop, loop.init)
        state = [first_test if outgrown is False else first_test & ~outgrown, *start]
        if length is None:
            _, *carry = lax.while_loop(lambda state: state[0], lambda state: step(0, *state)[1:], state)
        elif limit is not None:
            _, _, *carry = bounded_loop(test, step, [index, *state], limit)
        else:
            _, _, *carry = lax.while_loop(
                lambda state: test(*state), lambda state: step(*state), [index, *state]
            )
        return self._finish(loop, carry)

    def _may_end(self, loop: Loop) -> bool:
        """Return whether a loop ends at once if an iteration fails or leaves more items than it may."""
        return loop.body.failed is not False or (bool(loop.body.program.effects) and self.can_outgrow(loop))

    def scan(self, loop: Loop, items: StagedSequence, length: int) -> list[Any]:
        if loop.body.program.effects and self.can_outgrow(loop):
            return self.run_loop(loop, length, lambda i: self.element_leaves(items.item(i)), length)
        xs, item = self.scanned(items, length, lambda: jnp.arange(length))

        def step(carry: list[Any], rows: Any) -> tuple[list[Any], list[Any]]:
            element = self.element_leaves(item(rows))
            value_of, following = self._iterate(loop, element, carry)
            return following, self.appended_arrays(loop, value_of)

        def step_unless_failed(carry: list[Any], x: Any) -> tuple[list[Any], list[Any]]:
            lists = [aval for aval in loop.types if isinstance(aval, ListAval)]
            rows = [self.zeros(part) for aval in lists for part in self.array_avals(aval)]
            return lax.cond(carry[0], lambda: (carry, rows), lambda: step(carry, x))

        body = step if loop.body.failed is False else step_unless_failed
        carry, stacked = lax.scan(body, self._start(loop), xs, length=length)
        return self._finish(loop, carry, [[array[i] for array in stacked] for i in range(length)])

    def elements(self, iterated: Any) -> tuple[Callable[[Sequence[Any]], Any], list[Any]]:
        items = self.sequence(iterated)
        specs: list[Any] = []

        def first() -> list[Any]:
            leaves, spec = flatten(items.item(jnp.zeros((), int)))
            specs.append(spec)
            return [jnp.asarray(leaf) for leaf in leaves]

        shapes = jax.eval_shape(first)
        avals = [Aval(s.dtype, s.shape, bool(getattr(s, "weak_type", False))) for s in shapes]
        return (lambda values: unflatten(specs[0], list(values))), avals
