"""Checks of the frames that a traceback shows and hides, on every backend."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from failing import DEFERRED, FILE, RUN, TRACED, Failing

ROOMS = ("autograph_rs", "autograph_rs.converters", "autograph_rs.runtime")
OURS = tuple(f"{Path(str(importlib.import_module(room).__file__)).parent}{os.sep}" for room in ROOMS)
Run = Callable[[Callable[..., Any]], Any]


def by_name(failing: Failing) -> str:
    return failing.program.__name__


TRACED_ONES = pytest.mark.parametrize("failing", TRACED, ids=by_name)
DEFERRED_ONES = pytest.mark.parametrize("failing", DEFERRED, ids=by_name)
RUN_ONES = pytest.mark.parametrize("failing", RUN, ids=by_name)
LATE_ONES = pytest.mark.parametrize("failing", RUN + DEFERRED, ids=by_name)


def error_of(run: Run, program: Callable[..., Any]) -> BaseException:
    """The error that ends a program, and that nobody has changed since."""
    try:
        run(program)
    except Exception as error:
        return error
    raise AssertionError("it did not fail")


def text_of(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))


def user_lines(error: BaseException) -> list[int]:
    return [f.lineno or 0 for f in traceback.extract_tb(error.__traceback__) if f.filename == FILE]


def lines_of_plain_run(program: Callable[..., Any]) -> list[int]:
    """Return the lines at which the unconverted program fails, if it does."""
    try:
        program(2.0)
    except Exception as error:
        return user_lines(error)
    return []


def shown_with(error: BaseException) -> Iterator[BaseException]:
    """The cause or context and the members of an error, and theirs."""
    context = None if error.__suppress_context__ else error.__context__
    own = [error.__cause__ or context, *getattr(error, "exceptions", ())]
    for other in filter(None, own):
        yield other
        yield from shown_with(other)


def no_frame_of_ours(error: BaseException) -> None:
    text = text_of(error)
    assert not [line for line in text.splitlines() if any(folder in line for folder in OURS)]


def describe(error: BaseException) -> str:
    """Return the description of an error whose traceback is not shown."""
    return "\n".join([str(error), *getattr(error, "__notes__", ())])


def check_traced(run: Run, failing: Failing, *, keeps_context: bool = True) -> BaseException:
    """It is raised while it is traced, as what it is, with the user's frames and none of ours."""
    error = error_of(run, failing.program)
    no_frame_of_ours(error)
    assert isinstance(error, failing.kind)
    if failing.args is not None:
        assert error.args == failing.args
    lines = user_lines(error)
    assert [line for line in failing.lines if line in lines] == list(dict.fromkeys(lines))
    assert set(lines) >= set(lines_of_plain_run(failing.program))
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f'File "{FILE}", line {failing.lines[-1]}'
    assert last.filename == FILE or describe(error).count(place) == 1
    if keeps_context:
        kinds = [type(other) for other in shown_with(error)]
        assert [kind for kind in failing.members if kind not in kinds] == []
    return error


def check_run(error: BaseException, failing: Failing) -> None:
    """A system that has errors of its own tells the user's type, text and line in them, once."""
    no_frame_of_ours(error)
    message = str(error)
    assert f"{failing.kind.__name__}: " in message
    text = str(failing.kind(*failing.args)) if failing.args else "cannot access local variable 'y'"
    assert text in message
    line = failing.lines[-1]
    assert f'File "{FILE}", line {line}, in ' in message or f"raised at {FILE}:{line}]" in message


def full(code: str) -> str:
    """Return the output of a process that keeps every frame."""
    path = os.pathsep.join([os.path.dirname(__file__), *filter(None, sys.path)])
    environ = {"AUTOGRAPH_RS_TRACEBACK": "full", "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": path}
    made = subprocess.run(
        [sys.executable, "-c", code], check=False, timeout=300, capture_output=True, text=True,
        env=os.environ | environ,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    return made.stdout


PRINTED = """
import sys, traceback
import failing
import autograph_rs as ag
{imports}
try:
    {call}
except Exception as error:
    traceback.print_exception(error, file=sys.stdout)
"""


def keeps_frames(imports: str, call: str) -> None:
    """With every frame kept, ours are between the user's."""
    text = full(PRINTED.format(imports=imports, call=call))
    assert "NameError: name 'undefined_name' is not defined" in text
    files = [line for line in text.splitlines() if line.startswith("  File ")]
    ours = [line for line in files if any(folder in line for folder in OURS)]
    assert any("conditions.py" in line for line in ours)
    assert FILE in files[-1]
