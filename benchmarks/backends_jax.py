"""The programs of `workloads.py` in JAX, with control flow written by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from workloads import BEAMS, MOVES, WORKLOADS


def collatz(n):
    def body(state):
        n, steps = state
        return lax.cond(n % 2 == 0, lambda: n // 2, lambda: 3 * n + 1), steps + 1

    return lax.while_loop(lambda state: state[0] != 1, body, (n, 0))[1]


def clipped_walk(xs, state):
    def body(state, x):
        state = 0.9 * state + x
        return lax.cond(jnp.sum(state) > 0, lambda: jnp.tanh(state), lambda: state * 0.5), None

    return lax.scan(body, state, xs)[0]


def rnn(xs, hidden, w_in, w_hidden):
    def body(hidden, x):
        return jnp.tanh(jnp.matmul(x, w_in) + jnp.matmul(hidden, w_hidden)), None

    return lax.scan(body, hidden, xs)[0]


def newton(a, tolerance):
    def body(state):
        i, x, _ = state
        step = (x * x - a) / (2.0 * x)
        return i + 1, x - step, jnp.abs(step) < tolerance

    return lax.while_loop(lambda state: (state[0] < 100) & ~state[2], body, (0, a, False))[1]


def beam_search(moves, emissions, scores, places, margin):
    def body(state):
        i, scores, places, _ = state
        paths = jnp.expand_dims(scores, 1) + jnp.take(moves, places, axis=0) + emissions[i]
        paths = jnp.reshape(paths, (-1,))
        order = jnp.argsort(-paths)[:BEAMS]
        scores = jnp.take(paths, order)
        return i + 1, scores, order % MOVES, scores[0] - scores[BEAMS - 1] > margin

    start = 0, scores, places, False
    return lax.while_loop(lambda state: (state[0] < len(emissions)) & ~state[3], body, start)[1:3]


BY_HAND = dict(zip(WORKLOADS, (collatz, clipped_walk, rnn, newton, beam_search), strict=True))


def arguments(given: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(map(jnp.asarray, given))


def compiled(f: Callable[..., Any], given: tuple[Any, ...]) -> Callable[[], Any]:
    """Return a function that calls the compiled program and waits for its result. The first call traces."""
    made = jax.jit(f)
    return lambda: jax.block_until_ready(made(*given))


def as_numpy(results: Any) -> Any:
    return jax.tree.map(np.asarray, results)


MODES = {"jax.jit": compiled}
