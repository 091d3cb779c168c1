"""Measure other costs: calls, imports, traces, warm calls, staged loops, memory, threads, many files.

    python benchmarks/costs.py [--rounds N] [--only ROW ...]

Each measurement runs in its own process, alternating between systems. Systems that are not installed are
skipped.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from figures import Sample, number, spread, table

WORKER = Path(__file__).with_name("costs_worker.py")
IMPORT = "import time; t = time.perf_counter(); import {}; print(1e3 * (time.perf_counter() - t))"
PACKAGES = {
    "ours": "autograph_rs", "malt": "malt", "tf": "tensorflow", "jax": "jax", "plain": "numpy",
}  # fmt: skip
SLOW_TO_IMPORT = "PYTHONDONTWRITEBYTECODE"  # installed packages include their compiled files
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1", "AUTOGRAPH_VERBOSITY": "0"}


@dataclass(frozen=True)
class Row:
    """A measurement of several systems. The first is ours, also shown relative to `base`, if any."""

    title: str
    measure: str
    systems: Sequence[str]
    base: str = ""
    once: bool = False
    needs: str = ""


ROWS = {
    "call": Row("a call seen before, over a plain one, us", "call", ("ours", "malt")),
    "import": Row(
        "import autograph_rs, ms", "", ("autograph_rs", "numpy", "malt", "tensorflow"), base="numpy"
    ),
    "runtime": Row("import autograph_rs.runtime, ms", "", ("autograph_rs.runtime", "numpy"), base="numpy"),
    "first": Row("import and first conversion, over numpy's import, ms", "first", ("ours", "malt", "tf")),
    "trace": Row("trace a step of 12 layers, ms", "trace", ("ours", "plain"), base="plain", needs="jax"),
    "warm": Row("a warm call, over the NumPy expression, us", "warm", ("ours", "tf", "jax")),
    "loop": Row("a step of a staged scalar loop, us", "scalar_loop", ("ours", "tf", "jax")),
    "memory": Row("a lambda converted and dropped, bytes", "lambdas", ("ours", "malt"), once=True),
    "threads": Row("16 threads, over one, in functions a second", "threads", ("ours", "plain"), base="plain"),
    "command": Row("the command line, lines a second per core", "command", ("ours",), once=True),
}


def is_there(name: str) -> bool:
    return importlib.util.find_spec(PACKAGES.get(name, name.partition(".")[0])) is not None


def measured(row: Row, system: str) -> float:
    """Run one measurement in a new process."""
    command = [sys.executable, str(WORKER), row.measure, system]
    if not row.measure:
        command = [sys.executable, "-c", IMPORT.format(system)]
    environment = {name: value for name, value in os.environ.items() if name != SLOW_TO_IMPORT} | QUIET
    done = subprocess.run(command, env=environment, text=True, check=False, capture_output=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed\n{done.stderr}")
    return float(done.stdout.split()[-1])


def line(row: Row, rounds: int) -> list[str]:
    """Return the cells of a row: our figure, its relation to the base, and the figures of other systems."""
    systems = [system for system in row.systems if is_there(system)]
    if row.needs and not is_there(row.needs):
        return [row.title, f"{row.needs} is not installed", "", ""]
    samples: dict[str, Sample] = {system: Sample() for system in systems}
    for system in systems if not row.measure else ():
        measured(row, system)  # the first import compiles files
    for _ in range(1 if row.once else rounds):
        for system in systems:
            samples[system].append(measured(row, system))
    own, *peers = systems
    ratio = ""
    if row.base:
        paired = zip(samples[own], samples[row.base], strict=True)
        ratio = spread(Sample(mine / base for mine, base in paired)) + "x"
    shown = ", ".join(f"{peer} {number(samples[peer].median)}" for peer in peers)
    return [row.title, spread(samples[own]), ratio, shown]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7, help="repetitions of each measurement (default: 7)")
    parser.add_argument("--only", nargs="+", choices=ROWS, default=list(ROWS), metavar="ROW",
                        help="rows to measure: " + ", ".join(ROWS))  # fmt: skip
    options = parser.parse_args()
    lines = []
    for name in options.only:
        print(f"{name} ...", file=sys.stderr, flush=True)
        lines.append(line(ROWS[name], options.rounds))
    print(table(["", "ours", "over the base", "others"], lines))
    once = " and ".join(ROWS[name].title.split(",")[0] for name in options.only if ROWS[name].once)
    print(f"\nMedians over {options.rounds} processes each, with the middle half in parentheses.")
    if once:
        print(f"Measured once: {once}.")


if __name__ == "__main__":
    main()
