# needs: jax
import jax
import jax.numpy as jnp

import autograph_rs as ag


def wrong():
    @jax.jit
    @ag.convert
    def choose(x):
        if jnp.sum(x) > 0:  # <-- here
            y = x[:2]
        else:
            y = x
        return y

    return choose(jnp.ones(3))


def repaired():
    @jax.jit
    @ag.convert
    def choose(x):
        if jnp.sum(x) > 0:
            y = x.at[2].set(0.0)
        else:
            y = x
        return y

    return choose(jnp.ones(3))


EXPECTED = [1.0, 1.0, 0.0]
