"""Export an unconverted function with PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import stage_torch


class System(stage_torch.System):
    differs = {}
    refusals = (Exception,)

    def prepare(self, f: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *arguments: stage_torch.as_numpy_has_them(f(*arguments))
