"""Programs without their sources: converted ahead of time, or with a text that is given."""

from __future__ import annotations

import compileall
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from backends.support import required
from source.support import HELPER, IMPORTS, PRINTED, PROGRAM, ROOT, environment, fails, python, works

MAIN = f"""{IMPORTS}
import sys
import program
TEXT = '''
def given(x):
    return x if np.sum(x) > 0 else -x
'''
exec(compile(TEXT, "left/behind.py", "exec"))
assert ag.function(given, source=TEXT)(-np.ones(2)).tolist() == [1, 1]
assert ag.function(source=TEXT)(given)(-np.ones(2)).tolist() == [1, 1]
"""
LOST = f"{IMPORTS}{HELPER}ag.to_graph(helper)\n"


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """A folder with programs, of which `program` was converted ahead of time, and not one source."""
    folder = tmp_path / "app"
    folder.mkdir()
    for name, text in {"main.py": MAIN, "program.py": PROGRAM, "lost.py": LOST}.items():
        (folder / name).write_text(text, encoding="utf-8")
    done = python("-m", "autograph_rs", "convert", "program.py", "--in-place", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_converted_ahead_of_time(app: Path):
    assert compileall.compile_dir(app, legacy=True, quiet=1)
    for path in app.glob("*.py"):
        path.unlink()
    works(python("main.pyc", cwd=app))
    fails(python("lost.pyc", cwd=app), "only compiled code is available", "autograph-rs convert")
    frozen = "import sys; sys.frozen = True; import {}"
    works(python("-c", frozen.format("main"), cwd=app))
    fails(python("-c", frozen.format("lost"), cwd=app), "the program was frozen", "autograph-rs convert")


NOT_NEEDED = (
    "torch", "tensorflow", "jax", "numba", "onnx", "polars", "casadi", "tensorboard", "scipy", "pandas",
    "matplotlib", "IPython", "PIL", "pytest", "setuptools",
)  # fmt: skip
"""Packages that our modules, or those of NumPy, can use; PyInstaller would collect all of them."""


def test_a_program_that_pyinstaller_froze(app: Path):
    """PyInstaller is told of modules imported by name only; the package has its installed layout."""
    required("PyInstaller")
    package = app / "autograph_rs"
    for room, place in {"autograph_rs": ".", "converters": "converters", "runtime": "runtime"}.items():
        shutil.copytree(
            ROOT / room, package / place, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True
        )
    (app / "main.py").write_text(f"{MAIN}import lost\n", encoding="utf-8")
    command = (
        "-m",
        "PyInstaller",
        "--log-level=ERROR",
        "--hidden-import=autograph_rs.functions.function",
        *(f"--exclude-module={name}" for name in NOT_NEEDED),
        "main.py",
    )
    done = python(*command, cwd=app, PYTHONPATH=os.environ.get("PYTHONPATH", ""))
    assert done.returncode == 0, done.stderr
    [program] = (app / "dist" / "main").glob("main*")
    done = subprocess.run(
        [program],
        cwd=program.parent,
        env=environment(PYTHONPATH=""),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert PRINTED in done.stdout, done.stderr
    fails(done, "the program was frozen", "autograph-rs convert")
