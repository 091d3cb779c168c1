"""Helpers of the backend tests: requiring a framework, and a function to stage."""

from __future__ import annotations

import importlib
import os
import shutil
from typing import Any

import pytest

import autograph_rs as ag

APART = {"pytensor": "it needs a numba of its own; `nox -s pytensor` runs this"}
"""Frameworks that cannot be installed beside the others: only their own session requires them."""


def required(framework: str) -> Any:
    """The framework, imported; without it the module's tests are skipped, or fail where all must run."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    must_run = os.environ.get("AG_REQUIRE_BACKENDS")
    if must_run == framework or (must_run and framework not in APART):
        return importlib.import_module(framework)
    return pytest.importorskip(framework, reason=APART.get(framework))


def required_program(*names: str) -> str:
    """The path of a program that has one of these names, or the same as where a framework is missing."""
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        missing = f"there is no {' or '.join(names)}"
        assert not os.environ.get("AG_REQUIRE_BACKENDS"), missing
        pytest.skip(missing)
    return found


def root(a: Any, tolerance: Any, rounds: int = 100) -> Any:
    """The square root by Newton's method."""
    x = a
    for _ in range(rounds):
        ag.set_loop_options(maximum_iterations=1000)
        step = (x * x - a) / (2.0 * x)
        x = x - step
        if abs(step) < tolerance:
            return x
    return x
