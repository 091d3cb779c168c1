"""Compare conversion time, and run time on plain values, with malt and tf.autograph.

    python benchmarks/run.py [--rounds N] [--only convert|run] [--functions NAME ...] [--json FILE]

All columns are measured alternately in one run, each converter in its own process. A converter that is not
installed is skipped: `pip install diastatic-malt`, `pip install tensorflow`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

from figures import Sample, geometric_mean, number, spread, table
from functions import CASES, Case

HERE = Path(__file__).resolve().parent
COLUMNS = ("ours", "malt", "tf.autograph")
# The columns of the second table: a converter, and the name of one of its ways to convert.
RUNS = (
    ("ours", "convert"),
    ("ours", "to_graph"),
    ("malt", "to_graph"),
    ("tf.autograph", "to_graph"),
)
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1", "AUTOGRAPH_VERBOSITY": "0"}
Key = tuple[str, ...]


class Process:
    """The running worker process of one converter."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.log = folder / "log.txt"
        command = [sys.executable, str(HERE / "worker.py"), name, str(folder)]
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                command, env=os.environ | QUIET, text=True, stderr=log,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            )  # fmt: skip
        hello = self.answer()
        self.missing: str = hello.get("missing", "")
        self.version: str = hello.get("version", self.missing)
        self.error: str = hello.get("error", "")

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            log = self.log.read_text(encoding="utf-8", errors="replace")
            sys.exit(f"the worker process for {self.name} died\n{log}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def ask(self, **request: str) -> dict[str, Any]:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return self.answer()

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


@contextlib.contextmanager
def processes() -> Generator[dict[str, Process]]:
    """Start the workers of all converters, and stop them after the measurements."""
    with (
        tempfile.TemporaryDirectory(prefix="benchmark-") as folder,
        contextlib.ExitStack() as stack,
    ):
        started = {}
        for name in COLUMNS:
            place = Path(folder, name)
            place.mkdir()
            started[name] = Process(name, place)
            stack.callback(started[name].close)
        yield started


class Measurements:
    """Samples by key, and an error for each key that could not be measured."""

    def __init__(self) -> None:
        self.samples: defaultdict[Key, Sample] = defaultdict(Sample)
        self.errors: dict[Key, str] = {}

    def add(self, key: Key, *values: float) -> None:
        self.samples[key].extend(values)

    def cell(self, key: Key, text: Callable[[Sample], str]) -> str:
        if key in self.errors:
            return "error"
        return text(self.samples[key]) if key in self.samples else "-"

    def mean(self, keys: list[Key]) -> float | None:
        """Return the geometric mean of the medians, or None if one is missing."""
        if any(key in self.errors or key not in self.samples for key in keys):
            return None
        return geometric_mean(self.samples[key].median for key in keys)


def measure_conversion(workers: dict[str, Process], cases: list[Case], rounds: int) -> Measurements:
    """Measure milliseconds by (converter, case), and by ("compile", case) for parsing and compiling."""
    found = Measurements()
    for turn in range(-1, rounds):  # the first turn warms caches and is discarded
        for case in cases:
            for name, worker in workers.items():
                if worker.missing or (name, case.name) in found.errors:
                    continue
                answer = worker.ask(do="convert", case=case.name)
                if "error" in answer:
                    found.errors[name, case.name] = answer["error"]
                elif turn >= 0:
                    found.add((name, case.name), *(1e3 * s for s in answer["convert"]))
                    if name == COLUMNS[0]:
                        found.add(("compile", case.name), *(1e3 * s for s in answer["compile"]))
    return found


def measure_runs(workers: dict[str, Process], cases: list[Case], rounds: int) -> Measurements:
    """Measure microseconds by ("original", case), and ratios to them by (converter, way, case)."""
    found = Measurements()
    for turn in range(-1, rounds):
        for case in cases:
            for name, way in RUNS:
                key = (name, way, case.name)
                if workers[name].missing or key in found.errors:
                    continue
                answer = workers[name].ask(do="run", case=case.name, way=way)
                if "error" in answer:
                    found.errors[key] = answer["error"]
                elif turn >= 0:
                    found.add(key, answer["made"] / answer["original"])
                    if name == COLUMNS[0]:
                        found.add(("original", case.name), 1e6 * answer["original"])
    return found


def optional(value: float | None, unit: str = "") -> str:
    return "-" if value is None else number(value) + unit


def over(value: float | None, divisor: float | None) -> float | None:
    return None if value is None or divisor is None else value / divisor


def conversion_table(found: Measurements, cases: list[Case], workers: dict[str, Process]) -> str:
    """Format milliseconds for each case, and geometric means relative to Python's compiler and to ours."""
    columns = ("compile", *COLUMNS)
    head = ["convert, ms", "ast.parse + compile", *COLUMNS]
    rows = [[case.title, *(found.cell((name, case.name), spread) for name in columns)] for case in cases]
    means = {name: found.mean([(name, case.name) for case in cases]) for name in columns}
    rows.append(["geometric mean", *(optional(means[name]) for name in columns)])
    for title, base in (("  over ast.parse + compile", "compile"), ("  over ours", "ours")):
        rows.append([title, *(optional(over(means[name], means[base]), "x") for name in columns)])
    return table(head, named_missing(rows, ("", *COLUMNS), workers))


def run_table(found: Measurements, cases: list[Case], workers: dict[str, Process]) -> str:
    """Format the time of the original, and the others relative to it."""
    head = ["run on plain values", "original, us", *(" ".join(column) for column in RUNS)]
    rows = [
        [
            case.title,
            found.cell(("original", case.name), spread),
            *(found.cell((*column, case.name), spread) for column in RUNS),
        ]
        for case in cases
    ]
    means = [found.mean([(*column, case.name) for case in cases]) for column in RUNS]
    rows.append(["geometric mean", "", *(optional(mean, "x") for mean in means)])
    return table(head, named_missing(rows, ("", *(name for name, _ in RUNS)), workers))


def named_missing(
    rows: list[list[str]], columns: tuple[str, ...], workers: dict[str, Process]
) -> list[list[str]]:
    """Return the rows, with the reason in each cell of a missing converter."""
    return [
        [row[0], *(workers[name].missing or cell if name else cell
                   for name, cell in zip(columns, row[1:], strict=True))]
        for row in rows
    ]  # fmt: skip


def describe(workers: dict[str, Process]) -> str:
    """Describe the machine and the versions of the converters."""
    versions = ", ".join(f"{name} {worker.version}" for name, worker in workers.items())
    processor = platform.processor() or platform.machine()
    return (
        f"{platform.python_implementation()} {platform.python_version()} on {platform.system()}, "
        f"{processor}, {os.cpu_count()} cores\n{versions}"
    )


def arguments(argv: list[str] | None) -> argparse.Namespace:
    names = [case.name for case in CASES]
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15, help="measurements of each figure (default: 15)")
    parser.add_argument("--only", choices=("convert", "run"), help="measure only one of the two tables")
    parser.add_argument("--functions", nargs="+", choices=names, default=names, metavar="NAME",
                        help="functions to measure: " + ", ".join(names))  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all samples to FILE")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    options = arguments(argv)
    cases = [case for case in CASES if case.name in options.functions]
    parts = {"convert": (measure_conversion, conversion_table), "run": (measure_runs, run_table)}
    samples: dict[str, Any] = {}
    measured: list[Measurements] = []
    with processes() as workers:
        print(describe(workers))
        for name, worker in workers.items():
            if worker.error:
                print(f"\n{name} failed to load:\n{worker.error}")
        for part, (measure, show) in parts.items():
            if options.only in (None, part):
                found = measure(workers, cases, options.rounds)
                print(f"\n{show(found, cases, workers)}")
                for key, error in found.errors.items():
                    print(f"\n{' '.join(key)}:\n{error}")
                measured.append(found)
                samples[part] = {" ".join(key): list(s) for key, s in found.samples.items()}
    print(f"\nMedians over {options.rounds} rounds, with the middle half of the samples in parentheses.")
    if options.json:
        options.json.write_text(json.dumps(samples, indent=1), encoding="utf-8")
    ours_failed = any(key[0] == COLUMNS[0] for found in measured for key in found.errors)
    return 1 if workers[COLUMNS[0]].missing or ours_failed else 0


if __name__ == "__main__":
    sys.exit(main())
