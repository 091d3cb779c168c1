"""Compile a function with the embedded graph, which takes any arguments, for the conformance suite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import autograph_rs as ag
from autograph_rs.testing import BackendConformance


class System(BackendConformance):
    def prepare(self, f: Callable[..., Any]) -> Callable[..., Any]:
        return ag.function(f)

    def stage(self, f: Callable[..., Any]) -> Callable[..., Any]:
        return f
