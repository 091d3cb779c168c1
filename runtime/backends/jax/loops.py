"""Loops that end early, and can be differentiated in reverse.

`lax.while_loop` ends when its test fails, but has no reverse mode; a scan of as many steps as the loop may
have at most has one, but runs them all. So a loop is the first, and its derivative that of the second; one
that prints or raises is the second.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax import lax


def bounded_loop(
    test: Callable[..., Any], step: Callable[..., Sequence[Any]], state: Sequence[Any], most: int
) -> list[Any]:
    """`while test(*state): state = step(*state)`, which ends after at most `most` rounds."""
    tests, steps = (jax.make_jaxpr(f)(*state) for f in (test, step))

    @jax.custom_jvp
    def run(*given: Any) -> list[Any]:
        return _looped(tests.jaxpr, steps.jaxpr, *given)

    @run.defjvp
    def derivative(given: Any, tangents: Any) -> Any:
        return jax.jvp(scanned, given, tangents)

    def scanned(of_tests: Any, of_steps: Any, state: Any) -> list[Any]:
        def round_(state: list[Any], _: Any) -> tuple[list[Any], None]:
            [goes_on] = jax.core.eval_jaxpr(tests.jaxpr, of_tests, *state)
            step = lambda: jax.core.eval_jaxpr(steps.jaxpr, of_steps, *state)  # noqa: E731
            return lax.cond(goes_on, step, lambda: state), None

        return lax.scan(round_, state, None, length=most)[0]

    if tests.effects or steps.effects:  # which a custom derivative must not have
        return scanned(tests.consts, steps.consts, list(state))
    return run(tests.consts, steps.consts, list(state))


def _looped(tests: Any, steps: Any, of_tests: Any, of_steps: Any, state: Any) -> list[Any]:
    return lax.while_loop(
        lambda state: jax.core.eval_jaxpr(tests, of_tests, *state)[0],
        lambda state: jax.core.eval_jaxpr(steps, of_steps, *state),
        list(state),
    )
