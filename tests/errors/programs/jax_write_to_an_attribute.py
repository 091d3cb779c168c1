# needs: jax
from types import SimpleNamespace

import jax
import jax.numpy as jnp

import autograph_rs as ag


def wrong():
    @jax.jit
    @ag.convert
    def fill(x):
        model = SimpleNamespace(weights=x + 1)
        model.weights[0] = 5.0  # <-- here
        return model.weights

    return fill(jnp.zeros(2))


def repaired():
    @jax.jit
    @ag.convert
    def fill(x):
        model = SimpleNamespace(weights=x + 1)
        weights = model.weights
        weights[0] = 5.0
        model.weights = weights
        return model.weights

    return fill(jnp.zeros(2))


EXPECTED = [5.0, 1.0]
PLAIN = "without a trace, no item of an array of JAX can be written"
