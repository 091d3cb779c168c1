"""Compile a function with PyTensor for the conformance suite.

The graphs run in Python, because compiling each sample takes seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytensor
import pytensor.tensor as pt
from pytensor.compile.mode import OPT_FAST_COMPILE, Mode

import autograph_rs as ag
from autograph_rs.testing import BackendConformance

pytensor.config.cxx = ""  # no C code
MODE = Mode("vm", OPT_FAST_COMPILE.including("scan"))
MODES = {"python": MODE, "numba": None}


def calling(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function that creates none, so that a call of it is a trace."""

    def call(*args: Any) -> Any:
        return f(*args)

    return call


class System(BackendConformance):
    differs: dict[str, str] = {}
    mode: Any = MODE

    def prepare(self, f: Callable[..., Any]) -> Callable[..., Any]:
        return ag.convert(calling(f))

    def stage(self, f: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arrays: Any) -> list[Any]:
            inputs = [pt.tensor(dtype=a.dtype.name, shape=np.shape(a)) for a in arrays]
            outputs = [pt.as_tensor(np.asarray(r) if not isinstance(r, pt.TensorVariable) else r) for r in f(*inputs)]
            return pytensor.function(inputs, outputs, mode=self.mode, on_unused_input="ignore")(*arrays)

        return call
