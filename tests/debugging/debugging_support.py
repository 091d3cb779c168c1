"""Helpers of the tests of debugging tools: a user file to run them on, and Python processes."""

from __future__ import annotations

import importlib
import importlib.util
import os
import subprocess
import sys
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def load(file: Path) -> types.ModuleType:
    """Import a file as a module of its own, without an entry in `sys.modules`."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def line_of(source: str, mark: str) -> int:
    """The number of the line that ends in the comment `# mark`."""
    (line,) = (n for n, text in enumerate(source.splitlines(), 1) if text.endswith(f"# {mark}"))
    return line


def python(*arguments: str, cwd: Path, text: str = "", **environ: str) -> subprocess.CompletedProcess[str]:
    """Run the interpreter in a folder, with `text` typed to it."""
    return subprocess.run(
        [sys.executable, *arguments], cwd=cwd, env=os.environ | environ, check=False, timeout=300,
        capture_output=True, text=True, input=text,
    )  # fmt: skip
