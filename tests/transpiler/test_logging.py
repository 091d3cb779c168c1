"""Log messages about conversions, calls and traces, and their levels."""

from __future__ import annotations

import io
import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import autograph_rs as ag
from autograph_rs.runtime.debugging import loggers
from autograph_rs.runtime.debugging.loggers import CODE, ROOT


@pytest.fixture(autouse=True)
def _quiet():
    handlers, level = list(ROOT.handlers), ROOT.level
    yield
    ROOT.handlers[:] = handlers
    ROOT.setLevel(level)


def helper(x):
    json.dumps(1)
    return x * 2 if x > 0 else x


def make():
    def f(x, n=1):
        return helper(x) + n

    f.__code__ = f.__code__.replace()  # which has not been converted as yet
    return f


def lines(caplog, logger):
    return [r.getMessage() for r in caplog.records if r.name == f"autograph_rs.{logger}"]


def test_nothing_by_default(caplog, capfd):
    assert ROOT.level == logging.NOTSET
    ag.function(make())(np.float64(1))
    assert caplog.records == []
    assert capfd.readouterr() == ("", "")


def test_loggers_are_documented():
    """docs/logging.md names each logger below `autograph_rs`."""
    page = (Path(__file__).parents[2] / "docs" / "logging.md").read_text(encoding="utf-8")
    names = {v.name for v in vars(loggers).values() if isinstance(v, logging.Logger) and v is not ROOT}
    assert names == {f"autograph_rs.{n}" for n in ("convert", "calls", "trace", "backends", "native")}
    assert {name for name in names if f"`{name}`" not in page} == set()


def test_conversions_and_traces(caplog):
    caplog.set_level(logging.INFO, "autograph_rs")
    f = ag.function(make())
    f(np.float64(1))
    f(np.float64(2))
    f(np.float32(2))
    f(np.float32(2), 5)
    [converted] = [line for line in lines(caplog, "convert") if "make.<locals>.f" in line]
    place = make().__code__
    assert converted.startswith(
        f"converted 'make.<locals>.f' ({place.co_filename}:{place.co_firstlineno}) in "
    )
    first, second, third = lines(caplog, "trace")
    assert first.startswith("traced f(x: float64[]) -> float64[] in ")
    assert second.endswith(" ms, retraced: x was float64[], is now float32[]")
    assert third.endswith(" ms, retraced: the structure of its arguments differs")
    assert lines(caplog, "calls") == []


def test_calls_and_their_rules(caplog):
    caplog.set_level(logging.DEBUG, "autograph_rs")
    fresh = ag.Transpiler(rules={helper: True}, exclude=("json",), name="other")
    fresh.to_graph(make())(1.0)
    ag.Transpiler(recursive=False).to_graph(make())(1.0)
    ag.Transpiler(include=(__name__,)).to_graph(make())(1.0)
    ag.Transpiler().to_graph(make())(1.0)
    describe = [line.partition(") ")[2] for line in lines(caplog, "calls")]
    assert describe == [
        "is converted: a user rule decides",
        "is left unconverted: module json is excluded",
        "is left unconverted: conversion is not recursive",
        f"is converted: module {__name__} is included",
        "is left unconverted: it belongs to the standard library",
        "is converted: it is user code",
        "is left unconverted: it belongs to the standard library",
    ]


def test_function_without_source(caplog):
    caplog.set_level(logging.DEBUG, "autograph_rs")
    made = {}
    exec("def hidden(x): return x", made)

    def calls(x):
        return made["hidden"](x)

    assert ag.to_graph(calls)(3) == 3
    [line] = [line for line in lines(caplog, "calls") if "hidden" in line]
    assert line.endswith("is left unconverted: its source is not available")


def test_code_and_graphs(caplog):
    caplog.set_level(CODE, "autograph_rs")
    f = make()
    ag.function(f)(np.float64(1))
    assert ag.to_code(f).strip() in "\n".join(lines(caplog, "convert"))
    assert "%1 = constant 0" in "\n".join(lines(caplog, "trace"))


