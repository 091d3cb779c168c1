"""Callables without Python's code: Cython's functions and methods, C functions, classes, partials."""

from __future__ import annotations

import functools
import importlib.util
import operator
import subprocess
import sys
from types import ModuleType

import numpy as np
import pytest
from backends.support import required

import autograph_rs as ag

NEIGHBOUR = """
# cython: language_level=3, binding=True
def double(x):
    return x * 2
def absolute(x):
    if x > 0:
        return x
    return -x
cdef class Scale:
    cdef object k
    def __init__(self, k): self.k = k
    def by(self, x): return x * self.k
    def sign(self, x): return 1 if x > 0 else -1
    def __call__(self, x): return x * self.k
"""


@pytest.fixture(scope="module")
def neighbour(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """A module that Cython compiled."""
    required("Cython")
    folder = tmp_path_factory.mktemp("cython")
    (folder / "neighbour.pyx").write_text(NEIGHBOUR, encoding="utf-8")
    command = [sys.executable, "-m", "Cython.Build.Cythonize", "-i", "-q", "neighbour.pyx"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=300)
    [built] = [f for f in folder.iterdir() if f.suffix in {".so", ".pyd"}]
    spec = importlib.util.spec_from_file_location("neighbour", built)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


X = np.float64(-2.0)


def test_a_neighbour_is_called(neighbour: ModuleType):
    """Computations in a compiled function are staged, and so is what follows its decisions."""
    scale = neighbour.Scale(3)
    for call in (neighbour.double, scale.by, scale, functools.partial(neighbour.double)):
        f = ag.function(lambda x, call=call: call(x) if x < 0 else x)
        assert f(X) == call(X)
    assert ag.to_graph(lambda x: neighbour.absolute(x) if x else x)(-2) == 2
    for call in (neighbour.absolute, scale.sign):
        f = ag.function(lambda x, call=call: call(x) + 1)
        assert [f(X), f(-X)] == [call(X) + 1, call(-X) + 1]


def test_a_neighbour_is_given(neighbour: ModuleType):
    """There is nothing to convert; a function of Python around it can be."""
    scale = neighbour.Scale(3)
    for given in (neighbour.double, scale.by, neighbour.Scale.by, scale, functools.partial(scale.by)):
        for convert in (ag.convert, ag.to_graph, ag.function):
            with pytest.raises(TypeError, match="is not a Python function"):
                convert(given)
    assert ag.function(lambda x: scale.by(x))(X) == -6


@pytest.mark.parametrize(
    "given",
    [
        len,
        np.add,
        np.sum,
        "".join,
        operator.itemgetter(0),
        int,
        functools.partial(len),
        functools.cache(len),
        3,
    ],
    ids=lambda given: type(given).__name__,
)
def test_other_callables_of_c(given: object):
    for convert in (ag.convert, ag.to_graph, ag.function, ag.to_code):
        with pytest.raises(TypeError, match="is not a Python function"):
            convert(given)
