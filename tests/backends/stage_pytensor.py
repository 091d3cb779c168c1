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
from pytensor_refusals import REFUSED

from autograph_rs.testing import BackendConformance

pytensor.config.cxx = ""  # no C code
MODE = Mode("vm", OPT_FAST_COMPILE.including("scan_save_mem"))
SHAPE = "the shape of a tensor is a tensor"
DTYPE = "a dtype is a string, which does not equal NumPy's"


class System(BackendConformance):
    refused = REFUSED
    differs = {
        "indexing.py::shapes_and_axes": SHAPE,
        "numpy_.py::broadcasting": SHAPE,
        "numpy_.py::reshape": SHAPE,
        "numpy_.py::types": DTYPE,
        "promotion.py::float32_stays": DTYPE,
        "promotion.py::python_int_grows": "integers have the width of their dtype and wrap",
    }
    mode: Any = MODE

    def stage(self, f: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arrays: Any) -> list[Any]:
            inputs = [pt.tensor(dtype=a.dtype.name, shape=np.shape(a)) for a in arrays]
            outputs = [
                pt.as_tensor(np.asarray(r) if not isinstance(r, pt.TensorVariable) else r) for r in f(*inputs)
            ]
            return pytensor.function(inputs, outputs, mode=self.mode, on_unused_input="ignore")(*arrays)

        return call
