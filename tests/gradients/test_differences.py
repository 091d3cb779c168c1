"""Each rule against finite differences, in float64."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
from rule_cases import CASES, Case

import autograph_rs as ag


def drawn(case: Case, rng: np.random.Generator) -> list[np.ndarray]:
    return [rng.uniform(case.low, case.high, shape) for shape in case.shapes]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_against_finite_differences(case: Case):
    rng = np.random.default_rng(zlib.crc32(case.name.encode()))
    for _ in range(5):
        arguments = drawn(case, rng)
        weights = rng.normal(size=np.shape(case.call(*arguments)))

        def total(*given, weights=weights):
            return np.sum(case.call(*given) * weights)

        expected, other = (differences(total, arguments, step) for step in (1e-3, 7e-4))
        if all(np.allclose(a, b, rtol=1e-5, atol=1e-5) for a, b in zip(expected, other, strict=True)):
            break  # there is no kink or step near
    found = ag.grad(total, tuple(range(len(arguments))))(*arguments)
    for argument, gradient, wanted in zip(arguments, found, expected, strict=True):
        assert np.shape(gradient) == argument.shape
        assert gradient.dtype == np.float64
        scale = max(1.0, np.max(np.abs(wanted), initial=0.0))
        np.testing.assert_allclose(gradient, wanted, rtol=1e-6, atol=1e-6 * scale)


def differences(f, arguments, step):
    """Central differences of sixth order, for each element of each argument."""
    made = [np.zeros(x.shape) for x in arguments]
    for n, x in enumerate(arguments):
        for place in np.ndindex(x.shape):

            def at(k, n=n, x=x, place=place):
                moved = x.copy()
                moved[place] += k * step
                return f(*arguments[:n], moved, *arguments[n + 1 :])

            slope = 45 * (at(1) - at(-1)) - 9 * (at(2) - at(-2)) + (at(3) - at(-3))
            made[n][place] = slope / (60 * step)
    return made
