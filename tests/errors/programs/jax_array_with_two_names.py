# needs: jax
import jax
import jax.numpy as jnp

import autograph_rs as ag


def wrong():
    @jax.jit
    @ag.convert
    def fill(x):
        y = x
        x[0] = 5.0  # <-- here
        return x + y

    return fill(jnp.zeros(2))


def repaired():
    @jax.jit
    @ag.convert
    def fill(x):
        y = x
        x = x.copy()
        x[0] = 5.0
        return x + y

    return fill(jnp.zeros(2))


EXPECTED = [5.0, 0.0]
PLAIN = "without a trace, no item of an array of JAX can be written"
