"""Run generated programs converted and unconverted, and print those that do not do the same.

    python tests/fuzzing/run.py --count 2000 --seed 1
    python tests/fuzzing/run.py --count 2000 --seed 1 --staged --jobs 2

Programs are made in batches, each from a seed of its own; --seed is that of the first. A program that is
found is printed in full, as small as it could be made, with what it did and should have done.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import multiprocessing
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from fuzzing.compare import check_plain_program, check_staged_program, is_program
from fuzzing.plain_programs import plain_programs
from fuzzing.shrinking import shrink
from fuzzing.staged_programs import staged_programs
from hypothesis import HealthCheck, Phase, given, seed, settings

BATCH = 500
MEMORY = 2 << 30  # bytes that a process may address: some programs double what they hold, again and again
KINDS = {
    "plain": (plain_programs, check_plain_program),
    "staged": (staged_programs, check_staged_program),
    "native": (staged_programs, functools.partial(check_staged_program, engine="native")),
}


@dataclass
class Batch:
    """Results of the programs of one seed."""

    seed: int
    count: int
    refused: list[tuple[str, str]] = field(default_factory=list)  # reason and program
    different: str = ""


def run_batch(kind: str, number: int, count: int, statements: int = 12) -> Batch:
    """Run `count` programs of at most so many statements, or as many as it takes to find one that differs."""
    programs, check = KINDS[kind]
    batch = Batch(number, count)
    failed: list[tuple[str, Exception]] = []

    @seed(number)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(programs(statements))
    def run(text: str) -> None:
        if failed or not is_program(text):
            return
        try:
            batch.refused.extend((reason, text) for reason in check(text))
        except MemoryError:  # a program that grows without end, which took what the comparison needs
            batch.refused.append(("memory", text))
        except Exception as error:
            failed.append((text, error))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run()
        if failed:
            text, error = smallest(check, *failed[0])
            batch.different = f"seed {number}: {type(error).__name__}: {error}\n\n{text}"
    return batch


def smallest(check: Callable[[str], Any], text: str, error: Exception) -> tuple[str, Exception]:
    """A small program that fails `check` in the same way, with its error."""
    found = [(text, error)]

    def fails(smaller: str) -> bool:
        try:
            check(smaller)
        except Exception as other:
            if type(other) is type(error) and getattr(other, "kind", None) == getattr(error, "kind", None):
                found.append((smaller, other))
                return True
        return False

    shrink(text, fails)
    return found[-1]


def batches(kind: str, first: int, count: int, jobs: int, statements: int) -> Iterator[Batch]:
    starts = range(0, count, BATCH)
    work = [(kind, first + i, min(BATCH, count - start), statements) for i, start in enumerate(starts)]
    if jobs == 1:
        limit_memory()
        yield from (run_batch(*each) for each in work)
        return
    with multiprocessing.get_context("spawn").Pool(jobs, limit_memory) as pool:
        yield from pool.imap_unordered(_run_batch, work)


def limit_memory() -> None:
    """Let a program that asks for too much get a MemoryError, converted or not."""
    with contextlib.suppress(ImportError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _run_batch(work: tuple[str, int, int, int]) -> Batch:
    return run_batch(*work)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=2000, help="how many programs (2000)")
    parser.add_argument("--seed", type=int, default=1, help=f"the seed of the first {BATCH} programs (1)")
    parser.add_argument("--staged", action="store_true", help="programs for ag.function, not for to_graph")
    parser.add_argument(
        "--engine", choices=("numpy", "native"), default="numpy", help="of staged programs (numpy)"
    )
    parser.add_argument("--statements", type=int, default=12, help="in a program, at most (12)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    parser.add_argument("--refused", type=Path, help="a file for the programs that were refused")
    options = parser.parse_args()
    kind = "plain" if not options.staged else "native" if options.engine == "native" else "staged"
    start, done, different = time.perf_counter(), 0, 0
    refused: list[tuple[str, str]] = []
    for batch in batches(kind, options.seed, options.count, options.jobs, options.statements):
        done += batch.count
        refused += batch.refused
        if batch.different:
            different += 1
            print(f"\n{batch.different}\n")
        rate = done / (time.perf_counter() - start)
        print(f"seed {batch.seed}: {done} {kind} programs, {rate:.0f} per second", flush=True)
    print(f"{different} seeds with a difference")
    if options.staged:
        print(f"{len(refused)} of {done} refused ({len(refused) / done:.1%}):")
        for reason, times in Counter(reason[:90].partition("\n")[0] for reason, _ in refused).most_common(12):
            print(f"{times:6} {reason}")
    if options.refused:
        options.refused.write_text("\n".join(f"# {r}\n{text}\n" for r, text in refused), encoding="utf-8")
    return bool(different)


if __name__ == "__main__":
    sys.exit(main())
