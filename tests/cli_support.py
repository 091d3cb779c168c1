"""The command line, run in processes of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import forked

import autograph_rs

# The package that the other tests import, whatever folder the command runs in.
ROOT = str(Path(autograph_rs.__file__).parents[1])
PATH = os.pathsep.join(filter(None, [ROOT, os.environ.get("PYTHONPATH")]))
SECONDS = 300  # only what hangs takes as long

PROGRAM = '''\
"""Steps of the Collatz sequence."""

import sys


def collatz(n):
    """How many steps lead to 1."""
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


class Counter:
    def __init__(self):
        self.calls = 0

    def count(self, numbers):
        for n in numbers:
            self.calls += 1
            if n < 0:
                break
            yield n, collatz(n)


if __name__ == "__main__":
    counter = Counter()
    print(list(counter.count([27, 6, 1, -1, 5])), counter.calls, sys.argv[1:])
'''


def python(
    *arguments: str | Path, cwd: Path, data: bytes = b"", **environ: str
) -> subprocess.CompletedProcess[bytes]:
    """Run Python in a new process and return its result."""
    return subprocess.run(
        [sys.executable, *arguments], cwd=cwd, input=data, capture_output=True, check=False, timeout=SECONDS,
        env=os.environ | {"PYTHONPATH": PATH} | environ,
    )  # fmt: skip


def program(
    *arguments: str | Path, cwd: Path, data: bytes = b"", **environ: str
) -> subprocess.CompletedProcess[bytes]:
    """The same, with `-m MODULE` or a file first, in the copy of a process that has imported the package."""
    if not forked.POSSIBLE or not environ.keys() <= {"PYTHONUTF8"}:
        return python(*arguments, cwd=cwd, data=data, **environ)
    return forked.run(
        [os.fspath(argument) for argument in arguments], cwd=cwd, data=data, seconds=SECONDS,
        environ=os.environ | {"PYTHONPATH": PATH} | environ,
    )  # fmt: skip


def command(
    *arguments: str | Path, cwd: Path, data: bytes = b"", **environ: str
) -> subprocess.CompletedProcess[bytes]:
    """Run `python -m autograph_rs ARGUMENT...` and return its result."""
    return program("-m", "autograph_rs", *arguments, cwd=cwd, data=data, **environ)
