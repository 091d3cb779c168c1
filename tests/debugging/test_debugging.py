"""Tools that a user debugs with see the user's file in converted code, each tried for real.

A test writes the user's module to a file of its own and imports it from there. What the tool shows
of the original function is what it must show of the converted one.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import re
import traceback
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import debugging_support
import numpy as np
import pytest
from debugging_support import python

import autograph_rs as ag

ROOMS = ("autograph_rs", "autograph_rs.converters", "autograph_rs.runtime")
INTERNALS = {str(Path(folder)) for room in ROOMS for folder in importlib.import_module(room).__path__}
Load = Callable[[str], types.ModuleType]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Import source text as a module of its own file, without an entry in `sys.modules`."""

    def load(source: str) -> types.ModuleType:
        file = tmp_path / "user_code.py"
        file.write_text(source, encoding="utf-8")
        return debugging_support.load(file)

    return load


# --- Tracebacks -----------------------------------------------------------------------------------

ERRORS = """\
import sys

import numpy as np

import autograph_rs as ag

LIMITS = {"low": 1.0}
TABLE = [1.0, 2.0]


def divides(x):
    if x.sum() > 0:
        y = x * (1 // (x.ndim - 1)) + x
    else:
        y = x
    return y


def broadcasts(x):
    if x.sum() > 0:
        y = 2.0 * (x / np.ones(4)) + 1.0
    else:
        y = x
    return y


def indexes(x):
    if x.sum() > 0:
        y = 1.0 + x[0, 1]
    else:
        y = 0.0
    return y


def indexes_a_list(x):
    for i in range(3):
        if x[i] > 0:
            x = x * TABLE[i + 5] + 1.0
    return x


def multiplies_in_a_loop(x):
    while x.sum() < 100:
        x = x + 1.0
        if x[0] > 0:
            x = np.ones((2, 2)) @ x + x
    return x


def look_up(x):
    return x * LIMITS["high"]


def calls(x):
    y = x
    if x.sum() > 0:
        for _ in range(2):
            y = 1.0 + look_up(y)
    return y


if __name__ == "__main__":
    function = ag.function(calls) if "staged" in sys.argv else calls
    function(np.array([1.0, 2.0, 3.0]))
"""
ERRING = ("divides", "broadcasts", "indexes", "indexes_a_list", "multiplies_in_a_loop", "calls")


def error_of(function: Callable[..., Any], *args: Any) -> Exception:
    """Return the error that the call raises, with a traceback that begins below this function."""
    try:
        function(*args)
    except Exception as error:
        below = error.__traceback__.tb_next if error.__traceback__ else None
        return error.with_traceback(below)
    pytest.fail("no error was raised")


def check_traceback(made: Exception, plain: Exception, file: str) -> None:
    """`made` shows the frames of `plain`, lines and carets alike, and none but the user's."""
    assert isinstance(made, type(plain))
    text = "".join(traceback.format_exception(made))
    expected = traceback.extract_tb(plain.__traceback__)
    frames = traceback.extract_tb(made.__traceback__)
    *_, innermost = expected.format()
    assert "^" in innermost
    assert innermost in text, text
    assert set(re.findall(r'File "(.*?)"', text)) == {file}, text
    assert {frame.name for frame in frames} == {frame.name for frame in expected}, text
    assert [place(f) for f in frames][-len(expected) :] == [place(f) for f in expected], text


def place(frame: traceback.FrameSummary) -> tuple[object, ...]:
    return frame.name, frame.lineno, frame.end_lineno, frame.colno, frame.end_colno


@pytest.mark.parametrize("way", [ag.to_graph, ag.function])
@pytest.mark.parametrize("name", ERRING)
def test_an_error_in_a_branch_shows_the_users_line(load: Load, name: str, way: Callable[..., Any]) -> None:
    """On plain values and in a staged branch the traceback is the original's."""
    module = load(ERRORS)
    original = getattr(module, name)
    argument = np.array([1.0, 2.0, 3.0])
    plain = error_of(original, argument)
    made = error_of(way(original), argument)
    check_traceback(made, plain, str(module.__file__))


