"""Gradients that onnxruntime runs, beside NumPy."""

from __future__ import annotations

import branch_programs
import loop_programs
import numpy as np
import pytest
from backends.support import required
from registry import PROGRAMS

import autograph_rs as ag

required("onnx")
required("onnxruntime")

assert branch_programs.PROGRAMS is loop_programs.PROGRAMS is PROGRAMS

X = np.array([0.75, -1.0, 2.0])


def first_kept(x):
    items = []
    for v in x:
        if v > 0:
            items.append(v * 2)  # noqa: PERF401
    return items[0] * items[-1]


def until_broken(x):
    items = []
    for v in x:
        if v > 1.5:
            break
        items.append(1 / v)  # infinity, of which no multiple is 0, may stand in a place that nobody reads
    return items[1] ** 2


def while_short(x):
    items = [x[0]]
    while len(items) < np.int64(3):
        items.append(x[len(items)] * items[-1])
    more = items + items
    total = 0.0
    for v in more:
        total += v * v
    return total


def arrays(given):
    return [np.array(a, float) if np.ndim(a) else np.float64(a) for a in given]


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_programs(name: str):
    f, given = PROGRAMS[name]
    places = tuple(range(len(given)))
    expected = ag.grad(f, places)(*arrays(given))
    found = ag.grad(ag.function(f, engine="onnxruntime"), places)(*arrays(given))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("f", [first_kept, until_broken, while_short])
@pytest.mark.parametrize("x", [X, np.array([0.5, 0.25, 0.0])])
def test_lists_whose_length_depends_on_values(f, x):
    with np.errstate(all="ignore"):
        expected = ag.grad(f)(x)
    np.testing.assert_allclose(ag.function(ag.grad(f), engine="onnxruntime")(x), expected, rtol=1e-12)


def test_the_engine_of_a_function_runs_its_gradient():
    square = ag.function(lambda x: x * x, engine="onnxruntime")
    assert ag.grad(square).engine == ag.value_and_grad(square).engine == "onnxruntime"
    assert ag.grad(ag.grad(square)).engine == "onnxruntime"
    assert ag.grad(lambda x: x * x).engine == "auto"

    class Model:
        @ag.function(engine="onnxruntime")
        def energy(self, x):
            return x * x

    slope = ag.grad(Model().energy)
    assert slope.engine == "onnxruntime"
    assert slope(3.0) == 6.0
