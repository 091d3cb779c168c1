# needs: jax
import jax
import jax.numpy as jnp

import autograph_rs as ag


def wrong():
    @jax.jit
    @ag.convert
    def checked(x):
        try:
            if x < 0:
                raise ValueError("negative")  # <-- here
            dir()  # keeps the statement in Python
        except ValueError:
            return -1.0
        return x

    return checked(-2.0)


def repaired():
    @jax.jit
    @ag.convert
    def checked(x):
        if x < 0:
            return -1.0
        return x

    return checked(-2.0)


EXPECTED = -1.0
