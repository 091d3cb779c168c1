# needs: jax
import jax
import jax.numpy as jnp

import autograph_rs as ag


def wrong():
    @jax.jit
    @ag.convert
    def steps(x):
        found = []
        while x > 1.0:  # <-- here
            found.append(x)
            x = x / 2
        return jnp.stack(found)

    return steps(8.0)


def repaired():
    @jax.jit
    @ag.convert
    def steps(x):
        found = jnp.zeros(4)
        i = 0
        while x > 1.0:
            found[i] = x
            i = i + 1
            x = x / 2
        return found

    return steps(8.0)


EXPECTED = [8.0, 4.0, 2.0, 0.0]
PLAIN = "without a trace, no item of an array of JAX can be written"
