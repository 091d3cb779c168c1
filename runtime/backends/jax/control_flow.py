"""Loops that end early and have a reverse mode, and conditionals that become selections.

`lax.while_loop` ends when its test fails but has no reverse mode. A scan over the maximum number of
iterations has one but runs all of them. So a bounded loop runs as a while loop and is
differentiated as a scan. A loop that prints or raises is always a scan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax import lax

from ..functional.abstract_values import Aval, is_small
from ..functional.captures import ProgramCapture


def bounded_loop(
    test: Callable[..., Any], step: Callable[..., Sequence[Any]], state: Sequence[Any], limit: int
) -> list[Any]:
    """Stage `while test(*state): state = step(*state)` for at most `limit` iterations."""
    tests, steps = (jax.make_jaxpr(f)(*state) for f in (test, step))

    @jax.custom_jvp
    def run(test_consts: Any, step_consts: Any, state: Any) -> list[Any]:
        return lax.while_loop(
            lambda state: jax.core.eval_jaxpr(tests.jaxpr, test_consts, *state)[0],
            lambda state: jax.core.eval_jaxpr(steps.jaxpr, step_consts, *state),
            list(state),
        )

    @run.defjvp
    def derivative(primals: Any, tangents: Any) -> Any:
        return jax.jvp(scanned, primals, tangents)

    def scanned(test_consts: Any, step_consts: Any, state: Any) -> list[Any]:
        def iterate(state: list[Any], _: Any) -> tuple[list[Any], None]:
            [continues] = jax.core.eval_jaxpr(tests.jaxpr, test_consts, *state)
            step = lambda: jax.core.eval_jaxpr(steps.jaxpr, step_consts, *state)  # noqa: E731
            return lax.cond(continues, step, lambda: state), None

        return lax.scan(iterate, state, None, length=limit)[0]

    if tests.effects or steps.effects:  # a function with a custom derivative must have no effects
        return scanned(tests.consts, steps.consts, list(state))
    return run(tests.consts, steps.consts, list(state))


SAFE = frozenset(
    ("add", "sub", "neg", "eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not", "xor", "select_n",
     "convert_element_type", "abs", "reduce_and", "reduce_or", "reduce_max", "reduce_min", "reduce_sum")
)  # fmt: skip
"""Primitives that never raise and whose derivatives are always finite."""


def is_selectable(captures: Sequence[ProgramCapture], avals: Sequence[Aval], *, compute: bool) -> bool:
    """Return whether a conditional may run both branches and select between their results.

    Branches that compute nothing always qualify; branches of safe primitives on small arrays qualify only if
    `compute` is true.
    """
    primitives = SAFE if compute else frozenset()
    return (
        bool(avals)
        and all(is_small(aval.shape) for aval in avals)
        and not any(c.raised or c.failed is not False or c.program.effects for c in captures)
        and all(
            eqn.primitive.name in primitives
            and all(is_small(v.aval.shape) for v in (*eqn.invars, *eqn.outvars))
            for c in captures
            for eqn in c.program.eqns
        )
    )
