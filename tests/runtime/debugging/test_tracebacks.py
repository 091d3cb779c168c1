"""Tracebacks of converted code show the user's frames at the user's lines, and none of ours."""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import logging
import os
import re
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from backends.support import required
from rich.console import Console
from rich.traceback import Traceback

import autograph_rs as ag
from autograph_rs import converters, runtime
from autograph_rs.runtime.debugging import tracebacks
from autograph_rs.runtime.debugging.positions import position_at
from autograph_rs.runtime.debugging.tracebacks import error_position, make_raiser, strip_internal_frames

ROOMS = [f"{Path(str(room.__file__)).parent}{os.sep}" for room in (ag, converters, runtime)]
LINE = 'x = x + int("none")  # staged'


def staged(x):
    if x > 0:
        x = x + int("none")  # staged
    return x


def no_frame_of_ours(text: str) -> None:
    assert [line for line in text.splitlines() for room in ROOMS if room in line] == []


def error_of(function: Callable[..., Any], *args: Any) -> BaseException:
    """Return the error that a call raises, as the caller sees it."""
    try:
        function(*args)
    except Exception as error:
        return error
    raise AssertionError("it did not fail")


def functions_of(error: BaseException) -> list[str]:
    return [frame.name for frame in traceback.extract_tb(error.__traceback__)[1:]]


def ours(text: str, **names: Any) -> None:
    """Run code of ours."""
    exec(compile(text, tracebacks.__file__, "exec"), names | {"__name__": tracebacks.__name__})


def raises(*_: Any) -> None:
    raise ValueError("raised")


# What is stripped --------------------------------------------------------------------------------

X = np.float64(1)
WAYS: dict[str, Callable[[Any], Any]] = {
    "function": lambda f: ag.function(f)(X),
    "get_concrete_function": lambda f: ag.function(f).get_concrete_function(X)(X),
    "get_concrete_function of a method": lambda f: method(f).get_concrete_function(X)(X),
    "convert in function": lambda f: ag.function(ag.convert(f))(X),
    "to_graph in function": lambda f: ag.function(ag.to_graph(f))(X),
    "convert": lambda f: ag.convert(f)(1.0),
    "to_graph": lambda f: ag.to_graph(f)(1.0),
    "method": lambda f: method(f)(X),
}


def method(f):
    class Model:
        @ag.function
        def call(self, x):
            return f(x)

    return Model().call


@pytest.mark.parametrize("way", WAYS)
def test_no_frame_of_ours_on_any_road(way: str) -> None:
    error = error_of(WAYS[way], staged)
    assert type(error) is ValueError
    no_frame_of_ours("".join(traceback.format_exception(error)))
    last = traceback.extract_tb(error.__traceback__)[-1]
    assert (last.filename, last.line) == (__file__, LINE)


def test_a_text_that_cannot_be_made() -> None:
    class Unprintable:
        def __repr__(self):
            raise ValueError("no text")

    def f(x):
        return f"{x!r}"

    assert functions_of(error_of(ag.to_graph(f), Unprintable())) == ["f", "__repr__"]


def test_an_error_of_conversion_in_a_call() -> None:
    """A function whose source is not available is met when it is called; the search for it is not shown."""
    names: dict[str, Any] = {}
    exec(compile("def hidden(x):\n    if x: return x\n", __file__, "exec"), names)

    def f(x):
        return names["hidden"](x)

    error = error_of(ag.to_graph(f), 1)
    assert isinstance(error, ag.ConversionError)
    assert functions_of(error) == ["f"]
    no_frame_of_ours("".join(traceback.format_exception(error)))
    assert not isinstance(error.__context__, KeyError)


