"""The workloads of `staged.py` in JAX, with control flow written by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

try:
    import jax
    import jax.numpy as jnp
    from jax import lax

    jax.config.update("jax_enable_x64", True)
except ImportError:
    jax = None


def tiny(x, y):
    return x * y + x


def products(a, b):
    return lax.fori_loop(0, 100, lambda _, total: total + a @ b, jnp.zeros_like(a))


def chain(x):
    return lax.fori_loop(0, 10, lambda _, y: (y @ x) * 1e-3, x)


def convolution(x, k):
    return jnp.convolve(x, k)


def collatz(n):
    def step(state):
        n, count = state
        return lax.cond(n % 2 == 0, lambda: n // 2, lambda: 3 * n + 1), count + 1

    return lax.while_loop(lambda state: state[0] != 1, step, (n, 0))[1]


def fizzbuzz(n):
    def step(i, total):
        kind = (i % 15 == 0) * 3 + ((i % 15 != 0) & (i % 3 == 0)) * 2 + ((i % 3 != 0) & (i % 5 == 0)) * 1
        return total + lax.switch(kind, [lambda: i, lambda: i * 0 + 5, lambda: i * 0 + 3, lambda: i * 0 + 15])

    return lax.fori_loop(1, n + 1, step, n * 0)


def shrink(x):
    return lax.while_loop(lambda x: jnp.sum(x) > 1, jnp.tanh, x)


def rnn(inputs, weights, state):
    def step(state, x):
        state = jnp.tanh(x @ weights + state)
        return state, state

    return lax.scan(step, state, inputs)[1]


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "tiny": tiny,
    "100 products": products,
    "chain": chain,
    "convolution": convolution,
    "Collatz(27)": collatz,
    "FizzBuzz(1000)": fizzbuzz,
    "tanh until small": shrink,
    "RNN": rnn,
}


def jit(name: str) -> Callable[..., Any] | None:
    return None if jax is None or name not in FUNCTIONS else jax.jit(FUNCTIONS[name])


def arrays(args: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(map(jnp.asarray, args))
