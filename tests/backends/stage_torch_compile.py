"""Compile a function with `torch.compile(fullgraph=True)` for the conformance suite, and call it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import stage_torch
import torch
import torch._dynamo

import autograph_rs as ag


class System(stage_torch.System):
    refusals = (torch._dynamo.exc.Unsupported,)
    compiler = "aot_eager"
    """The backend of `torch.compile`."""
    device = "cpu"

    def stage(self, f: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arrays: Any) -> list[Any]:
            results = self.run(f, [torch.tensor(a, device=self.device) for a in arrays])
            return [r.numpy(force=True) if isinstance(r, torch.Tensor) else r for r in results]

        return call

    def run(self, f: Callable[..., Any], tensors: Sequence[torch.Tensor]) -> Sequence[Any]:
        """Compile a function as one graph, and run it."""
        module = stage_torch.Module(f)

        @ag.do_not_convert
        def staged(tensors: Sequence[torch.Tensor]) -> tuple[Any, ...]:
            return module(tensors)

        def forward(tensors: Sequence[torch.Tensor]) -> tuple[Any, ...]:
            return staged(tensors)

        with stage_torch.like_numpy(), stage_torch.wide_floats():
            compiled = torch.compile(ag.convert(forward), fullgraph=True, backend=self.compiler)
            try:
                return compiled(tensors)
            finally:
                torch.compiler.reset()
