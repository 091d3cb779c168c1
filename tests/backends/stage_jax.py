"""How the conformance suite compiles a function with JAX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax

jax.config.update("jax_enable_x64", True)


def stage(f: Callable[..., Any]) -> Callable[..., Any]:
    made = jax.jit(f)

    def call(*arrays: Any) -> Any:
        results = made(*arrays)
        jax.effects_barrier()
        return results

    return call
