"""Convert standard modules, load them in place of the originals, run CPython's own tests on them.

    python tests/stdlib/run.py [MODULE ...] [--keep DIR] [--timeout SECONDS] [--jobs N]

Each module is converted by the command line, then its tests run twice, each time in a process of
their own: unconverted, and with the converted file in place. Ends with status 1 if a test that
passes unconverted does not pass converted, or a module is refused.
"""

from __future__ import annotations

import argparse
import ast
import concurrent.futures
import importlib.util
import json
import os
import shutil
import site
import subprocess
import sys
import sysconfig
import tempfile
import time
import venv
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SHOWN_LINES = 12  # of a lost test's traceback; `--keep` keeps the records with all of it
HERE = Path(__file__).resolve().parent
MODULES = (
    "heapq", "textwrap", "statistics", "fractions", "difflib", "shlex",
    "configparser", "calendar", "ipaddress", "graphlib", "string", "fnmatch",
)  # fmt: skip


@dataclass
class Run:
    """What one process that ran a module's tests left behind."""

    outcomes: dict[str, str] = field(default_factory=dict)
    details: dict[str, str] = field(default_factory=dict)
    fault: str = ""
    seconds: float = 0.0

    @property
    def passed(self) -> set[str]:
        return {test for test, outcome in self.outcomes.items() if outcome == "passed"}


@dataclass
class Report:
    """One row of the table, and what is printed beneath it."""

    name: str
    functions: int = 0
    converted: int = 0
    refusal: str = ""
    before: Run = field(default_factory=Run)
    after: Run = field(default_factory=Run)

    @property
    def lost(self) -> list[str]:
        """The tests that pass unconverted only."""
        return sorted(self.before.passed - self.after.passed)

    @property
    def good(self) -> bool:
        faults = self.refusal or self.before.fault or self.after.fault
        return bool(self.before.passed) and not faults and not self.lost

    def row(self) -> list[str]:
        refused = self.functions if self.refusal else 0
        cells = (
            self.functions,
            self.converted,
            refused,
            len(self.before.outcomes),
            len(self.before.passed),
            len(self.after.passed),
            len(self.lost),
        )
        times = (f"{run.seconds:.1f}" for run in (self.before, self.after))
        return [self.name, *map(str, cells), *times]

    def remarks(self) -> Iterator[str]:
        if self.refusal:
            yield f"{self.name}: refused\n{self.refusal}"
        for kind, run in (("unconverted", self.before), ("converted", self.after)):
            if run.fault:
                yield f"{self.name}, {kind}: {run.fault}"
        for test in self.lost:
            outcome = self.after.outcomes.get(test, "did not run")
            detail = self.after.details.get(test, "").splitlines()
            yield "\n".join([f"{test}: {outcome}", *detail[-SHOWN_LINES:]])


class Environment:
    """A virtual environment whose interpreters take converted modules in place of originals."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.converted = folder / "converted"
        self.converted.mkdir(parents=True, exist_ok=True)
        root = folder / "environment"
        venv.create(root, clear=True, symlinks=os.name != "nt")
        self.python = venv.EnvBuilder().ensure_directories(root).env_exe
        base = {"base": str(root), "platbase": str(root)}
        packages = Path(sysconfig.get_path("purelib", "venv", base))
        shutil.copy(HERE / "in_place.py", packages / "sitecustomize.py")
        sites = [
            *site.getsitepackages(),
            *([site.getusersitepackages()] if site.ENABLE_USER_SITE else []),
        ]
        settings = {"sites": sites, "converted": str(self.converted)}
        (packages / "in_place.json").write_text(json.dumps(settings), encoding="utf-8")

    def run(self, name: str, kind: str, in_place: str, timeout: float) -> Run:
        """The tests of module `name`, with the modules that `in_place` names replaced."""
        records = self.folder / f"{name}.{kind}.jsonl"
        records.unlink(missing_ok=True)
        current = self.folder / f"{name}.{kind}"
        current.mkdir(exist_ok=True)
        command = [self.python, "-P", str(HERE / "run_tests.py"), name, str(records)]
        environ = os.environ | {"AUTOGRAPH_RS_IN_PLACE": in_place, "PYTHONHASHSEED": "0"}
        start = time.monotonic()
        run = Run()
        with open(current / "output.txt", "w+", encoding="utf-8") as output:
            try:
                code = subprocess.run(
                    command, cwd=current, env=environ, timeout=timeout, check=False,
                    stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                ).returncode  # fmt: skip
                ended = f"ended with status {code}"
            except subprocess.TimeoutExpired:
                ended = f"did not end within {timeout:g} s"
            output.seek(0)
            tail = "".join(output.readlines()[-15:])
        run.seconds = time.monotonic() - start
        last = self.read(records, run)
        if last is None:
            run.fault = f"{ended} after {len(run.outcomes)} tests\n{tail}".rstrip()
        elif in_place:
            run.fault = self.misplaced(name, last)
        return run

    def read(self, records: Path, run: Run) -> dict[str, Any] | None:
        """Fill `run` from the records; the closing record, where the run came to its end."""
        lines = records.read_text(encoding="utf-8").splitlines() if records.exists() else []
        record: dict[str, Any]
        for record in map(json.loads, lines):
            if "file" in record:
                return record
            run.outcomes[record["id"]] = record["outcome"]
            run.details[record["id"]] = record["detail"]
        return None

    def misplaced(self, name: str, last: dict[str, Any]) -> str:
        """Why the tests did not see the converted module, if they did not."""
        file = self.converted / f"{name}.py"
        if last["file"] != str(file) or not last["converted"]:
            return f"the tests saw {last['file']}, not {file}"
        if last["strays"]:
            return f"the tests saw other copies of {name} under the names {last['strays']}"
        return ""


def functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.AST]]:
    """The functions that lie in no other function, with their qualified names."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from functions(node, f"{prefix}{node.name}.")
        else:
            yield from functions(node, prefix)