def test_what_python_prints_of_an_uncaught_error(tmp_path: Path) -> None:
    """A script that dies of an error in a staged branch prints the user's lines and no others."""
    file = tmp_path / "user_code.py"
    file.write_text(ERRORS, encoding="utf-8")
    plain = python(str(file), cwd=tmp_path).stderr
    staged = python(str(file), "staged", cwd=tmp_path).stderr
    *_, innermost = plain.split("  File ")
    assert "^" in innermost
    assert staged.endswith(innermost), staged
    assert set(re.findall(r'File "(.*?)"', staged)) == {str(file)}, staged


def test_an_error_of_a_running_graph_names_the_users_line(load: Load) -> None:
    """An error that depends on values is raised when the graph runs, and names the line too."""
    source = (
        "def take(x, i):\n"
        "    if x.sum() > 0:\n"
        "        y = 2.0 * x[i]\n"
        "    else:\n"
        "        y = 0.0\n"
        "    return y\n"
    )
    module = load(source)
    error = error_of(ag.function(module.take), np.ones(3), np.array(7))
    assert isinstance(error, IndexError)
    text = "".join(traceback.format_exception(error))
    assert "y = 2.0 * x[i]" in text, text
    assert re.search(rf'{re.escape(str(module.__file__))}(", line |:)3\b', text), text
    assert not any(folder in text for folder in INTERNALS), text


# --- Traces left behind ---------------------------------------------------------------------------

LEFT_BEHIND = """\
import json
import os
import sys

import numpy as np

import autograph_rs as ag
import user_code

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
events = []
watching = False


def watch(event, args):
    if not watching:
        return
    if event.startswith("tempfile.") or event == "os.mkdir":
        events.append([event, repr(args)])
    elif event == "open" and args[2] & WRITING:
        events.append([event, repr(args[0])])


def use(function):
    ag.to_code(function)
    ag.to_graph(function)(3.0)
    ag.convert(function)(3.0)
    ag.function(function)(np.array(3.0))


use(user_code.first)  # imports whatever the package imports late
sys.addaudithook(watch)
before = set(sys.modules)
watching = True
use(user_code.second)
use(lambda x: x if x > 0 else -x)
watching = False
print(json.dumps({"events": events, "modules": sorted(set(sys.modules) - before)}))
"""
USED = """\
def first(x):
    if x > 0:
        x = -x
    return x


def second(x):
    while x < 100:
        if x > 10:
            x = x * first(x) * first(x)
        else:
            x = x + 1
    return x
"""


def test_conversion_leaves_no_file_and_no_module(tmp_path: Path) -> None:
    """Nothing is opened for writing, the folder of temporary files stays empty."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    (tmp_path / "user_code.py").write_text(USED, encoding="utf-8")
    (tmp_path / "script.py").write_text(LEFT_BEHIND, encoding="utf-8")
    places = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))
    done = python("script.py", cwd=tmp_path, PYTHONDONTWRITEBYTECODE="1", **places)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"events": [], "modules": []}
    assert list(temporary.iterdir()) == []


# --- Lambdas --------------------------------------------------------------------------------------

LAMBDAS = """\
class Chain(list):
    def then(self, step):
        self.append(step)
        return self


pair = [lambda x: x + 1 if x > 0 else x - 1, lambda x: x * 2 if x > 0 else x * 3]
chain = Chain().then(lambda x: x if x > 1 else -x).then(lambda x: x if x > 2 else -x)
inner = [(lambda a: lambda x: x + a if x > a else a)(n) for n in (0, 1)]
twins = [lambda x: 6 // x if x < 3 else 0, lambda x: 6 // x if x < 3 else 0]
"""


@pytest.mark.parametrize("name", ["pair", "chain", "inner", "twins"])
def test_lambdas_on_a_line_are_told_apart(load: Load, name: str) -> None:
    """In a list, in a chained call, one within another, with equal text."""
    for original in getattr(load(LAMBDAS), name):
        made = ag.to_graph(original)
        for x in (-2, 1, 2, 3):
            assert made(x) == original(x)


def test_carets_stand_below_the_lambda_that_failed(load: Load) -> None:
    """Of two lambdas with equal text on one line."""
    module = load(LAMBDAS)
    for original in module.twins:
        plain = error_of(original, 0)
        check_traceback(error_of(ag.to_graph(original), 0), plain, str(module.__file__))