def test_nothing_is_made_that_is_not_told(caplog, monkeypatch):
    """The text of code, graphs and rules is made where it is asked for only."""
    from autograph_rs.functions import retracing
    from autograph_rs.logging import messages

    def refuse(*_):
        raise AssertionError

    monkeypatch.setattr(messages, "_name", refuse)
    monkeypatch.setattr(retracing, "format_key", refuse)
    ag.function(make())(np.float64(1))
    ag.function(make())(np.float32(1))
    assert caplog.records == []


def test_set_verbosity(capsys, monkeypatch):
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    shown = {}
    for level in (0, 1, 2, 3, 10):
        ag.set_verbosity(level)
        ag.Transpiler().to_graph(make())(1.0)
        out, err = capsys.readouterr()
        assert out == ""
        shown[level] = {line.split(":")[0] for line in err.splitlines() if line.startswith("autograph_rs")}
        assert ("def ag__" in err) == (level >= 3)
    assert shown == {
        0: set(),
        1: {"autograph_rs.convert"},
        2: {"autograph_rs.convert", "autograph_rs.calls"},
        3: {"autograph_rs.convert", "autograph_rs.calls"},
        10: {"autograph_rs.convert", "autograph_rs.calls"},
    }


def test_set_verbosity_twice(capsys, monkeypatch):
    """A handler is there once, and gone with verbosity 0."""
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    for _ in range(3):
        ag.set_verbosity(1, alsologtostdout=True)
    ag.to_graph(make())
    out, err = capsys.readouterr()
    assert out == err
    assert len(out.splitlines()) == 1
    ag.set_verbosity(0, alsologtostdout=True)
    ag.to_graph(make())
    assert capsys.readouterr() == ("", "")
    assert [type(h) for h in ROOT.handlers] == [logging.NullHandler]


def test_handlers_of_the_program(capsys, caplog):
    """Messages that the program's own handlers show are not shown twice."""
    ag.set_verbosity(1)
    ag.to_graph(make())
    assert len(caplog.records) == 1
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("level", [-1, 11, "1", 1.0, True, None])
def test_bad_verbosity(level):
    with pytest.raises(
        ag.OptionError, match=r"(?s)is not a verbosity level\n.*fix: pass an integer from 0 to 10"
    ):
        ag.set_verbosity(level)


PROGRAM = """
import autograph_rs as ag
def f(x):
    return x
ag.to_graph(f)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("value", "expected"),
    [("", False), ("0", False), ("off", False), ("1", True), ("info", True), ("DEBUG", True), ("code", True)],
)
def test_environment(tmp_path, value, expected):
    (tmp_path / "program.py").write_text(PROGRAM)
    done = start(tmp_path, value)
    assert done.stdout == ""
    assert ("autograph_rs.convert: converted 'f'" in done.stderr) == expected
    assert ("return x" in done.stderr) == (value == "code")


@pytest.mark.parametrize("value", ["loud", "-1", "11", "1.5"])
def test_bad_environment(tmp_path, value):
    (tmp_path / "program.py").write_text(PROGRAM)
    [line, text] = start(tmp_path, value).stderr.splitlines()
    expected = (
        f"AUTOGRAPH_RS_LOG must be one of off, info, debug, code, or a number from 0 to 10, got {value!r}"
    )
    assert line == f"{tmp_path / 'program.py'}:2: RuntimeWarning: {expected}"
    assert text.strip() == "import autograph_rs as ag"


def start(folder, value):
    environ = os.environ | {"AUTOGRAPH_RS_LOG": value, "PYTHONPATH": os.path.dirname(ag.__path__[0])}
    command = [sys.executable, str(folder / "program.py")]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0
    return done


def test_handlers_of_the_logger(capsys, monkeypatch):
    """A program may give the package's own logger a handler; with a logger that passes on nothing, too."""
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    written = io.StringIO()
    ROOT.addHandler(logging.StreamHandler(written))
    ag.set_verbosity(1)
    ag.to_graph(make())
    assert written.getvalue().count("converted") == 1
    assert capsys.readouterr() == ("", "")


def test_a_logger_that_passes_on_nothing(capsys, caplog, monkeypatch):
    """Messages that do not reach the program's handlers are written."""
    monkeypatch.setattr(ROOT, "propagate", False)
    ag.set_verbosity(1)
    ag.to_graph(make())
    assert caplog.records == []
    assert capsys.readouterr().err.count("converted") == 1
