"""Functions under decorators of JAX itself, as libraries for JAX have them."""

from __future__ import annotations

from support import required

import autograph_rs as ag

jax = required("jax")
from jax._src.traceback_util import api_boundary  # noqa: E402 - Flax decorates its public methods with it


class Layer:
    @api_boundary
    def apply(self, x):
        return self.scaled(x) if x > 0 else x

    @api_boundary
    def scaled(self, x):
        while x < 10:
            x = x * 2
        return x


def test_the_wrapped_function_is_converted():
    layer = Layer()
    staged = jax.jit(ag.convert(lambda x: layer.apply(x) + 1))
    assert [int(staged(x)) for x in (3, -2)] == [13, -1]
    assert ag.to_graph(lambda x: layer.apply(x))(3) == 12  # noqa: PLW0108
