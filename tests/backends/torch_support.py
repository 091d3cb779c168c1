"""Helpers of the PyTorch backend's tests."""

from __future__ import annotations

import copy
import io
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from support import required

import autograph_rs as ag

torch = required("torch")
nn = torch.nn
make_fx = required("torch.fx.experimental.proxy_tensor").make_fx
QUIET = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore:Dynamo does not know:UserWarning"),
]
"""torch warns of its own inner workings."""


class Calls(nn.Module):
    """A module around a function, as `torch.export` asks for."""

    def __init__(self, f: Callable[..., Any]):
        super().__init__()
        self.f = ag.convert(f)

    def forward(self, *arguments: Any) -> Any:
        return self.f(*arguments)


def exported(module: nn.Module, *arguments: Any, **options: Any) -> torch.export.ExportedProgram:
    return torch.export.export(module, arguments, strict=False, **options)


def reloaded(program: torch.export.ExportedProgram) -> nn.Module:
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    return torch.export.load(file).module()


def check(f: Callable[..., Any], *inputs: Sequence[Any], **options: Any) -> None:
    """Capture with the first inputs; the program, and it saved and loaded, is right on all."""
    program = exported(Calls(f), *copied(inputs[0]), **options)
    for run in (program.module(), reloaded(program)):
        for arguments in inputs:
            given, again = copied(arguments), copied(arguments)
            same(run(*given), f(*again))
            same(given, again)


def copied(arguments: Sequence[Any]) -> list[Any]:
    return [a.clone() if isinstance(a, torch.Tensor) else copy.deepcopy(a) for a in arguments]


def same(made: Any, expected: Any) -> None:
    made, expected = (v if isinstance(v, (tuple, list)) else [v] for v in (made, expected))
    assert len(made) == len(expected)
    for a, b in zip(made, expected, strict=True):
        torch.testing.assert_close(
            torch.as_tensor(a), torch.as_tensor(b), check_dtype=isinstance(b, torch.Tensor)
        )


def operators(module: torch.fx.GraphModule) -> set[str]:
    """The names of all operators, those of inner graphs included."""
    graphs = [m for m in module.modules() if isinstance(m, torch.fx.GraphModule)]
    return {str(n.target) for g in graphs for n in g.graph.nodes if n.op == "call_function"}


XS = torch.tensor([1.0, 2.0, 3.0])
ROWS = torch.arange(18.0).reshape(6, 3) / 10 - 0.5


def nested(x):
    total = torch.zeros(())
    for i in range(x.shape[0]):
        j = 0
        while j < x[i]:
            total = total + x[i] * j
            j += 1
    return total
