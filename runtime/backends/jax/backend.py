"""JAX: traced arrays are staged, under `jit`, `vmap`, `scan` and whatever else traces.

A branch is captured as a jaxpr, which closes over the tracers that it uses; `lax.cond`, `lax.while_loop`
and `lax.scan` evaluate the jaxprs. Concrete arrays, and tracers whose value is known, are plain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from ... import staging
from ...errors import StagingError
from ...staging.raises import is_own_raise
from ...structures import flatten, unflatten
from ..functional import Added, Aval, Capture, ListAval, Maybe
from ..iterables import StagedSequence
from .values import JaxValues, truth


class JaxBackend(JaxValues):
    """Conditions and loops of `jax.lax`."""

    # Captures

    def capture(self, run: Callable[..., Any], arguments: Sequence[Any] = ()) -> Capture:
        made = Capture()
        kinds = [
            part for kind in arguments for part in ([] if isinstance(kind, ListAval) else self.parts(kind))
        ]

        def traced(*placeholders: Any) -> list[Any]:
            rest = list(placeholders)
            values = []
            for kind in arguments:
                if isinstance(kind, ListAval):
                    values.append(Added())
                    continue
                count = len(self.parts(kind))
                values += self.built([kind], rest[:count])
                rest = rest[count:]
            self.captures.append(made)
            try:
                made.value, leaves = run(*values)
            except staging.AlwaysRaises as error:
                made.raised, leaves = error, []
            except Exception as error:
                if type(error).__module__.startswith("jax.") or not is_own_raise(error):
                    raise
                made.raised, leaves = error, []
                self.fail(True, error)
            finally:
                made.close()
                self.captures.pop()
            leaves = [*leaves, *flatten(made.value)[0], *[v for _, v in made.writes], made.failed]
            made.kept = self.arrays_in(leaves)
            made.places = {id(array): i for i, array in enumerate(made.kept)}
            return made.kept

        specs = [jax.ShapeDtypeStruct(k.shape, k.dtype, weak_type=k.weak) for k in kinds]
        made.program = jax.make_jaxpr(traced)(*specs)
        return made

    def results(self, capture: Capture, arguments: Sequence[Any]) -> Callable[[Any], Any]:
        """Run a captured program; a function from a leaf that the closure left to its value."""
        program = capture.program
        values = jax.core.eval_jaxpr(program.jaxpr, program.consts, *arguments)

        def value_of(leaf: Any) -> Any:
            if isinstance(leaf, Maybe):
                return Maybe(value_of(leaf.value), value_of(leaf.bound), leaf.name)
            if isinstance(leaf, Added):
                return Added(tuple(map(value_of, leaf.items)))
            place = capture.places.get(id(leaf))
            return leaf if place is None else values[place]

        return value_of

    # Conditions and loops

    def cond(
        self, pred: Any, captures: tuple[Capture, Capture], outputs: Sequence[tuple[Any, Any, Any]]
    ) -> list[Any]:
        kinds = [kind for _, _, kind in outputs]
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
        results = self.built(kinds, lax.cond(truth(pred), branch(0), branch(1)))
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
        self._refuse_lists(types)
        limit = options.get("maximum_iterations")
        start = [a for v, k in zip(init, types, strict=True) for a in self.held(v, k)]

        flag = [] if body.failed is False else [False]
        state = [truth(going), *flag, *start]

        def step(state: list[Any]) -> list[Any]:
            value_of = self.results(body, state[1 + len(flag) :])
            failed = [value_of(body.failed) for _ in flag]
            return [
                self._unless(truth(value_of(again)), failed),
                *failed,
                *self._left(value_of, results, types),
            ]

        def bounded(state: list[Any], _: Any) -> tuple[list[Any], None]:
            return lax.cond(state[0], lambda: step(state), lambda: state), None

        if limit is None:
            _, *left = lax.while_loop(lambda c: c[0], step, state)
        else:
            (_, *left), _ = lax.scan(bounded, state, None, length=limit)
        return self.built(types, self._after(flag, left))

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
        start = [
            a
            for v, k in zip(init, types, strict=True)
            if not isinstance(k, ListAval)
            for a in self.held(v, k)
        ]
        limit = options.get("maximum_iterations")
        length = items.length if isinstance(items.count, int) else items.count
        if limit is not None:
            length = self.least(length, limit)
        if going is True and again is True and isinstance(length, int):
            return self._scan(items, length, init, types, start, body, results)
        self._refuse_lists(types)

        flag = [] if body.failed is False else [False]
        plain = going is True and again is True and not flag

        def step(i: Any, carry: list[Any]) -> tuple[Any, list[Any]]:
            value_of = self.results(body, [*self._element(items.item(i)), *carry[len(flag) :]])
            failed = [value_of(body.failed) for _ in flag]
            kept = True if again is True else truth(value_of(again))
            return self._unless(kept, failed), [*failed, *self._left(value_of, results, types)]

        zero = jnp.zeros_like(length) if isinstance(length, jax.Array) else 0
        if plain:
            left = lax.fori_loop(zero, length, lambda i, carry: step(i, carry)[1], start)
        else:
            state = (zero, truth(going), [*flag, *start])
            _, _, left = lax.while_loop(
                lambda state: (state[0] < length) & state[1], lambda s: (s[0] + 1, *step(s[0], s[2])), state
            )
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
            return [value_of(body.failed) for _ in flag] + self._left(value_of, results, types), rows

        def unless_failed(carry: list[Any], x: Any) -> tuple[list[Any], list[Any]]:
            rows = [self.zeros(part) for i in grown for part in self.parts(types[i])]
            return lax.cond(carry[0], lambda: (carry, rows), lambda: step(carry, x))

        xs = items.sources[0] if whole else jnp.arange(length)
        left, stacked = lax.scan(unless_failed if flag else step, [*flag, *start], xs, length=length)
        found, rest, rows = [], self._after(flag, list(left)), list(stacked)
        for kind, value in zip(types, init, strict=True):
            if isinstance(kind, ListAval):
                own, rows = rows[: len(kind.items)], rows[len(kind.items) :]
                found.append(Added((*value.items, *[a[i] for i in range(length) for a in own])))
            else:
                count = len(self.parts(kind))
                found += self.built([kind], rest[:count])
                rest = rest[count:]
        return found

    def _left(
        self, value_of: Callable[[Any], Any], results: Sequence[Any], types: Sequence[Any]
    ) -> list[Any]:
        return [
            array
            for leaf, kind in zip(results, types, strict=True)
            if not isinstance(kind, ListAval)
            for array in self.held(value_of(leaf), kind)
        ]

    def _refuse_lists(self, types: Sequence[Any]) -> None:
        if any(isinstance(kind, ListAval) for kind in types):
            raise StagingError(
                "a list is appended to in a loop whose number of iterations is known only at run time. Make "
                "an array of the greatest length before the loop and write its items, or loop a fixed number "
                "of times"
            )

    def elements(self, iterated: Any) -> tuple[Callable[[Sequence[Any]], Any], list[Any]]:
        items = self.sequence(iterated)
        shapes = jax.eval_shape(
            lambda: [jnp.asarray(a) for a in self._element(items.item(jnp.zeros((), int)))]
        )
        kinds = [Aval(s.dtype, s.shape, bool(getattr(s, "weak_type", False))) for s in shapes]
        spec = _spec_of(items)
        return (lambda values: _rebuilt(spec, values)), kinds

    @staticmethod
    def _element(item: Any) -> list[Any]:
        return flatten(item)[0]


def _spec_of(items: StagedSequence) -> Any:
    found: list[Any] = []

    def note() -> list[Any]:
        leaves, spec = flatten(items.item(jnp.zeros((), int)))
        found.append(spec)
        return [jnp.asarray(leaf) for leaf in leaves]

    jax.eval_shape(note)
    return found[0]


def _rebuilt(spec: Any, values: Sequence[Any]) -> Any:
    return unflatten(spec, list(values))
