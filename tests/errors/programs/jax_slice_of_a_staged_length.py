# needs: jax
import jax
import jax.numpy as jnp

import autograph_rs as ag


def wrong():
    @jax.jit
    @ag.convert
    def head(x, n):
        return jnp.sum(x[:n])  # <-- here

    return head(jnp.ones(3), 2)


def repaired():
    @jax.jit
    @ag.convert
    def head(x, n):
        return jnp.sum(jnp.where(jnp.arange(3) < n, x, 0.0))

    return head(jnp.ones(3), 2)


EXPECTED = 2.0
