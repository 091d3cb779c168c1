"""Run generated programs converted and unconverted, and print those that do not do the same.

    python tests/fuzzing/run.py --count 2000 --seed 1
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from hypothesis import HealthCheck, Phase, given, seed, settings

from fuzzing.compare import check_plain_program, check_staged_program
from fuzzing.plain_programs import plain_programs
from fuzzing.shrinking import shrink
from fuzzing.staged_programs import staged_programs

BATCH = 500


def search(strategy, check, number: int, count: int, refused: list) -> tuple[str, Exception] | None:
    """A small program that fails `check`, with its error, among `count` programs of one seed."""
    failed: list[tuple[str, Exception]] = []

    @seed(number)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @given(strategy)
    def run(text: str) -> None:
        if failed:
            return
        try:
            refused.extend((text, reason) for reason in check(text) or ())
        except Exception as error:
            failed.append((text, error))

    run()
    if not failed:
        return None
    text, error = failed[0]

    def fails(smaller: str) -> bool:
        try:
            check(smaller)
        except Exception as other:
            if type(other) is type(error) and getattr(other, "kind", None) == getattr(error, "kind", None):
                failed.append((smaller, other))
                return True
        return False

    if not isinstance(error, SyntaxError):
        shrink(text, fails)
    return failed[-1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--staged", action="store_true")
    parser.add_argument("--refused", help="a file for the programs that were refused")
    options = parser.parse_args()
    strategy, check = (
        (staged_programs(), check_staged_program) if options.staged else (plain_programs(), check_plain_program)
    )
    refused: list[tuple[str, str]] = []
    warnings.simplefilter("ignore")
    start, done, differences = time.perf_counter(), 0, 0
    for number in range(options.seed, options.seed + -(-options.count // BATCH)):
        found = search(strategy, check, number, min(BATCH, options.count - done), refused)
        if found is not None:
            text, error = found
            differences += 1
            print(f"seed {number}: {type(error).__name__}: {error}\n\n{text}\n")
        done += BATCH
        print(f"{done} programs, seed {number}, {done / (time.perf_counter() - start):.0f} per second", flush=True)
    if options.staged:
        print(f"{len(refused)} of {done} refused")
    if options.refused:
        Path(options.refused).write_text("\n\n".join(f"# {reason}\n{text}" for text, reason in refused))
    return min(differences, 1)


if __name__ == "__main__":
    sys.exit(main())
