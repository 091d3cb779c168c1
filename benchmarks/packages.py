"""Compare the time that the own tests of popular packages take, on the originals and on converted files.

    python benchmarks/packages.py [NAME ...] [--rounds N] [--keep DIR]

A name is one of `tests/packages/packages.toml` with tests. An environment of its own gets the packages and
this tree. Each round runs the tests on the original and on the converted package, one after the other, and
counts the processor's time, which depends less on what else the machine does. The shortest run of each
counts. Exits with status 1 if a test that passes on the original does not pass on the converted package.
"""

from __future__ import annotations

import argparse
import compileall
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from figures import number, table

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path[:0] = [str(TESTS / "packages"), str(TESTS / "stdlib")]

from environment import Run  # noqa: E402 - on the path from here on
from run import HOUR, Package, Workshop, known  # noqa: E402

HEAD = ["tests of", "passed", "passed converted", "s", "s converted", "ratio"]


def measure(workshop: Workshop, package: Package, rounds: int) -> list[tuple[Run, Run]]:
    """Convert a package, and run its tests alternately on the original and on the result."""
    done = workshop.convert(package.name, [workshop.installed / folder for folder in package.folders])
    if done.faults:
        raise SystemExit("\n".join(done.faults))
    converted = workshop.folder / package.name / "converted"
    compileall.compile_dir(converted, quiet=2)
    tests = workshop.tests(package)
    pairs = []
    for _ in range(rounds):
        pair = workshop.run(package, tests, "plain"), workshop.run(package, tests, "converted", converted)
        for run in pair:
            if run.fault or not run.passed:
                raise SystemExit(run.fault or f"no test of {package.name} passes")
        print(package.name, *(f"{run.processor_seconds:.1f}" for run in pair), file=sys.stderr, flush=True)
        pairs.append(pair)
    return pairs


def row(name: str, pairs: Iterable[tuple[Run, Run]]) -> list[str]:
    runs = [*zip(*pairs, strict=True)]
    passed = (str(len(set.intersection(*(run.passed for run in kind)))) for kind in runs)
    plain, converted = (min(run.processor_seconds for run in kind) for kind in runs)
    return [name, *passed, number(plain), number(converted), f"{converted / plain:.2f}"]


def lost(pairs: Iterable[tuple[Run, Run]]) -> list[str]:
    """Return the tests that always pass on the original, and never on the converted package."""
    plain, converted = ([run.passed for run in kind] for kind in zip(*pairs, strict=True))
    return sorted(set.intersection(*plain).difference(*converted))


def main() -> int:
    packages = {name: package for name, package in known().items() if package.tests}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(packages)}; all by default")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", type=Path, metavar="DIR", help="work in DIR and leave it there")
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in packages]:
        parser.error(f"packages.toml has no tests of {', '.join(unknown)}")
    chosen = [packages[name] for name in options.names or packages]
    missing: dict[str, list[str]] = {}
    rows = []
    with tempfile.TemporaryDirectory(prefix="packages-", ignore_cleanup_errors=True) as temporary:
        workshop = Workshop((options.keep or Path(temporary)).resolve(), chosen, HOUR)
        for package in chosen:
            pairs = measure(workshop, package, options.rounds)
            rows.append(row(package.name, pairs))
            missing[package.name] = lost(pairs)
    print(table(HEAD, rows))
    for name, tests in missing.items():
        for test in tests:
            print(f"{name}: {test} passes on the original only")
    return int(any(missing.values()))


if __name__ == "__main__":
    sys.exit(main())
