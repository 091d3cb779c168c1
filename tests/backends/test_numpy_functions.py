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
