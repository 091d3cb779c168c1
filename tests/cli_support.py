"""Helpers that run Python programs and the command line in separate processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import forked

import autograph_rs

# Make the command import the same package as the tests, whatever its working directory.
ROOT = str(Path(autograph_rs.__file__).parents[1])
PATH = os.pathsep.join(filter(None, [ROOT, os.environ.get("PYTHONPATH")]))
SECONDS = 300  # reached only by a process that hangs

PROGRAM = '''\
"""Steps of the Collatz sequence."""

import sys


def collatz(n):
    """Return the number of steps from n to 1."""
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
    """Run `-m MODULE` or a file as `python` does, but where possible in a fork of a warm process."""
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
