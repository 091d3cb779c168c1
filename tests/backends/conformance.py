"""Every sample of tests/cases on a tensor system, compared with plain Python.

    python tests/backends/conformance.py SYSTEM [--verbose] [--only TEXT] [--every N] [--column FILE]

What a sample ends as stands in `autograph_rs.testing.Verdict`.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from table import PEERS, SYSTEMS

from autograph_rs.testing import Sample, Verdict, all_samples


def results(system: str, only: str = "", every: int = 1) -> Iterator[tuple[Sample, Verdict]]:
    """Return the outcome of each sample that can be staged, or of every second, third, ..."""
    conformance = importlib.import_module(f"stage_{system}").System()
    for sample in [sample for sample in all_samples() if sample.staged][::every]:
        if only in sample.id:
            with contextlib.redirect_stderr(io.StringIO()):
                yield sample, conformance.verdict(sample)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("system", choices=[*SYSTEMS, *PEERS, "torch_compile"])
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1, help="one sample in so many")
    parser.add_argument("--column", type=Path, help="a file for what becomes of each sample, as JSON")
    options = parser.parse_args()
    column = {}
    for sample, verdict in results(options.system, options.only, options.every):
        column[sample.id] = verdict.kind
        if options.verbose and verdict.kind != "staged":
            *_, why = ["", *verdict.why.splitlines()]
            print(f"{verdict.kind:8} {sample.id}: {why[:150]}")
    if options.column:
        options.column.write_text(json.dumps(column), encoding="utf-8")
    print(dict(Counter(column.values())))


if __name__ == "__main__":
    main()
