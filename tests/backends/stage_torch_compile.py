"""Compile a function with `torch.compile(fullgraph=True)` for the conformance suite, and call it.

The environment variable AG_TORCH_COMPILER names the backend of `torch.compile`, "aot_eager" by default.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import stage_torch
import torch
import torch._dynamo

import autograph_rs as ag

BACKEND = os.environ.get("AG_TORCH_COMPILER", "aot_eager")


class System(stage_torch.System):
    refusals = (torch._dynamo.exc.Unsupported,)

    def stage(self, f: Callable[..., Any]) -> Callable[..., Any]:
        module = stage_torch.Module(f)

        @ag.do_not_convert
        def staged(tensors: Sequence[torch.Tensor]) -> tuple[Any, ...]:
            return module(tensors)

        def forward(tensors: Sequence[torch.Tensor]) -> tuple[Any, ...]:
            return staged(tensors)

        def call(*arrays: Any) -> list[Any]:
            tensors = [torch.tensor(a) for a in arrays]
            with stage_torch.like_numpy(), stage_torch.wide_floats():
                compiled = torch.compile(ag.convert(forward), fullgraph=True, backend=BACKEND)
                try:
                    results = compiled(tensors)
                finally:
                    torch.compiler.reset()
            return [r.detach().numpy() if isinstance(r, torch.Tensor) else r for r in results]

        return call
