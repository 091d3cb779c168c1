# needs: jax
import jax
import jax.numpy as jnp

import autograph_rs as ag


def wrong():
    @jax.jit
    @ag.convert
    def look_up(i):
        table = {0: 1.0, 1: 2.0}
        return table[i]  # <-- here

    return look_up(1)


def repaired():
    @jax.jit
    @ag.convert
    def look_up(i):
        table = jnp.array([1.0, 2.0])
        return table[i]

    return look_up(1)


EXPECTED = 2.0
