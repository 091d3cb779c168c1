"""How JAX compiles what malt converted: malt has no tensor system of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import malt
from stage_jax import stage

DIFFERS: dict[str, str] = {}


def prepare(f: Callable[..., Any]) -> Callable[..., Any]:
    try:
        return malt.to_graph(f)
    except Exception:
        return f


__all__ = ["DIFFERS", "prepare", "stage"]
