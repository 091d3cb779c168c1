"""Helpers for tests that convert modules."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from cli_support import PROGRAM

from autograph_rs.ahead_of_time.modules import convert_module

FUNCTION = "def f(x):\n    if x:\n        x = 1\n    return x\n"


def convert_source(text: str, *, staged_only: bool = False) -> str:
    """Return the text of a module with every function converted."""
    converted = convert_module(text, staged_only=staged_only)
    return text if converted is None else converted.text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a script and a package that has a subpackage, data and files that are not converted."""
    files = {
        "script.py": PROGRAM,
        "pkg/__init__.py": '"""A package."""\n',
        "pkg/core.py": FUNCTION,
        "pkg/table.json": "{}",
        "pkg/sub/__init__.py": FUNCTION,
        "pkg/sub/test_core.py": FUNCTION,
        "pkg/__pycache__/core.cpython.pyc": "no",
        ".hidden/secret.py": FUNCTION,
        "environment/pyvenv.cfg": "",
        "environment/lib.py": FUNCTION,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def below(folder: Path) -> dict[str, bytes]:
    return {str(f.relative_to(folder)): f.read_bytes() for f in sorted(folder.rglob("*")) if f.is_file()}


def is_converted(data: bytes) -> bool:
    return b"ag__.if_stmt(" in data and data.startswith(b"# Made by autograph_rs ")


def said(done: subprocess.CompletedProcess[bytes]) -> str:
    return done.stderr.decode()
