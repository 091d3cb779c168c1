"""Functions under decorators of JAX itself, as libraries for JAX have them."""

from __future__ import annotations

import pytest
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


@pytest.mark.parametrize("transform", ["grad", "value_and_grad", "vmap", "jacrev", "hessian", "checkpoint"])
def test_a_transformed_function_stays_transformed(transform):
    """`jax.grad(f)` names `f` as its `__wrapped__`; converted code calls the gradient all the same."""
    transformed = getattr(jax, transform)(lambda x: (x * x * x).sum())
    xs = jax.numpy.array([1.0, 2.0])
    staged = jax.jit(ag.convert(lambda x: transformed(x)))(xs)  # noqa: PLW0108
    expected = jax.tree.leaves(transformed(xs))
    assert [leaf.tolist() for leaf in jax.tree.leaves(staged)] == [leaf.tolist() for leaf in expected]
