"""How PyTorch exports a function that nobody converted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stage_torch import as_numpy_has_them, stage

DIFFERS: dict[str, str] = {}


def prepare(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *arguments: as_numpy_has_them(f(*arguments))


__all__ = ["DIFFERS", "prepare", "stage"]
