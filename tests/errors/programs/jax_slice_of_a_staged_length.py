# needs: jax
import jax
import jax.numpy as jnp

import autograph_rs as ag


def wrong():
    @jax.jit
    @ag.convert
    def head(x, n):
        return jnp.sum(jnp.outer(x[:n], x))  # <-- here

    return head(jnp.ones(3), 2)


def repaired():
    @jax.jit
    @ag.convert
    def head(x, n):
        return jnp.sum(x[:n]) * jnp.sum(x)

    return head(jnp.ones(3), 2)


EXPECTED = 6.0
