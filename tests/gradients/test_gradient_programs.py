"""Gradients through control flow: beside finite differences, JAX, and for second derivatives."""

from __future__ import annotations

import types

import branch_programs
import loop_programs
import numpy as np
import pytest
from backends.support import required
from registry import PROGRAMS
from test_differences import differences

import autograph_rs as ag

assert branch_programs.PROGRAMS is loop_programs.PROGRAMS is PROGRAMS
STEPS = {"bisection"}  # piecewise constant: the slope is none that differences could find
WRITTEN = {"written_rows"}  # JAX's arrays cannot be written


def arrays(arguments):
    return [np.array(a, float) for a in arguments]


def values(arguments):
    """Arrays of their own, and NumPy scalars of those without dimensions."""
    return [a.copy() if a.ndim else a[()] for a in arguments]


@pytest.mark.parametrize("name", sorted(PROGRAMS.keys() - STEPS))
@pytest.mark.parametrize("optimise", [True, False])
def test_against_finite_differences(name: str, optimise: bool):
    f, given = PROGRAMS[name]
    given = arrays(given)
    slope = ag.grad(f, tuple(range(len(given))))
    slope.optimisations = slope.optimisations if optimise else ()
    expected = differences(lambda *x: f(*values(x)), given, 1e-4)
    for found, wanted in zip(slope(*values(given)), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(PROGRAMS.keys() - STEPS))
def test_second_derivatives_against_finite_differences(name: str):
    f, given = PROGRAMS[name]
    given = arrays(given)
    places = tuple(range(len(given)))
    slope = ag.grad(f, places)

    def total(*x):
        made = slope(*x)
        sums = 0.0
        for i in places:
            sums = sums + (i + 1) * np.sum(made[i])
        return sums

    expected = differences(lambda *x: total(*values(x)), given, 1e-4)
    for found, wanted in zip(ag.grad(total, places)(*values(given)), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.needs("jax")
@pytest.mark.parametrize("name", sorted(PROGRAMS.keys() - WRITTEN))
def test_beside_jax(name: str):
    jax = required("jax")
    f, given = PROGRAMS[name]
    places = tuple(range(len(given)))
    with jax.enable_x64(True):
        names = {**f.__globals__, "np": jax.numpy}
        theirs = types.FunctionType(f.__code__, names, f.__name__, f.__defaults__, f.__closure__)
        expected = jax.grad(theirs, places)(*map(jax.numpy.asarray, arrays(given)))
    for found, wanted in zip(ag.grad(f, places)(*values(arrays(given))), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_graphs_are_well_formed_and_can_be_saved(name: str):
    f, given = PROGRAMS[name]
    slope = ag.grad(f, tuple(range(len(given))))
    slope(*values(arrays(given)))
    [concrete] = slope.traces()
    text = concrete.graph.to_json()
    assert ag.Graph.from_json(text).equals(concrete.graph)