def test_what_we_alone_have_caught_is_no_context() -> None:
    """An error that code of ours raised and caught says nothing to a user; what the user's code saw stays."""

    def fails() -> None:
        try:
            raises()
        except ValueError:
            ours("try:\n    {}['inner']\nexcept KeyError:\n    raise TypeError('of ours')")

    error = error_of(fails)
    assert type(error.__context__) is KeyError
    strip_internal_frames(error)
    assert functions_of(error) == ["fails", "ours"]
    assert error.__context__ is not None
    assert type(error.__context__) is ValueError
    assert functions_of(error.__context__) == ["raises"]


def test_causes_contexts_and_members_of_groups() -> None:
    """Each keeps its place in what is shown, also where errors refer to each other in a circle."""
    first, second = (error_of(lambda: ours("function()", function=raises)) for _ in range(2))
    first.__context__, second.__cause__ = second, first
    group = ExceptionGroup("both", [first, ExceptionGroup("inner", [second])])
    before = "".join(traceback.format_exception(group))
    assert tracebacks.__file__ in before
    strip_internal_frames(group)
    no_frame_of_ours("".join(traceback.format_exception(group)))
    assert (first.__context__, second.__cause__) == (second, first)
    for error in (first, second):
        assert functions_of(error) == ["<lambda>", "ours", "raises"]


def test_a_library_that_calls_the_user_is_shown_and_one_that_calls_us_is_not() -> None:
    text = "loads('{}', object_hook=lambda _: function())"
    error = error_of(lambda: ours(text, loads=json.loads, function=raises))
    assert functions_of(error)[3:6] == ["loads", "decode", "raw_decode"]
    strip_internal_frames(error)
    assert functions_of(error) == ["<lambda>", "ours", "raises"]
    error = error_of(lambda: json.loads("{}", object_hook=raises))
    strip_internal_frames(error)
    assert functions_of(error) == ["<lambda>", "loads", "decode", "raw_decode", "raises"]


@dataclass(frozen=True)
class Frozen(Exception):
    code: int


@pytest.mark.parametrize("way", [way for way in WAYS if not way.startswith("get_")])
def test_an_exception_that_is_a_frozen_dataclass(way: str) -> None:
    """None of its attributes can be set in the ordinary way."""

    def f(x):
        if x > 0:
            fails()
        return x

    def fails():
        raise Frozen(7)

    error = error_of(WAYS[way], f)
    assert (type(error), error.args, error.code) == (Frozen, (7,), 7)
    no_frame_of_ours("".join(traceback.format_exception(error)))


# Notes -------------------------------------------------------------------------------------------


def test_an_error_of_a_library_tells_the_line_that_was_staged_once() -> None:
    def f(x):
        if x > 0:
            for _ in range(2):
                x = x + json.loads("{")["a"]
        return x

    error = error_of(ag.function(f), X)
    assert isinstance(error, json.JSONDecodeError)
    [note] = error.__notes__
    assert note.splitlines() == [
        "while this was staged:",
        f'  File "{__file__}", line {f.__code__.co_firstlineno + 3}, in f',
        '    x = x + json.loads("{")["a"]',
        "            ^^^^^^^^^^^^^^^",
    ]
    assert not hasattr(error_of(ag.to_graph(f), 2.0), "__notes__")


@pytest.mark.parametrize("way", WAYS)
def test_an_error_of_the_users_code_gets_no_note(way: str) -> None:
    assert not hasattr(error_of(WAYS[way], staged), "__notes__")


def test_the_place_of_an_error_that_was_not_raised() -> None:
    frame = sys._getframe()
    place = error_position(ValueError(), frame)
    assert place is not None
    assert (place.file, place.function) == (__file__, frame.f_code.co_name)
    assert error_position(error_of(raises), frame) != place


def test_a_function_that_raises_at_a_place() -> None:
    place = position_at(raises.__code__, 0)._replace(line=1, end_line=1)
    made = make_raiser(lambda x: ValueError(x) if x else None, place)
    assert made(0) is None
    error = error_of(made, 5)
    assert error.args == (5,)
    last = traceback.extract_tb(error.__traceback__)[-1]
    assert (last.filename, last.lineno, last.name) == (__file__, 1, "raises")