def rewritten(original: str, converted: str) -> int:
    """How many of the functions in `original` call operators in `converted`."""

    def uses_operators(node: ast.AST) -> bool:
        return any(isinstance(n, ast.Name) and n.id == "ag__" for n in ast.walk(node))

    names = Counter(name for name, _ in functions(ast.parse(original)))
    found = Counter(name for name, node in functions(ast.parse(converted)) if uses_operators(node))
    return (names & found).total()


def convert(source: Path, out: Path) -> str:
    """Convert a file by the command line; what it says where it fails, else nothing."""
    command = [sys.executable, "-P", "-m", "autograph_rs", "convert", str(source), "-o", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0 and out.exists():
        return ""
    return (done.stderr or done.stdout).strip() or f"ended with status {done.returncode}"


def tests_installed() -> bool:
    """Whether CPython's own tests are there; some distributions of Python leave them out."""
    return all(map(importlib.util.find_spec, ("test", "test.support")))


def check(name: str, environment: Environment, timeout: float) -> Report:
    report = Report(name)
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        report.refusal = "this interpreter has no source file for it"
        return report
    source, out = Path(spec.origin), environment.converted / f"{name}.py"
    original = source.read_text(encoding="utf-8")
    report.functions = sum(1 for _ in functions(ast.parse(original)))
    report.refusal = convert(source, out)
    report.before = environment.run(name, "plain", "", timeout)
    if not report.refusal:
        report.converted = rewritten(original, out.read_text(encoding="utf-8"))
        report.after = environment.run(name, "converted", name, timeout)
    return report


def table(rows: list[list[str]]) -> str:
    """Rows as text: the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(width) if n else cell.ljust(width)
                  for n, (cell, width) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    )  # fmt: skip


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="all twelve, if none is named")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="work in DIR and leave it there")
    parser.add_argument("--timeout", type=float, default=900, help="seconds for one run of tests")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="modules at a time")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    options = arguments(argv)
    if not tests_installed():
        print("This interpreter comes without CPython's own tests (its package `test`).")
        return 2
    names = options.modules or MODULES
    with tempfile.TemporaryDirectory(prefix="stdlib-") as temporary:
        environment = Environment((options.keep or Path(temporary)).resolve())
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            reports = list(pool.map(lambda name: check(name, environment, options.timeout), names))
    head = ["module", "functions", "rewritten", "refused", "tests",
            "passed before", "passed after", "lost", "s before", "s after"]  # fmt: skip
    rows = [report.row() for report in reports]
    total = ["all", *(str(sum(int(row[n]) for row in rows)) for n in range(1, 8)),
             *(f"{sum(float(row[n]) for row in rows):.1f}" for n in (8, 9))]  # fmt: skip
    print(table([head, *rows, total]))
    for report in reports:
        for remark in report.remarks():
            print(f"\n{remark}")
    return 0 if all(report.good for report in reports) else 1


if __name__ == "__main__":
    sys.exit(main())
