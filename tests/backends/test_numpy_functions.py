"""NumPy's functions on staged tensors give what NumPy gives, or are refused."""

from __future__ import annotations

import numpy as np
import pytest
from numpy_calls import differing
from support import required
from torch_support import Calls, torch

import autograph_rs as ag

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
