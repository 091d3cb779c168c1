"""Compare converted programs with hand-written control flow in each installed framework.

    python benchmarks/backends.py [--rounds N] [FRAMEWORK ...]

The framework compiles both programs, and calls alternate between them. The output shows the medians of warm
calls, the median ratio of neighboring calls, and the time of the first call, which traces and compiles.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from figures import Sample, geometric_mean, number, table
from workloads import WORKLOADS

import autograph_rs as ag

FRAMEWORKS = {"jax": "backends_jax", "tensorflow": "backends_tensorflow", "torch": "backends_torch"}


def timed(run: Callable[[], Any], times: int = 1) -> float:
    started = time.perf_counter()
    for _ in range(times):
        run()
    return (time.perf_counter() - started) / times


def alternating(runs: Sequence[Callable[[], Any]], rounds: int, seconds: float = 0.01) -> list[Sample]:
    """Return the seconds per call of each program, measured in turn, each long enough for the clock."""
    counts = [max(1, int(seconds / max(timed(run), 1e-7))) for run in runs]
    samples = [Sample() for _ in runs]
    for _ in range(rounds):
        for sample, run, count in zip(samples, runs, counts, strict=True):
            sample.append(timed(run, count))
    return samples


def same(first: Any, second: Any) -> bool:
    pairs = zip(_leaves(first), _leaves(second), strict=True)
    return all(np.allclose(a, b, rtol=1e-3, atol=1e-3) for a, b in pairs)


def _leaves(value: Any) -> list[Any]:
    return [leaf for part in value for leaf in _leaves(part)] if isinstance(value, (tuple, list)) else [value]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "frameworks",
        nargs="*",
        metavar="FRAMEWORK",
        help=f"frameworks to measure: {', '.join(FRAMEWORKS)} (default: all installed)",
    )
    parser.add_argument("--rounds", type=int, default=31, help="pairs of measurements (default: 31)")
    options = parser.parse_args()
    if unknown := set(options.frameworks).difference(FRAMEWORKS):
        parser.error(f"unknown framework: {', '.join(sorted(unknown))}")
    for framework in options.frameworks or FRAMEWORKS:
        if importlib.util.find_spec(framework) is None:
            print(f"{framework} is not installed", file=sys.stderr)
            continue
        system = importlib.import_module(FRAMEWORKS[framework])
        for mode in system.MODES:
            compare(system, mode, options.rounds)


def compare(system: Any, mode: str, rounds: int) -> None:
    rows, ratios = [], []
    for name, (program, given) in WORKLOADS.items():
        arguments = system.arguments(given)
        by_hand = system.MODES[mode](system.BY_HAND[name], arguments)
        ours = system.MODES[mode](ag.convert(program), arguments)
        try:
            starts = [timed(by_hand)]
        except Exception as error:
            rows.append([name, "", type(error).__name__, "", "", "", ""])
            continue
        starts.insert(0, timed(ours))
        if not same(system.as_numpy(ours()), system.as_numpy(by_hand())):
            sys.exit(f"{mode}, {name}: the results differ")
        first, second = alternating((ours, by_hand), rounds)
        ratio = Sample(a / b for a, b in zip(first, second, strict=True)).median
        ratios.append(ratio)
        calls = [number(1e6 * sample.median) for sample in (first, second)]
        rows.append(
            [name, *calls, f"{ratio:.3f}", *(f"{s:.2f}" for s in starts), f"{starts[0] / starts[1]:.2f}"]
        )
    rows.append(["geometric mean", "", "", f"{geometric_mean(ratios):.3f}", "", "", ""])
    heads = ["converted, us", "by hand, us", "ratio", "first call, s", "by hand, s", "ratio"]
    print(table([mode, *heads], rows), end="\n\n")


if __name__ == "__main__":
    main()
