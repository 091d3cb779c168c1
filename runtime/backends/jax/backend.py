"""JAX: traced arrays are staged, under `jit`, `vmap`, `scan` and whatever else traces.

A branch is captured as a jaxpr, which closes over the tracers that it uses; `lax.cond`, `lax.while_loop`
and `lax.scan` evaluate the jaxprs. Concrete arrays, and tracers whose value is known, are plain.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from ... import staging
from ...staging.raises import is_own_raise, refuse_caught
from ...structures import flatten, unflatten
from ..avals import Aval, ListAval
from ..functional import Capture
from ..iterables import StagedSequence
from .errors import at_statement
from .loops import bounded_loop
from .selection import is_selectable
from .values import JaxValues


class JaxBackend(JaxValues):
    """Conditions and loops of `jax.lax`."""

    # Captures

    def capture(self, run: Callable[..., Any], arguments: Sequence[Any] = ()) -> Capture:
        made = Capture()
        kinds = self.argument_types(arguments)

        def traced(*placeholders: Any) -> list[Any]:
            self.captures.append(made)
            try:
                made.value, leaves = run(*self.arguments(arguments, placeholders))
            except staging.AlwaysRaises as error:
                made.raised, leaves = error, []
            except Exception as error:
                if not is_own_raise(error, ("jax", "jaxlib")):
                    raise
                made.raised, leaves = error, []
                refuse_caught(error)
                self.fail(True, error)
            finally:
                made.close()
                self.captures.pop()
            leaves = [*leaves, *flatten(made.value)[0], *[v for _, v in made.writes], made.failed]
            made.kept = self.arrays_in(leaves)
            made.places = {id(array): i for i, array in enumerate(made.kept)}
            return made.kept

        specs = [jax.ShapeDtypeStruct(k.shape, k.dtype, weak_type=k.weak) for k in kinds]
        made.program = jax.make_jaxpr(at_statement(traced))(*specs)
        return made

    def results(self, capture: Capture, arguments: Sequence[Any]) -> Callable[[Any], Any]:
        """Run a captured program; a function from a leaf that the closure left to its value."""
        program = capture.program
        values = jax.core.eval_jaxpr(program.jaxpr, program.consts, *arguments)
        return self.value_of(capture, values)

    # Conditions and loops

    def conditional(
        self, test: Any, captures: tuple[Capture, Capture], outputs: Sequence[tuple[Any, Any, Any]]
    ) -> list[Any]:
        kinds = [kind for _, _, kind in outputs]
        parts = [part for kind in kinds for part in self.parts(kind)]
        if is_selectable(captures, parts, compute=self.selects_numbers):
            sides = self.sides([self.results(c, ()) for c in captures], outputs)
            return self.built(kinds, self.chosen(test, sides, outputs))
        count, failed = len(kinds), [c.failed for c in captures]
        if any(flag is not False for flag in failed):
            outputs, kinds = [*outputs, (*failed, self.boolean)], [*kinds, self.boolean]

        def branch(side: int) -> Callable[[], list[Any]]:
            def run() -> list[Any]:
                value_of = self.results(captures[side], ())
                if captures[side].raised is not None:
                    zeros = [self.zeros(part) for kind in kinds for part in self.parts(kind)]
                    return [*zeros[:-1], True]
                return [a for out in outputs for a in self.held(value_of(out[side]), out[2])]

            return run

        if not kinds and not any(c.program.effects for c in captures):
            return []
        results = self.built(kinds, lax.cond(test, branch(0), branch(1)))
        if len(kinds) > count:
            self.note_failed(results.pop())
        return results

    def while_loop(
        self,
        going: Any,
        init: Sequence[Any],
        types: Sequence[Any],
        body: Capture,
        again: Any,
        results: Sequence[Any],
        options: dict[str, Any],
    ) -> list[Any]:
        self.refuse_lists(types)
        limit = self._limit(options)
        start = self.carried(init, types)

        flag = [] if body.failed is False else [False]
        state = [self.truth(going), *flag, *start]

        def step(*state: Any) -> list[Any]:
            value_of = self.results(body, state[1 + len(flag) :])
            failed = [value_of(body.failed) for _ in flag]
            return [
                self._unless(self.truth(value_of(again)), failed),
                *failed,
                *self.left(value_of, results, types),
            ]

        if limit is None:
            _, *left = lax.while_loop(lambda state: state[0], lambda state: step(*state), state)
        elif not isinstance(limit, int):
            counted = (jnp.zeros_like(limit), *state)
            _, _, *left = lax.while_loop(
                lambda state: (state[0] < limit) & state[1], lambda s: (s[0] + 1, *step(*s[1:])), counted
            )
        else:
            _, _, *left = bounded_loop(
                lambda i, going, *_: (i < limit) & going,
                lambda i, *state: [i + 1, *step(*state)],
                [jnp.zeros((), int), *state],
                limit,
            )
        return self.built(types, self._after(flag, left))

    @staticmethod
    def _limit(options: dict[str, Any]) -> Any:
        limit = options.get("maximum_iterations")
        return limit if limit is None or isinstance(limit, jax.Array) else operator.index(limit)

    def _unless(self, going: Any, failed: list[Any]) -> Any:
        if not failed:
            return going
        return jnp.logical_not(failed[0]) if going is True else going & jnp.logical_not(failed[0])

    def _after(self, flag: list[Any], left: list[Any]) -> list[Any]:
        """What a loop leaves, without the flag that tells whether an iteration raised."""
        if flag:
            self.note_failed(left[0])
        return left[len(flag) :]

    def for_loop(
        self,
        iterated: Any,
        going: Any,
        init: Sequence[Any],
        types: Sequence[Any],
        body: Capture,
        again: Any,
        results: Sequence[Any],
        options: dict[str, Any],
    ) -> list[Any]:
        items = self.sequence(iterated)
        start = self.carried(init, types)
        limit = self._limit(options)
        length = items.length if isinstance(items.count, int) else items.count
        if limit is not None:
            length = self.least(length, limit)
        if going is True and again is True and isinstance(length, int):
            return self._scan(items, length, init, types, start, body, results)
        self.refuse_lists(types)

        flag = [] if body.failed is False else [False]
        plain = going is True and again is True and not flag

        def step(i: Any, carry: list[Any]) -> tuple[Any, list[Any]]:
            value_of = self.results(body, [*self._element(items.item(i)), *carry[len(flag) :]])
            failed = [value_of(body.failed) for _ in flag]
            kept = True if again is True else self.truth(value_of(again))
            return self._unless(kept, failed), [*failed, *self.left(value_of, results, types)]

        zero = jnp.zeros_like(length) if isinstance(length, jax.Array) else 0
        if plain:
            left = lax.fori_loop(zero, length, lambda i, carry: step(i, carry)[1], start)
        else:

            def test(i: Any, going: Any, *_: Any) -> Any:
                return (i < length) & going

            def counted(i: Any, _: Any, *carry: Any) -> list[Any]:
                kept, left = step(i, list(carry))
                return [i + 1, kept, *left]

            state = [zero, self.truth(going), *flag, *start]
            if isinstance(length, int):
                _, _, *left = bounded_loop(test, counted, state, length)
            else:
                _, _, *left = lax.while_loop(lambda state: test(*state), lambda state: counted(*state), state)
        return self.built(types, self._after(flag, left))

    def _scan(
        self,
        items: StagedSequence,
        length: int,
        init: Sequence[Any],
        types: Sequence[Any],
        start: list[Any],
        body: Capture,
        results: Sequence[Any],
    ) -> list[Any]:
        """A loop of known length: what it appends to lists is stacked, and it can be differentiated."""
        whole = items.name == "array" and length == items.length
        grown = [i for i, kind in enumerate(types) if isinstance(kind, ListAval)]

        flag = [] if body.failed is False else [False]

        def step(carry: list[Any], x: Any) -> tuple[list[Any], list[Any]]:
            element = x if whole else items.item(x)
            value_of = self.results(body, [*self._element(element), *carry[len(flag) :]])
            rows = [a for i in grown for a in self.held(value_of(results[i]), types[i])]
            return [value_of(body.failed) for _ in flag] + self.left(value_of, results, types), rows

        def unless_failed(carry: list[Any], x: Any) -> tuple[list[Any], list[Any]]:
            rows = [self.zeros(part) for i in grown for part in self.parts(types[i])]
            return lax.cond(carry[0], lambda: (carry, rows), lambda: step(carry, x))

        xs = items.sources[0] if whole else jnp.arange(length)
        left, stacked = lax.scan(unless_failed if flag else step, [*flag, *start], xs, length=length)
        rows = [[array[i] for array in stacked] for i in range(length)]
        return self.gathered(types, init, self._after(flag, list(left)), rows)

    def elements(self, iterated: Any) -> tuple[Callable[[Sequence[Any]], Any], list[Any]]:
        items = self.sequence(iterated)
        found: list[Any] = []

        def first() -> list[Any]:
            leaves, spec = flatten(items.item(jnp.zeros((), int)))
            found.append(spec)
            return [jnp.asarray(leaf) for leaf in leaves]

        shapes = jax.eval_shape(first)
        kinds = [Aval(s.dtype, s.shape, bool(getattr(s, "weak_type", False))) for s in shapes]
        return (lambda values: unflatten(found[0], list(values))), kinds

    @staticmethod
    def _element(item: Any) -> list[Any]:
        return flatten(item)[0]
