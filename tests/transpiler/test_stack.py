# ruff: noqa: F841, RET503 - the functions are what is tried

from __future__ import annotations

import gc
import inspect
import re
import subprocess
import sys
import threading
import warnings
import weakref
from pathlib import Path

import pytest

import autograph_rs as ag

OURS = {"autograph_rs", __name__.partition(".")[0]}
"""The packages whose frames are looked at: a collection of garbage may call anyone's code at any time."""


def same(f, *args) -> None:
    assert ag.to_graph(f)(*args) == f(*args)


def test_caller_seen_from_a_branch():
    def caller_name():
        return sys._getframe(1).f_code.co_name, sys._getframe(2).f_code.co_name

    def inner(x):
        if x > 0:
            return caller_name()

    def outer(x):
        if x > 0:
            return inner(x)

    assert outer(1) == ("inner", "outer")
    assert ag.to_graph(outer)(1) == ("inner", "outer")


def test_frames_counted_in_branches_loops_and_operands():
    """Frames of operators and closures do not count, whatever asks, and from wherever."""

    def names():
        for _ in range(1):
            if sys:
                frames = (
                    inspect.currentframe(),
                    sys._getframe(0),
                    sys._getframe(1),
                    sys._getframe(2),
                    sys._getframe(3),
                )
                return [frame.f_code.co_name for frame in frames]

    def operand(x):
        return x and (names() if x else None)

    def loop(x):
        while x:
            for _ in range(x):
                found = operand(x)
            x -= 1
        return found

    class Branch:
        def method(self, x):
            if x > 0:
                return loop(x)

    def outer(x):
        return Branch().method(x) if x else None

    assert outer(1) == ["names", "names", "operand", "loop", "method"]
    same(outer, 1)


def test_callers_one_after_another():
    """`f_back` passes over frames of operators and closures; of anything else it is the attribute."""

    def names(x):
        found, frame = [], inspect.currentframe()
        while frame and len(found) < x:
            found.append(frame.f_code.co_name)
            frame = frame.f_back
        return found

    def middle(x):
        for _ in range(1):
            if x > 0:
                return x and names(x)

    def outer(x):
        return middle(x) if x else None

    class Linked:
        f_back = "linked"

    def other(x):
        return (Linked() if x else None).f_back

    assert ag.to_graph(outer)(3) == ["names", "middle", "outer"]
    same(outer, 3)
    same(other, 1)
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'f_back'"):
        ag.to_graph(other)(0)


def test_locals_of_a_frame_asked_for_in_a_branch():
    def f(x):
        y = 2
        if x > 0:
            return inspect.currentframe().f_locals["y"], sys._getframe().f_locals["x"]

    same(f, 1)


def test_frames_that_are_not_there():
    def deep(x):
        if x > 0:
            return sys._getframe(x)

    def wrong(x):
        if x > 0:
            return sys._getframe(x, x)

    for f, x in ((deep, 10**6), (deep, 0.5), (wrong, 1)):
        with pytest.raises((ValueError, TypeError)) as plain:
            f(x)
        with pytest.raises(plain.type, match=f"^{re.escape(str(plain.value))}$"):
            ag.to_graph(f)(x)


@pytest.mark.parametrize("level", [-1, 0, 1, 2, 3, 4, 1000])
@pytest.mark.parametrize("positional", [False, True])
def test_stacklevel_of_warnings(level: int, positional: bool):
    def warn(x):
        for _ in range(1):
            if x > 0:
                if positional:
                    warnings.warn("told", UserWarning, level)
                else:
                    warnings.warn("told", stacklevel=level)

    def inner(x):
        if x > 0:
            warn(x)

    def caller(x):
        if x > 0:
            return x and [inner(x)]

    def place(f) -> tuple:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            f(1)
        return caught[0].filename, caught[0].lineno

    assert place(ag.to_graph(caller)) == place(caller)


def test_stacklevel_of_encodings(tmp_path: Path):
    """A call without an encoding is warned about at its own line."""
    script = tmp_path / "script.py"
    script.write_text(
        "import io, autograph_rs as ag\n"
        "def opened(x, encoding=None):\n"
        "    if x:\n"
        "        return io.text_encoding(encoding)\n"
        "def caller(x):\n"
        "    return x and opened(x)\n"
        "print(ag.to_graph(caller)(1))\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-X", "warn_default_encoding", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True, timeout=300)
    assert done.stdout == "locale\n"
    assert [line for line in done.stderr.splitlines() if "EncodingWarning" in line] == [
        f"{script}:6: EncodingWarning: 'encoding' argument not specified"
    ]


def test_what_asks_for_frames_keeps_nothing():
    """The arguments of a call are released when it ends."""

    class Source:
        pass

    def f(x):
        if x:
            warnings.warn("told", ResourceWarning, 2, x)
            return sys._getframe(1).f_lineno, inspect.currentframe().f_back.f_lineno

    source = Source()
    alive = weakref.ref(source)
    gc.disable()
    try:
        with warnings.catch_warnings(action="ignore"):
            ag.to_graph(f)(source)
        del source
        assert alive() is None
    finally:
        gc.enable()


def test_a_warning_that_is_an_error():
    def f(x):
        if x > 0:
            warnings.warn("told", stacklevel=2)

    with pytest.raises(UserWarning, match="told") as raised:
        ag.to_graph(f)(1)
    assert [place.name for place in raised.traceback][-1] == "f"


def test_tracers():
    """One that converted code sets is told of no frame of ours, and is the one that is found again."""

    def describe(x):
        calls = []

        def tracer(frame, event, arg):
            if event == "call" and frame.f_globals["__name__"].partition(".")[0] in OURS:
                calls.append(frame.f_code.co_name)
            return tracer

        before = sys.gettrace()
        if x:
            sys.settrace(tracer)
            found = sys.gettrace() is tracer
            sorted([2, 1], key=lambda item: -item)
            sys.settrace(before)
        return calls, found

    def traced(f) -> list:
        """In a thread of its own: this one may have a tracer that must stay."""
        out = []
        thread = threading.Thread(target=lambda: out.append(f(1)))
        thread.start()
        thread.join()
        return out

    assert traced(describe) == [(["<lambda>", "<lambda>"], True)]
    assert traced(ag.to_graph(describe)) == traced(describe)
