"""Functions in another file than the profiled ones, and a clock that moves only where a test says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph_rs as ag
from autograph_rs.runtime.graph.compile import stopwatch

FLOAT = ag.TensorSpec(())


class FakeClock:
    """A clock in place of that of the stopwatch."""

    def __init__(self, patch: pytest.MonkeyPatch):
        self.nanoseconds = 0
        patch.setattr(stopwatch, "perf_counter_ns", lambda: self.nanoseconds)

    def waiting(self, seconds: float) -> Callable[[Any], Any]:
        """Return a function of a float that returns it after so many seconds, for `py_function`."""

        def wait(value: Any) -> Any:
            self.nanoseconds += int(1e9 * seconds)
            return value

        return wait


def helper(wait, x):
    y = x + 1
    z = ag.py_function(wait, [y], FLOAT)
    return z * 2


def normalised(x):
    x = x - np.mean(x)
    return x / np.std(x)


def runs_of(report: ag.Profile) -> dict[str, int | None]:
    return {line.text: line.runs for line in report.lines}
