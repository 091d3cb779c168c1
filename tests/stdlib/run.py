"""Convert standard modules, load them in place of the originals, run CPython's own tests on them.

    python tests/stdlib/run.py [MODULE ...] [--keep DIR] [--timeout SECONDS] [--jobs N]

`modules.toml` lists the rows: which modules are converted, by the command line, and which of
CPython's tests run, in a process of their own: on the originals, then with all converted files of
the row in place. A test that passes on the originals must pass converted. If one does not, the
originals are tried again, and a test that does not pass twice does not count.

`inside.toml` lists the tests that look inside the module that they test, where a converted one
cannot be as it was, each with the reason.

Ends with status 0 if no function is refused, every test that counts passes converted or is listed,
none that is listed passes, and the listed are at most SHARE of all that count.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import fnmatch
import importlib.util
import os
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from environment import HERE, Conversion, Environment, Row, Run

SHOWN_LINES = 12  # of a lost test's traceback; `--keep` keeps the records with all of it
SHARE = 0.005


@dataclass
class Report:
    """One row of the table, and what is printed beneath it."""

    name: str
    conversion: Conversion = field(default_factory=Conversion)
    before: Run = field(default_factory=Run)
    again: Run | None = None
    after: Run = field(default_factory=Run)
    inside: set[str] = field(default_factory=set)

    @property
    def counted(self) -> set[str]:
        """The tests that pass unconverted, each time."""
        if self.again is None:
            return self.before.passed
        return self.before.passed - (self.again.outcomes.keys() - self.again.passed)

    @property
    def listed(self) -> set[str]:
        return self.counted & self.inside

    @property
    def lost(self) -> list[str]:
        """The tests that pass unconverted only, and are not listed."""
        return sorted(self.counted - self.after.passed - self.inside)

    @property
    def wrongly_listed(self) -> list[str]:
        return sorted(self.after.passed & self.inside)

    @property
    def whole(self) -> bool:
        """Whether everything was converted, and both runs came to their end."""
        return not (self.conversion.refusals or self.before.fault or self.after.fault)

    @property
    def good(self) -> bool:
        return self.whole and bool(self.counted) and not self.lost and not self.wrongly_listed

    def row(self) -> list[str]:
        cells = (
            self.conversion.functions,
            self.conversion.converted,
            self.conversion.refused,
            len(self.before.outcomes),
            len(self.counted),
            len(self.counted & self.after.passed),
            len(self.listed),
            len(self.lost),
        )
        times = (f"{run.seconds:.1f}" for run in (self.before, self.after))
        return [self.name, *map(str, cells), *times]

    def remarks(self) -> Iterator[str]:
        for refusal in self.conversion.refusals:
            yield f"{self.name}: refused\n{refusal}"
        for kind, run in (("unconverted", self.before), ("converted", self.after)):
            if run.fault:
                yield f"{self.name}, {kind}: {run.fault}"
        for test in sorted(self.before.passed - self.counted):
            yield f"{test}: passes unconverted now and then, and does not count"
        for test in self.wrongly_listed:
            yield f"{test}: passes, though it is listed in inside.toml"
        for test in self.lost:
            if test not in self.after.outcomes and not self.whole:
                continue  # said above
            outcome = self.after.outcomes.get(test, "did not run")
            detail = self.after.details.get(test, "").splitlines()
            yield "\n".join([f"{test}: {outcome}", *detail[-SHOWN_LINES:]])


def tests_installed() -> bool:
    """Whether CPython's own tests are there; some distributions of Python leave them out."""
    return all(map(importlib.util.find_spec, ("test", "test.support")))


def rows() -> dict[str, Row]:
    """The rows, with what this version of Python has of them."""
    table = tomllib.loads((HERE / "modules.toml").read_text(encoding="utf-8"))
    found = {}
    for name, row in table.items():
        modules = [module for module in [name, *row.get("also", [])] if importlib.util.find_spec(module)]
        tests = [test if "." in test else f"test.{test}" for test in row.get("tests", [f"test_{name}"])]
        tests = [test for test in tests if importlib.util.find_spec(test)]
        if name in modules and tests:
            found[name] = Row(name, tuple(modules), tuple(tests))
    return found


def inside(tests: Iterable[str]) -> set[str]:
    """Those of the tests that are listed."""
    table = tomllib.loads((HERE / "inside.toml").read_text(encoding="utf-8"))
    patterns = [pattern for entry in table["entry"] for pattern in entry["tests"]]
    return {test for test in tests if any(fnmatch.fnmatchcase(test, pattern) for pattern in patterns)}


def check(row: Row, environment: Environment, timeout: float) -> Report:
    report = Report(row.name, environment.convert(row))
    report.before = environment.run(row, "plain", timeout)
    report.inside = inside(report.before.outcomes)
    if not report.conversion.refusals:
        report.after = environment.run(row, "converted", timeout, report.conversion.originals)
    if report.lost and report.whole:
        report.again = environment.run(row, "plain-again", timeout, only=report.lost)
    print(*report.row(), file=sys.stderr, flush=True)
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
    parser.add_argument(
        "modules", nargs="*", metavar="MODULE", help="rows of modules.toml; all, if none is named"
    )
    parser.add_argument("--keep", type=Path, metavar="DIR", help="work in DIR and leave it there")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for one run of tests")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="modules at a time")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    options = arguments(argv)
    if not tests_installed():
        print("This interpreter comes without CPython's own tests (its package `test`).")
        return 2
    known = rows()
    names = options.modules or [*known]
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"This interpreter or modules.toml lacks {', '.join(unknown)}.")
        return 2
    with tempfile.TemporaryDirectory(prefix="stdlib-", ignore_cleanup_errors=True) as temporary:
        environment = Environment((options.keep or Path(temporary)).resolve())
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            reports = list(pool.map(lambda name: check(known[name], environment, options.timeout), names))
    head = ["module", "functions", "rewritten", "refused", "tests", "passed before",
            "passed after", "listed", "lost", "s before", "s after"]  # fmt: skip
    cells = [report.row() for report in reports]
    total = [f"all {len(cells)}", *(str(sum(int(row[n]) for row in cells)) for n in range(1, 9)),
             *(f"{sum(float(row[n]) for row in cells):.1f}" for n in (9, 10))]  # fmt: skip
    print(table([head, *cells, total]))
    for report in reports:
        for remark in report.remarks():
            print(f"\n{remark}")
    listed, counted = (sum(len(tests) for tests in sets) for sets in
                       ((r.listed for r in reports), (r.counted for r in reports)))  # fmt: skip
    share = listed / counted if counted else 0.0
    print(f"\n{listed} of {counted} tests are listed ({share:.2%}; at most {SHARE:.1%} of all may be).")
    few = options.modules or share <= SHARE
    return 0 if few and all(report.good for report in reports) else 1


if __name__ == "__main__":
    sys.exit(main())
