"""The outcomes of tests, unconverted and converted: the relevant ones, the lost ones, and their table."""

from __future__ import annotations

import fnmatch
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from environment import Conversion, Run

SHOWN_LINES = 12  # of a lost test's traceback; `--keep` keeps the records with all of it


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
        """Return whether everything was converted and both runs finished."""
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


def listed(file: Path, tests: Iterable[str]) -> set[str]:
    """Those of the tests that a file lists, each with the reason why it cannot pass converted."""
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    patterns = [pattern for entry in table["entry"] for pattern in entry["tests"]]
    return {test for test in tests if any(fnmatch.fnmatchcase(test, pattern) for pattern in patterns)}


def table(rows: list[list[str]]) -> str:
    """Rows as text: the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(width) if n else cell.ljust(width)
                  for n, (cell, width) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    )  # fmt: skip
