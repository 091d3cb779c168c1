"""Run generated programs converted and unconverted, and print one that does not do the same.

    python tests/fuzzing/run.py --count 2000 --seed 1
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from hypothesis import HealthCheck, Phase, given, seed, settings

from fuzzing.compare import Difference, check_plain_program
from fuzzing.plain_programs import plain_programs

BATCH = 500


def search(strategy, check, number: int, count: int) -> tuple[str, BaseException] | None:
    """The smallest program found that fails `check`, with its error."""
    failed: list[tuple[str, BaseException]] = []

    @seed(number)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @given(strategy)
    def run(text: str) -> None:
        try:
            check(text)
        except Exception as error:
            failed.append((text, error))
            raise

    try:
        run()
    except Exception:
        if not failed:
            raise
        return failed[-1]
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    start, done = time.perf_counter(), 0
    for number in range(options.seed, options.seed + -(-options.count // BATCH)):
        found = search(plain_programs(), check_plain_program, number, min(BATCH, options.count - done))
        if found is not None:
            text, error = found
            print(f"seed {number}: {type(error).__name__}: {error}\n\n{text}")
            return 1
        done += BATCH
        print(f"{done} programs, seed {number}, {done / (time.perf_counter() - start):.0f} per second", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
