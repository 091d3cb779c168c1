"""The command line, run as its users run it: in processes of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import autograph_rs

# The package that the other tests import, whatever folder the command runs in.
ROOT = str(Path(autograph_rs.__file__).parents[1])
PATH = os.pathsep.join(filter(None, [ROOT, os.environ.get("PYTHONPATH")]))

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
    return subprocess.run(
        [sys.executable, *arguments], cwd=cwd, input=data, capture_output=True, check=False, timeout=120,
        env=os.environ | {"PYTHONPATH": PATH} | environ,
    )  # fmt: skip


def command(
    *arguments: str | Path, cwd: Path, data: bytes = b"", **environ: str
) -> subprocess.CompletedProcess[bytes]:
    return python("-m", "autograph_rs", *arguments, cwd=cwd, data=data, **environ)
