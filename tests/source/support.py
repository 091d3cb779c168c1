"""Programs that are run as users run them, and one function that tells whether it was converted."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TypeAlias

Run: TypeAlias = "subprocess.CompletedProcess[str]"
ROOT = Path(__file__).resolve().parents[2]

IMPORTS = "import numpy as np\nimport autograph_rs as ag\n"
HELPER = """
def helper(x):
    if np.sum(x) > 10:
        return x - 1
    return x + 1
"""
STAGED = """
@ag.function
def f(x):
    if np.sum(x) > 0:
        return x * 2
    return helper(-x)
"""
SHOWN = 'print("made", f(np.ones(2)), f(-np.ones(2)))\n'
PROGRAM = IMPORTS + HELPER + STAGED + "\n" + SHOWN
PRINTED = "made [2. 2.] [2. 2.]"


def environment(**more: str) -> dict[str, str]:
    """That of this process, in which the package is found and nothing is written beside the sources."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    plain = {"PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1", "TERM": "dumb", "PYTHONPATH": path}
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "COV_", "COVERAGE_"))}
    return {**kept, **plain, **more}


def python(*arguments: str | Path, cwd: Path, given: str = "", **more: str) -> Run:
    """Run this Python and return its output."""
    return subprocess.run(
        [sys.executable, *map(str, arguments)], cwd=cwd, env=environment(**more), input=given,
        capture_output=True, text=True, encoding="utf-8", timeout=300, check=False,
    )  # fmt: skip


def works(done: Run) -> None:
    """A run that printed what the program prints."""
    assert PRINTED in done.stdout, done.stderr
    assert "Error" not in done.stderr, done.stderr


def fails(done: Run, *said: str) -> None:
    """Check that a run ended with a SourceError that has a reason and a remedy."""
    for text in ("SourceError", "is not available", "pass its text", *said):
        assert text in done.stderr + done.stdout, done.stderr
