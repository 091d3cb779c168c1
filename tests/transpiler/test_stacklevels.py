"""A warning of ours stands at the user's line."""

from __future__ import annotations

import linecache
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
from test_house import FOLDERS

import autograph_rs as ag

SOME = np.float64(1.0)


def test_retraces():
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        f = ag.function(lambda x, n: x * n)
        for n in range(10):
            f(SOME, n)  # here
    [warning] = found
    assert warning.category is ag.RetraceWarning
    assert linecache.getline(warning.filename, warning.lineno).strip() == "f(SOME, n)  # here"


def test_retraces_of_a_method():
    class Model:
        @ag.function
        def scale(self, x, n):
            return x * n

    model = Model()
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        for n in range(10):
            model.scale(SOME, n)  # there
    [warning] = found
    assert linecache.getline(warning.filename, warning.lineno).strip() == "model.scale(SOME, n)  # there"


def test_broken_map(tmp_path, monkeypatch):
    """The warning is at the line of the converted file that has the map."""
    text = "import autograph_rs.runtime as ag__\n\n\n@ag__.mapped\ndef f(x):\n    return x\n"
    (tmp_path / "mapped_file.py").write_text(text)
    (tmp_path / "mapped_file.py.map").write_text("{}")
    monkeypatch.syspath_prepend(tmp_path)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        import mapped_file
    [warning] = found
    assert (warning.filename, warning.lineno) == (mapped_file.__file__, 4)


def test_every_warning_is_at_a_users_line():
    """No place in the package counts frames by hand: how many are ours is not known there."""
    files = {file for folder in FOLDERS.values() for file in folder.rglob("*.py")}
    found = {
        f"{file.name}: {line.strip()}"
        for file in files
        for line in file.read_text("utf-8").splitlines()
        if "stacklevel=" in line and "user_stacklevel()" not in line
    }
    # Python itself passes over the frames of the import at whose line these stand.
    assert found == {
        "verbosity.py: stacklevel=3,",
        "tracebacks.py: stacklevel=2,",
    }


PROGRAM = """
import sys, warnings
import autograph_rs as ag
from importlib import metadata

class Point:
    value = "a_package:register"
    name = "broken"
    def load(self):
        raise OSError("no such device")

metadata.entry_points = lambda group: [Point()]
import gast

def f(x):
    if x:
        return 1
    return 2

g = ag.to_graph(f)
g(gast.Module([], []))
"""


def test_backend_that_cannot_be_registered(tmp_path):
    """The warning is at the line that first meets a value of a package."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    environ = {"PYTHONPATH": str(Path(ag.__path__[0]).parent)}
    done = subprocess.run(
        [sys.executable, str(program)], env=environ, capture_output=True, text=True, check=True, timeout=300
    )
    message = "RuntimeWarning: cannot register the backend 'broken' of a_package:register"
    assert done.stderr.startswith(f"{program}:16: {message}")
