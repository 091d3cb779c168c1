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
        found = []
        while x > 1.0:
            ag.set_loop_options(maximum_size=10)
            found.append(x)
            x = x / 2
        return jnp.stack(found)

    return steps(8.0)


EXPECTED = [8.0, 4.0, 2.0]
