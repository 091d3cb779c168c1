"""Converted functions in other processes: by name, by value, and with their text."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from backends.support import required
from source.support import HELPER, IMPORTS, STAGED, python

import autograph_rs as ag

MADE = f"""
{IMPORTS}import sys
@ag.convert
{HELPER.strip()}
{STAGED}
graph = ag.to_graph(f.python_function)
lam = ag.function(lambda x: x * 2 if np.sum(x) > 0 else helper(-x))
class Holder:
    def __init__(self, k): self.k = k
    @ag.function
    def m(self, x):
        # a comment, and a text that begins a line
        '''
a text'''
        if np.sum(x) > 0:
            return x * self.k
        return -x * self.k
def factory(k):
    @ag.function(reduce_retracing=True)
    def inner(x): return x * k if np.sum(x) > 0 else -x * k
    return inner
thin = ag.convert(f.python_function)
"""
DUMPS = "{0}.dump([f, graph, lam, Holder(2).m, factory(2), {1}], open('made.pickle', 'wb'))\n"
LOADS = """
import {0}, numpy as np, autograph_rs as ag
made = {0}.load(open('made.pickle', 'rb'))
print(*(g(s * np.ones(2)).tolist() for g in made for s in (1, -1)))
"""


@pytest.mark.parametrize("name", ["cloudpickle", "dill"])
def test_by_value(tmp_path: Path, name: str):
    """If the file is missing, the source travels with a converted function."""
    required(name)
    if name == "dill":  # which takes modules by value that are not installed, as those of a checkout
        text = f"import dill\ndill.settings['recurse'] = True\n{MADE}".replace("@ag.convert", "@ag.function")
        text += DUMPS.format(name, "f")
    else:
        text = f"import cloudpickle\n{MADE}{DUMPS.format(name, 'thin, ag.function(thin)')}"
    (tmp_path / "program.py").write_text(text, encoding="utf-8")
    assert python("program.py", cwd=tmp_path).stderr == ""
    (tmp_path / "program.py").unlink()
    done = python("-c", LOADS.format(name), cwd=tmp_path)
    assert (set(done.stdout.strip().replace("] [", "]|[").split("|")), done.stderr) == ({"[2.0, 2.0]"}, "")


def test_a_module_by_value(tmp_path: Path):
    required("cloudpickle")
    (tmp_path / "given.py").write_text(MADE, encoding="utf-8")
    dumps = "import cloudpickle, given; cloudpickle.register_pickle_by_value(given); from given import *;"
    assert python("-c", dumps + DUMPS.format("cloudpickle", "thin"), cwd=tmp_path).stderr == ""
    (tmp_path / "given.py").unlink()
    done = python("-c", LOADS.format("cloudpickle"), cwd=tmp_path)
    assert (set(done.stdout.strip().replace("] [", "]|[").split("|")), done.stderr) == ({"[2.0, 2.0]"}, "")


def test_a_function_whose_text_stays_behind(tmp_path: Path):
    """One that is called and was not converted says why it could not be."""
    required("cloudpickle")
    text = f"import cloudpickle\n{MADE}{DUMPS.format('cloudpickle', 'f')}".replace("@ag.convert\n", "")
    (tmp_path / "program.py").write_text(text, encoding="utf-8")
    assert python("program.py", cwd=tmp_path).stderr == ""
    (tmp_path / "program.py").unlink()
    done = python("-c", LOADS.format("cloudpickle"), cwd=tmp_path)
    assert "'helper' was called unconverted" in done.stderr, done.stderr
    assert "pickle the converted function instead" in done.stderr


POOLS = f"""
{IMPORTS}
import concurrent.futures, multiprocessing
@ag.convert
{HELPER.strip()}
{STAGED}
class Holder:
    @ag.function
    def m(self, x): return x * 2 if np.sum(x) > 0 else -2 * x
if __name__ == "__main__":
    arrays = [np.ones(2), -np.ones(2)]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(f, arrays), pool.map(helper, arrays), pool.map(Holder().m, arrays))
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        print(list(pool.map(f, arrays)))
"""
JOBS = f"""
{IMPORTS}
import joblib
@ag.convert
{HELPER.strip()}
{STAGED}
lam = ag.convert(lambda x: x if np.sum(x) > 0 else -x)
jobs = [joblib.delayed(g)(s * np.ones(2)) for g in (f, ag.function(lam), helper) for s in (1, -1)]
print(*(made.tolist() for made in joblib.Parallel(n_jobs=2)(jobs)))
"""


@pytest.mark.slow
def test_processes_of_the_standard_library(tmp_path: Path):
    (tmp_path / "program.py").write_text(POOLS, encoding="utf-8")
    done = python("program.py", cwd=tmp_path)
    assert (done.stdout.count("array([2., 2.])"), done.stderr) == (7, "")


def test_processes_of_joblib(tmp_path: Path):
    """They run `python -c` too, and what the program's text was is not theirs."""
    required("joblib")
    (tmp_path / "program.py").write_text(JOBS, encoding="utf-8")
    done = python("-W", "ignore", "program.py", cwd=tmp_path)
    expected = "[2.0, 2.0] [2.0, 2.0] [1.0, 1.0] [1.0, 1.0] [2.0, 2.0] [0.0, 0.0]"
    assert done.stdout.strip() == expected, done.stderr


@ag.function
def module_level(x):
    return x if np.sum(x) > 0 else -x


class Methods:
    @ag.function
    def m(self, x):
        return x if np.sum(x) > 0 else -x

    def __eq__(self, other):
        return isinstance(other, Methods)

    __hash__ = object.__hash__


def test_by_name():
    """A module's own functions are the same ones in each process."""
    assert pickle.loads(pickle.dumps(module_level)) is module_level
    assert pickle.loads(pickle.dumps(Methods.m)) is Methods.m
    method = pickle.loads(pickle.dumps(Methods().m))
    assert method(-np.ones(2)).tolist() == [1, 1]
    hidden = ag.function(lambda x: x)
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(hidden)


def test_transpilers():
    """Those of this package are known in each process; another says that it is not."""
    convert = ag.Transpiler(name="mine").convert
    assert pickle.loads(pickle.dumps(ag.to_code.__self__)) is ag.to_code.__self__
    with pytest.raises(TypeError, match=r"'mine'.* cannot be pickled"):
        pickle.dumps(convert.__self__)


def test_of_an_object():
    """One around a callable object has no name of its own."""
    again = pickle.loads(pickle.dumps(ag.function(Scale(3), reduce_retracing=True)))
    assert again.reduce_retracing
    assert again(np.ones(2)).tolist() == [3, 3]


class Scale:
    def __init__(self, k):
        self.k = k

    def __call__(self, x):
        return x * self.k if np.sum(x) > 0 else x


def test_by_name_from_anywhere():
    """Of what pickles by value by its package's name alone; code of `exec` has no name of a module."""
    for name in ({}, {"__name__": "dillinger"}):
        scope = {"pickle": pickle, "f": module_level, **name}
        exec("again = pickle.loads(pickle.dumps(f))", scope)
        assert scope["again"] is module_level