# Where they are shown ----------------------------------------------------------------------------


def by_logging(f, *args):
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    logger = logging.getLogger("shown")
    logger.addHandler(handler)
    try:
        f(*args)
    except ValueError:
        logger.exception("it failed")
    finally:
        logger.removeHandler(handler)
    return stream.getvalue()


def by_traceback_exception(f, *args):
    made = traceback.TracebackException.from_exception(error_of(f, *args), capture_locals=True)
    return "".join(made.format())


def by_rich(f, *args):
    error = error_of(f, *args)
    console = Console(file=io.StringIO(), width=200)
    console.print(Traceback.from_exception(type(error), error, error.__traceback__, show_locals=True))
    return console.file.getvalue()


def by_a_thread(f, *args):
    stream = io.StringIO()
    thread = threading.Thread(target=f, args=args)
    with contextlib.redirect_stderr(stream):
        thread.start()
        thread.join()
    return stream.getvalue()


def by_ipython(f, *args):
    """As IPython shows it with `%xmode Verbose`."""
    shown = required("IPython.core.ultratb")
    error = error_of(f, *args)
    text = shown.VerboseTB().text(type(error), error, error.__traceback__)
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("shown", [by_logging, by_traceback_exception, by_rich, by_ipython, by_a_thread])
def test_what_shows_tracebacks(shown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "excepthook", threading.__excepthook__)
    text = shown(ag.function(staged), X)
    no_frame_of_ours(text)
    assert "invalid literal for int() with base 10: 'none'" in text
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    line = next(n for n, found in enumerate(lines, 1) if found.endswith(LINE))
    assert re.search(rf"test_tracebacks\.py(\", line |:){line}\b", text)


PROGRAM = """
import sys
import numpy as np
import autograph_rs as ag

def f(x):
    if x > 0:
        x = x.missing
    return x

def test_f():
    ag.function(f)(np.float64(1))

if __name__ == "__main__":
    test_f()
"""


def test_an_unknown_kind_of_traceback_is_warned_of() -> None:
    made = subprocess.run(
        [sys.executable, "-c", "import autograph_rs.runtime"], check=False, timeout=300, capture_output=True,
        text=True, env=os.environ | {
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "AUTOGRAPH_RS_TRACEBACK": "ful",
        },
    )  # fmt: skip
    assert made.returncode == 0
    ignored = "is ignored: the only supported value is 'full', which shows every frame"
    assert f"RuntimeWarning: AUTOGRAPH_RS_TRACEBACK='ful' {ignored}" in made.stderr


def test_a_frame_that_stands_for_a_users_has_no_arguments() -> None:
    """pytest would show them."""
    item = ag.function(lambda xs, i: xs[i])
    with pytest.raises(IndexError) as caught:
        item(np.ones(3), np.int64(7))
    assert not inspect.getargs(caught.tb.tb_next.tb_frame.f_code).varargs


@pytest.mark.slow
@pytest.mark.parametrize(
    "way", [["program.py"], ["-m", "pytest", "-q", "-p", "no:cacheprovider", "program.py"]]
)
@pytest.mark.parametrize("full", [False, True])
def test_what_python_and_pytest_print(way: list[str], full: bool, tmp_path: Path) -> None:
    """Without a hook of ours; the variable is read when the package is imported."""
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    made = subprocess.run(
        [sys.executable, *way], cwd=tmp_path, check=False, timeout=300, capture_output=True, text=True,
        env=os.environ | {
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "AUTOGRAPH_RS_TRACEBACK": "full" if full else "",
        },
    )  # fmt: skip
    text = made.stdout + made.stderr
    assert made.returncode == 1
    assert re.search("AttributeError: .* has no attribute 'missing'", text)
    assert re.search(r'program\.py(", line |:)8\b', text)
    assert ("conditions.py" in text) == full
    if not full:
        no_frame_of_ours(text)
