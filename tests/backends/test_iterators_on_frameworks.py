"""Iterators that advance in staged branches and loops of frameworks."""

from __future__ import annotations

import numpy as np
import pytest
from iterator_programs import Below, Reader, in_branches
from support import required
from torch_support import QUIET, Calls, exported, torch

jax = required("jax")
tf = required("tensorflow")

import autograph_rs as ag  # noqa: E402

pytestmark = QUIET
XS = np.array([3.0, -1.0, 4.0, 1.0, 5.0])


def left_early(xs):
    total = 0
    for i in Below(xs[0] + xs[2]):
        if total > 6:
            break
        total = total + i
    return total


def over_a_range(xs):
    items, total = iter(range(2, 12, 2)), 0
    for x in xs:
        if x > 0:
            total = total * 10 + next(items, 1)
    return total


def in_a_loop_of_its_own(xs, reader):
    total = 0.0
    for x in xs:
        if x > 2:
            for item in reader:
                total = total + item
                if item > x - 2:
                    break
    return total


def over_a_list(xs):
    return in_a_loop_of_its_own(xs, iter([1.0, 2.0, 3.0]))


def over_an_object(xs):
    return in_a_loop_of_its_own(xs, Reader([1.0, 2.0, 3.0]))


def runs(framework, function, xs):
    if framework == "jax":
        with jax.enable_x64(True):
            return jax.jit(ag.convert(function))(xs)
    if framework == "tensorflow":
        return tf.function(ag.convert(function), autograph=False)(tf.constant(xs))
    return exported(Calls(function), torch.tensor(xs)).module()(torch.tensor(xs))


@pytest.mark.parametrize("function", [in_branches, left_early, over_a_range, over_a_list])
@pytest.mark.parametrize("framework", ["jax", "tensorflow", "torch"])
def test_an_iterator_advances(framework, function):
    for xs in (XS, -XS, abs(XS)):
        actual, expected = runs(framework, function, xs), function(xs)
        np.testing.assert_array_equal(np.array(jax.tree.leaves(actual)), np.array(jax.tree.leaves(expected)))


@pytest.mark.parametrize(
    ("framework", "error", "says"),
    [
        ("jax", ag.MissingValueError, "leaves the item without a value"),
        ("tensorflow", ag.MissingValueError, "leaves the item without a value"),
        ("torch", ag.UnsupportedPlaceError, "which ends an iteration"),
    ],
)
def test_an_iterator_of_a_class_does_not_end_by_a_staged_condition(framework, error, says):
    with pytest.raises(error, match=says):
        runs(framework, over_an_object, XS)
