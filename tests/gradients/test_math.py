"""The rules of `math` against finite differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from test_differences import differences

import autograph_rs as ag
from autograph_rs.runtime.graph.rules import tables

# Where the arguments are drawn from; elsewhere it is -2 to 2.
BETWEEN = {
    **dict.fromkeys(("acos", "asin", "atanh"), (-0.9, 0.9)),
    **dict.fromkeys(("log", "log10", "log2", "sqrt", "pow", "fmod", "cbrt", "gamma", "prod"), (0.5, 3.0)),
    "acosh": (1.1, 3.0),
    "log1p": (-0.5, 2.0),
    "lgamma": (-1.9, -1.1),
}
SEVERAL = {
    "atan2": 2, "copysign": 2, "fmod": 2, "nextafter": 2, "pow": 2, "remainder": 2, "hypot": 3, "fma": 3,
}  # fmt: skip
SEQUENCES = {"fsum": 1, "prod": 1, "dist": 2, "sumprod": 2}
OTHERS = {
    "log with a base": lambda x, y: math.log(x + 3, y + 4),
    "ldexp": lambda x, y: math.ldexp(x * y, 3),
    "modf": lambda x, y: math.modf(x * y)[0],
    "frexp": lambda x, y: math.frexp(x * y)[0],
    "prod from a start": lambda x, y: math.prod(np.stack([x, y, x]), start=y),
}
RULED = {*tables.GRADIENT_RULES, *tables.DEFINITIONS, *tables.PARTIALS}
NAMES = sorted(f.__name__ for f in RULED if getattr(f, "__module__", "") == "math")


def check(f, values):
    found = ag.grad(f, tuple(range(len(values))))(*values)
    plain = [np.asarray(v) for v in values]
    expected = differences(lambda *given: f(*[g.tolist() for g in given]), plain, 1e-3)
    for gradient, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(gradient, wanted, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("ldexp", "modf", "frexp")])
def test_of_numbers(name):
    f, rng = getattr(math, name), np.random.default_rng(3)
    low, high = BETWEEN.get(name, (-2.0, 2.0))
    for _ in range(4):
        if name in SEQUENCES:
            check(f, [rng.uniform(low, high, 3) for _ in range(SEQUENCES[name])])
        else:
            check(f, rng.uniform(low, high, SEVERAL.get(name, 1)).tolist())


@pytest.mark.parametrize("name", OTHERS)
def test_of_other_arguments(name):
    check(OTHERS[name], [0.7, -1.2])


def test_the_origin():
    assert ag.grad(math.hypot, (0, 1))(0.0, 0.0) == (0.0, 0.0)
    assert ag.grad(math.dist, (0, 1))(np.ones(2), np.ones(2))[0].tolist() == [0.0, 0.0]
