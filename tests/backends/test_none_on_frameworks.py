"""Values that may be None when a program of JAX or PyTorch runs."""

from __future__ import annotations

import numpy as np
import pytest
from support import required

import autograph_rs as ag
from autograph_rs.testing.cases.optional import none_of_two, root_or_none

jax = required("jax")
torch = required("torch")
jnp = jax.numpy


def doubled(xs):
    twice = None
    if xs.sum() > 0:
        twice = xs * 2
    if twice is None:
        return 0.0
    return (twice * twice).sum()


@pytest.mark.parametrize("function", [doubled, none_of_two], ids=["test", "or"])
def test_a_branch_that_has_tested_checks_nothing(function):
    """So the program has no effects, and gradients and batches are right."""
    x = jnp.ones(3) if function is doubled else 2.0
    program = jax.make_jaxpr(ag.convert(function))(x)
    assert not program.effects
    assert "callback" not in str(program)


def test_gradients_of_jax():
    gradient = jax.jit(jax.grad(ag.convert(doubled)))
    assert np.array_equal(gradient(jnp.array([1.0, 2.0])), [8.0, 16.0])
    assert np.array_equal(gradient(-jnp.array([1.0, 2.0])), [0.0, 0.0])


def test_a_batch_of_jax():
    assert jax.vmap(ag.convert(none_of_two))(jnp.array([2.0, 0.5, -1.0])).tolist() == [5.0, -1.0, -1.0]


def test_a_value_between_two_functions_of_jax():
    called = jax.jit(lambda x: ag.convert(lambda y: -1.0 if y is None else y)(ag.convert(root_or_none)(x)))
    assert [called(x) for x in (4.0, -4.0, 9.0)] == [2.0, -1.0, 3.0]


def test_results_of_torch():
    class Root(torch.nn.Module):
        def forward(self, x):
            return ag.convert(root_or_none)(x)

    program = torch.export.export(Root(), (torch.tensor(4.0),), strict=False).module()
    assert program(torch.tensor(4.0)) == 2.0
    assert program(torch.tensor(-4.0)) is None


def test_jax_returns_arrays():
    function = jax.jit(ag.convert(root_or_none))
    for x in (4.0, -4.0):
        with pytest.raises(ag.StagingError, match="staged by jax returns a value that may be None"):
            function(x)
    with pytest.raises(ag.StagingError, match="may be None"):
        jax.vmap(ag.convert(root_or_none))(jnp.array([4.0, -1.0]))


def test_tensorflow_returns_tensors():
    tf = required("tensorflow")
    with pytest.raises(ag.StagingError, match="returns a value that may be None"):
        tf.function(ag.convert(root_or_none), autograph=False)(tf.constant(4.0))
