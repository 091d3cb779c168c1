"""NumPy's functions on staged tensors give what NumPy gives, or are refused."""

from __future__ import annotations

import numpy as np
import pytest
from numpy_calls import differing
from support import required
from torch_support import Calls, exported, torch

import autograph_rs as ag
from autograph_rs.runtime.values import structures

jax = required("jax")
tf = required("tensorflow")


def in_jax(run, arrays):
    return jax.jit(ag.convert(run))(*arrays)


def in_tensorflow(run, arrays):
    made = tf.function(ag.convert(run), autograph=False)(*map(tf.constant, arrays))
    return tf.nest.map_structure(np.asarray, made)


def in_torch(run, arrays):
    given = tuple(map(torch.tensor, arrays))
    made = torch.export.export(Calls(run), given, strict=False).module()(*given)
    return torch.utils._pytree.tree_map(np.asarray, made)


@pytest.mark.parametrize(("system", "at_least"), [(in_jax, 240), (in_tensorflow, 210), (in_torch, 230)])
def test_numpy_functions(system, at_least):
    with jax.enable_x64(True):
        wrong, made = differing(system)
    assert not wrong
    assert made >= at_least


V = np.array([1.0, -1.0, 0.5])

WRITING = {
    "put": lambda x: np.put(x, [0], 2.0),
    "copyto": lambda x: np.copyto(x, 2.0),
    "fill_diagonal": lambda x: np.fill_diagonal(x, 2.0),
    "at": lambda x: np.add.at(x, [0, 0], 1.0),
    "out": lambda x: np.sqrt(x, where=x > 0, out=x),
}


@pytest.mark.parametrize("name", WRITING)
@pytest.mark.parametrize("system", [in_jax, in_tensorflow, in_torch])
def test_a_function_that_writes_is_refused(system, name):
    """The frameworks have functions that return new arrays instead."""
    write = WRITING[name]

    def run(x):
        total = np.sum(x)
        write(x)
        return x + total

    with pytest.raises(ag.UnsupportedFunctionError, match="writes to a staged array"):
        system(run, [V])


@pytest.mark.parametrize("system", [in_jax, in_tensorflow, in_torch])
def test_a_subscript_that_creates_an_array_is_refused(system):
    """They have no object such as `np.r_` that takes a staged value."""

    def run(x):
        total = np.sum(x)
        return np.r_[total, x]

    with pytest.raises(ag.UnsupportedFunctionError, match=r"np\.r_"):
        system(run, [V])


def test_jax_has_other_products_of_polynomials():
    """They keep leading zeros."""
    for function in (np.polymul, np.polydiv):
        with pytest.raises(ag.UnsupportedFunctionError, match="same results"):
            in_jax(lambda x, f=function: f(x, x), [V])


X, Y = np.array([0.1, 1.5, 0.7, 2.4]), np.array([1, 3, 7, 2])


def leaves(made):
    return structures.flatten(made)[0]


HISTOGRAMS = [
    lambda x, y: np.histogram(x, 4),
    lambda x, y: np.histogram(y),
    lambda x, y: np.histogram(y, [1, 2, 5], density=True),
    lambda x, y: np.histogram2d(x, y, [2, 3]),
    lambda x, y: np.histogram2d(x, y, [0.0, 2.0, 8.0], weights=x),
    lambda x, y: np.histogramdd(np.stack([x, y], 1), 2, range=[(0, 1), (0, 3)]),
]


@pytest.mark.parametrize("run", HISTOGRAMS)
def test_histograms_by_pytorch(run):
    for actual, expected in zip(leaves(in_torch(run, [X, Y])), leaves(run(X, Y)), strict=True):
        assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(actual, expected, rtol=1e-12)


def test_derivatives_of_the_edges_of_a_histogram():
    def edges(x):
        low, middle, high = np.histogram(x, 2)[1]
        return low + 10 * middle + 100 * high

    x = torch.tensor(X, requires_grad=True)
    exported(Calls(edges), x).module()(x).backward()
    np.testing.assert_allclose(x.grad, [6.0, 0.0, 0.0, 105.0])
