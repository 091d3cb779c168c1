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
