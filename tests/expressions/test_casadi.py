"""Tests of `examples/embed_casadi.py`: functions of numbers, and the car of its optimal-control problem."""

from __future__ import annotations

import inspect
import itertools
import math
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import statements
from backends.support import required

import autograph_rs as ag
from autograph_rs.runtime.values.structures import flatten

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "embed_casadi.py"
NOT_NUMBERS = {
    "conditional_call", "default_none", "early", "fizzbuzz", "flags", "formatted", "looked_up",
    "looked_up_default", "matched", "matched_dict", "matched_pair", "none_result", "truthiness", "zipped",
}  # fmt: skip
"""Functions that return text or None on some path."""
FUNCTIONS = [
    f for _, f in inspect.getmembers(statements, inspect.isfunction)
    if f.__module__ == "statements" and len(inspect.signature(f).parameters) >= 2
]  # fmt: skip


@pytest.fixture(scope="module")
def example() -> dict[str, Any]:
    required("casadi")
    return runpy.run_path(str(EXAMPLE))


@pytest.mark.parametrize("kind", ["SX", "MX"])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_a_function_of_numbers_is_its_expression(
    example: dict[str, Any], f: Callable[..., Any], kind: str
) -> None:
    casadi = example["ca"]
    symbols = [getattr(casadi, kind).sym(name) for name in "xy"]
    if f.__name__ in NOT_NUMBERS:
        with pytest.raises(ag.StagingError):
            example["convert"](f)(*symbols)
        return
    leaves, _ = flatten(example["convert"](f)(*symbols))
    compiled = casadi.Function("f", symbols, leaves)
    for given in itertools.product(range(-4, 6), repeat=2):
        found = [float(value) for value in compiled.call(given)]
        try:
            expected = flatten(f(*given))[0]
        except Exception:
            expected = [math.nan] * len(found)
        for value, wanted in zip(found, expected, strict=True):
            assert value == pytest.approx(float(wanted), abs=1e-12, nan_ok=True), given


def test_derivatives_are_those_of_the_selected_branch(example: dict[str, Any]) -> None:
    casadi, x = example["ca"], example["ca"].SX.sym("x")
    slope = casadi.Function(
        "slope", [x], [casadi.gradient(example["convert"](example["acceleration"])(x, 1.0), x)]
    )
    assert [float(slope(speed)) for speed in (1.0, 10.0, 18.0)] == pytest.approx([-0.02, -0.05, -0.15])


def test_the_optimal_controls_move_the_plain_car(example: dict[str, Any]) -> None:
    """The plain function arrives with the controls of the solver, and no faster car obeys the speed limit."""
    duration, pedal = example["fastest"](150.0, count=20)
    position, speed, speeds = 0.0, 0.0, []
    for value in pedal:
        position, speed = example["drive"](position, speed, value, duration / len(pedal))
        speeds.append(speed)
    assert position == pytest.approx(150, abs=1e-5)
    assert speed == pytest.approx(0, abs=1e-5)
    assert max(speeds) == pytest.approx(20, abs=1e-3)
    assert 150 / 20 < duration < 12
    assert min(pedal) == pytest.approx(-1, abs=1e-3)
    assert max(pedal) == pytest.approx(1, abs=1e-3)
