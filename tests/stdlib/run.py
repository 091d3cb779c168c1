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
import importlib.util
import os
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from pathlib import Path

from environment import HERE, Environment, Row
from report import Report, listed, table

SHARE = 0.005


def tests_installed() -> bool:
    """Return whether CPython's own tests are installed; some distributions of Python omit them."""
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
    return listed(HERE / "inside.toml", tests)


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
    excused, counted = (sum(len(tests) for tests in sets) for sets in
                        ((r.listed for r in reports), (r.counted for r in reports)))  # fmt: skip
    share = excused / counted if counted else 0.0
    print(f"\n{excused} of {counted} tests are listed ({share:.2%}; at most {SHARE:.1%} of all may be).")
    few = options.modules or share <= SHARE
    return 0 if few and all(report.good for report in reports) else 1


if __name__ == "__main__":
    sys.exit(main())
