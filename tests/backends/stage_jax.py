"""Compile a function with JAX for the conformance suite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax

from autograph_rs.testing import BackendConformance

BOUNDS = "an index out of bounds is clamped, or its write dropped: that is how JAX indexes"

jax.config.update("jax_enable_x64", True)


class System(BackendConformance):
    differs = {
        "indexing.py::element": BOUNDS,
        "indexing.py::constant_array": BOUNDS,
        "indexing.py::list_out_of_range": BOUNDS,
        "writes.py::one_element": BOUNDS,
        "writes.py::out_of_range": BOUNDS,
        "promotion.py::python_int_grows": "integers have the width of their dtype and wrap",
    }

    def stage(self, f: Callable[..., Any]) -> Callable[..., Any]:
        made = jax.jit(f)

        def call(*arrays: Any) -> Any:
            results = made(*arrays)
            jax.effects_barrier()
            return results

        return call
