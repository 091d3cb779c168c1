# needs: jax
import jax
import jax.numpy as jnp

import autograph_rs as ag


def wrong():
    @jax.jit
    @ag.convert
    def factorial(n):
        def product(n):
            if n <= 1:
                return 1
            return n * product(n - 1)  # <-- here

        return product(n)

    return factorial(5)


def repaired():
    @jax.jit
    @ag.convert
    def factorial(n):
        product = 1
        while n > 1:
            product = product * n
            n = n - 1
        return product

    return factorial(5)


EXPECTED = 120
