"""Each rule against finite differences, in float64."""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Sequence

import numpy as np
import pytest
from breadth import some
from rule_cases import CASES, Case

import autograph_rs as ag

TALL = {"qr-0"}  # which have no gradient for matrices with more columns than rows
# Of these the call fits one length only.
FIXED = {
    "mean-4",
    "reshape-1",
    "reshape-2",
    "getitem-5",
    "setitem-0",
    "tensorinv-0",
    "tensorsolve-0",
    "polyfit-0",
    "interp-0",
    "put-0",
    "at-0",
    "at-1",
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_against_finite_differences(case: Case):
    rng = np.random.default_rng(zlib.crc32(case.name.encode()))
    assert any(agrees(case, case.shapes, rng) for _ in range(5))


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", [c for c in CASES if c.name not in FIXED][:: some(3, 1)], ids=lambda case: case.name
)
def test_of_drawn_lengths(case: Case):
    rng = np.random.default_rng(zlib.crc32(case.name.encode()))
    lengths = sorted({n for shape in case.shapes for n in shape} - {1})
    agreed = 0
    for _ in range(60 if lengths else 1):
        drawn = {1: 1, **{n: int(rng.integers(1, 6)) for n in lengths}}
        try:
            agreed += agrees(case, [tuple(drawn[n] for n in shape) for shape in case.shapes], rng)
        except (ValueError, IndexError, TypeError, RuntimeWarning, np.linalg.LinAlgError):
            continue  # what NumPy says of such lengths
        except ag.GradientError:
            assert case.name in TALL
        if agreed == some(1, 3):
            break
    assert agreed


def agrees(case: Case, shapes: Sequence[tuple[int, ...]], rng: np.random.Generator) -> bool:
    """Check the gradient at drawn arguments, unless there is a kink or step near."""
    arguments = [rng.uniform(case.low, case.high, shape) for shape in shapes]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=DeprecationWarning)
        weights = rng.normal(size=np.shape(case.call(*arguments)))

        def total(*given):
            return np.sum(case.call(*given) * weights)

        expected, other = (differences(total, arguments, step) for step in (1e-3, 7e-4))
    if not all(np.allclose(a, b, rtol=1e-5, atol=1e-5) for a, b in zip(expected, other, strict=True)):
        return False
    found = ag.grad(total, tuple(range(len(arguments))))(*arguments)
    for argument, gradient, wanted in zip(arguments, found, expected, strict=True):
        assert np.shape(gradient) == argument.shape
        assert gradient.dtype == np.float64
        scale = max(1.0, np.max(np.abs(wanted), initial=0.0))
        np.testing.assert_allclose(gradient, wanted, rtol=1e-6, atol=1e-6 * scale)
    return True


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
