# needs: jax
import jax
import jax.numpy as jnp

import autograph_rs as ag


def wrong():
    @jax.jit
    @ag.convert
    def evens(x):
        def items():
            for i in range(4):
                if x > i:  # <-- here
                    yield i

        return sum(items())

    return evens(3)


def repaired():
    @jax.jit
    @ag.convert
    def evens(x):
        def value(i):
            return i if x > i else 0

        def items():
            for i in range(4):
                yield value(i)

        return sum(items())

    return evens(3)


EXPECTED = 3
