# needs: jax
import jax
import jax.numpy as jnp

import autograph_rs as ag


def wrong():
    @jax.jit
    @ag.convert
    def double(x, limit):
        while jnp.sum(x) < limit:  # <-- here
            x = jnp.concatenate([x, x])
        return x

    return double(jnp.ones(2), 3.0)


def repaired():
    @jax.jit
    @ag.convert
    def double(x, limit):
        while jnp.sum(x) < limit:
            x = x + x
        return x

    return double(jnp.ones(2), 3.0)


EXPECTED = [2.0, 2.0]
