# needs: jax
import jax
import jax.numpy as jnp

import autograph_rs as ag


def wrong():
    @jax.jit
    @ag.convert
    def largest(x):
        return sorted(x, key=lambda v: -v)[0]  # <-- here

    return largest(jnp.array([1.0, 3.0, 2.0]))


def repaired():
    @jax.jit
    @ag.convert
    def largest(x):
        return x[jnp.argsort(-x)][0]

    return largest(jnp.array([1.0, 3.0, 2.0]))


EXPECTED = 3.0
