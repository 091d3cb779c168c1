"""Backends of installed packages are registered when a value of the package is first encountered."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import autograph_rs
import autograph_rs as ag
from autograph_rs.runtime.graph.backend.backend import GraphBackend

ROOT = str(Path(autograph_rs.__file__).parents[1])  # the folder of the package that the tests import

PACKAGE = """
    from autograph_rs.runtime.graph.backend.backend import GraphBackend
    import autograph_rs as ag

    class Own(GraphBackend):
        name = "own"
        announces = False
        def owns(self, kind):
            return kind.__name__ == "Value"
        def is_staged(self, value):
            return True
        def staging(self):
            return False

    class Value:
        pass

    def register():
        ag.register_backend(Own())
        print("registered")

    def broken():
        raise OSError("no such device")
"""

PROGRAM = """
    import autograph_rs as ag, own_package, warnings
    from autograph_rs.runtime.backends import staged_by

    def f(x):
        return 1 if x else 2

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        print(ag.to_graph(f)(0))
        print(staged_by(own_package.Value()).name, staged_by(own_package.Value()).name)
    print([str(w.message) for w in told])
"""


def test_a_class_is_no_backend():
    with pytest.raises(
        TypeError, match=r"(?s)the class GraphBackend is not a backend.*fix: pass GraphBackend\(\)"
    ):
        ag.register_backend(GraphBackend)


def test_entry_points(tmp_path):
    (tmp_path / "own_package.py").write_text(textwrap.dedent(PACKAGE))
    info = tmp_path / "own_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: own-package\nVersion: 1.0\n")
    points = "[autograph_rs.backends]\nown = own_package:register\nbroken = own_package:broken\n"
    (info / "entry_points.txt").write_text(points)
    (tmp_path / "program.py").write_text(textwrap.dedent(PROGRAM))
    environ = os.environ | {"PYTHONPATH": ROOT}
    command = [sys.executable, "program.py"]
    made = subprocess.run(
        command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=True, timeout=300
    )
    warning = "cannot register the backend 'broken' of own_package:broken: OSError('no such device')"
    assert made.stdout.splitlines() == ["2", "registered", "own own", str([warning])]
