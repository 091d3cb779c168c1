"""Every sample that `torch.export` stages, compiled whole by inductor: its results and its derivatives.

    python tests/backends/compiled_samples.py [--only TEXT] [--every N] [--first I] [--device cuda]

A graph break is an error, as is a result or a derivative that differs from plain Python's. The derivative is
that of the sum of `y**2 + y` over all results `y`, in one direction, beside differences of plain Python's.
Samples without staged floats, and arguments at which the sample is not differentiable, have none.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import numpy as np
import table
from torch_support import torch

import stage_torch_compile  # isort: skip - it needs torch

from autograph_rs.runtime.values.structures import flatten, unflatten
from autograph_rs.testing import Sample, all_samples
from autograph_rs.testing.harness import run
from autograph_rs.testing.systems import stage_arrays

OFFSET, STEP = 1e-3, 1e-5
FINER = 1 / 64
"""The part of a step that shows that a value is rounded."""
TOLERANCE = 1e-4


class System(stage_torch_compile.System):
    compiler = "inductor"

    def __init__(self, device: str):
        self.device = device

    def derivative(self, sample: Sample, arguments: Sequence[Any]) -> float:
        """Return the derivative that the compiled program's backward pass computes."""
        found: list[float] = []

        def stage(f: Any) -> Any:
            def call(*arrays: Any) -> list[Any]:
                inputs = [torch.tensor(a, device=self.device, requires_grad=is_float(a)) for a in arrays]
                results = self.run(f, [x.clone() for x in inputs])
                smooth = [r for r in results if isinstance(r, torch.Tensor) and r.requires_grad]
                if smooth:
                    sum((y * y + y).sum() for y in smooth).backward()
                gradients = [x.grad.numpy(force=True) for x in inputs if x.grad is not None]
                found[:] = [sum(float((g * direction(g.shape, g.dtype)).sum()) for g in gradients)]
                return [r.numpy(force=True) if isinstance(r, torch.Tensor) else r for r in results]

            return call

        stage_arrays(stage, self.prepare(sample.function))(*arguments)
        return found[0]


def is_float(value: Any) -> bool:
    return isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind == "f"


def direction(shape: Sequence[int], dtype: Any) -> Any:
    return np.cos(1 + np.arange(np.prod(shape, dtype=int))).reshape(shape).astype(dtype)


def moved(leaves: Sequence[Any], step: float) -> list[Any]:
    return [x + step * direction(x.shape, x.dtype) if is_float(x) else x for x in leaves]


def generic(arguments: Sequence[Any]) -> Any:
    """Return arguments beside the given ones, where a sample may be equal to a bound or already converged."""
    leaves, spec = flatten(arguments)
    return unflatten(spec, moved(leaves, OFFSET))


def plain_derivative(sample: Sample, arguments: Sequence[Any]) -> float | None:
    """Return the derivative of plain Python by differences, or None where there is none."""
    leaves, spec = flatten(arguments)

    def total(step: float) -> float:
        outcome = run(sample.function, unflatten(spec, moved(leaves, step)))
        if outcome.error is not None:
            return np.nan
        results = [
            y
            for y in flatten(outcome.value, mutable_dataclasses=True)[0]
            if isinstance(y, float) or is_float(y)
        ]
        return sum(float(np.sum(y * y + y)) for y in results)

    if not any(map(is_float, leaves)):
        return None
    at = {k: total(k * STEP) for k in (-2, -1, -FINER, 0, FINER, 1, 2)}
    left, right = at[0] - at[-1], at[1] - at[0]
    finer, narrow, wide = ((at[k] - at[-k]) / (2 * k * STEP) for k in (FINER, 1, 2))
    scale = STEP * max(1.0, abs(narrow))
    is_smooth = abs(left - right) < 0.01 * scale and close(narrow, wide) and close(narrow, finer)
    return narrow if is_smooth else None


def close(first: float, second: float) -> bool:
    return abs(first - second) <= TOLERANCE * max(1.0, abs(second))


@dataclass(frozen=True)
class Result:
    """What became of a sample: a kind of `Verdict`, and the number of derivatives that were compared."""

    kind: str
    derivatives: int = 0
    why: str = ""


def check(system: System, sample: Sample) -> Result:
    verdict = system.verdict(sample)
    if verdict.kind != "staged":
        return Result(verdict.kind, why=verdict.why)
    compared = 0
    for arguments in map(generic, sample.staged):
        expected = plain_derivative(sample, arguments)
        if expected is None:
            continue
        try:
            actual = system.derivative(sample, arguments)
        except Exception as error:
            return Result("no derivative", compared, f"{type(error).__name__}: {error}")
        if not close(actual, expected):
            return Result("wrong derivative", compared, f"{actual}, not {expected}, at {arguments}")
        compared += 1
    return Result("staged", compared)


def results(
    only: str = "", every: int = 1, first: int = 0, device: str = "cpu"
) -> Iterator[tuple[Sample, Result]]:
    """Return what becomes of each sample that `torch.export` stages, or of every second, third, ..."""
    system = System(device)
    exported = {sample for sample, kinds in table.read().items() if kinds.get("torch") == "staged"}
    for sample in [s for s in all_samples() if s.id in exported and only in s.id][first::every]:
        with contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings(action="ignore"):
            yield sample, check(system, sample)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1, help="one sample in so many")
    parser.add_argument("--first", type=int, default=0, help="the number of the first of these samples")
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    started, kinds, derivatives = time.time(), Counter(), 0
    for sample, result in results(**vars(options)):
        kinds[result.kind] += 1
        derivatives += result.derivatives
        if result.kind != "staged":
            print(f"{result.kind:8} {sample.id}: {result.why}", flush=True)
    print(f"{dict(kinds)}, {derivatives} derivatives, {time.time() - started:.0f} s")
    sys.exit(set(kinds) != {"staged"})


if __name__ == "__main__":
    main()
