# needs: jax
import jax
import jax.numpy as jnp

import autograph_rs as ag


def wrong():
    @jax.jit
    @ag.convert
    def first(x):
        def items():
            for i in range(4):
                if x > i:  # <-- here
                    yield i

        found = items()
        return next(found)

    return first(3)


def repaired():
    @jax.jit
    @ag.convert
    def first(x):
        def items():
            for i in range(4):
                if x > i:
                    yield i

        return next(items(), -1)

    return first(3)


EXPECTED = 0
