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
        return next(found) + next(found)

    return first(3)


def repaired():
    @jax.jit
    @ag.convert
    def first(x):
        def items():
            for i in range(4):
                if x > i:
                    yield i

        total = 0
        for count, i in enumerate(items()):
            if count < 2:
                total += i
        return total

    return first(3)


EXPECTED = 1
