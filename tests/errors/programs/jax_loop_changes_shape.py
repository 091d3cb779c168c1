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
            ag.set_loop_options(maximum_size=8)
            x = jnp.concatenate([x, x])
        return x

    return double(jnp.ones(2), 3.0)


EXPECTED = [1.0, 1.0, 1.0, 1.0]
