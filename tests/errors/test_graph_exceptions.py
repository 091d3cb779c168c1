"""On each run, a graph raises a new and complete exception, as Python would."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any, Self

import numpy as np
import pytest

import autograph_rs as ag


class Slotted(Exception):
    __slots__ = ("code",)

    def __init__(self, code: int):
        super().__init__("slotted")
        self.code = code


class Made(Exception):
    def __new__(cls, *, code: int) -> Self:
        return super().__new__(cls, code)

    def __init__(self, *, code: int):
        super().__init__(code)


MAKERS: dict[str, tuple[Callable[[], Exception], str]] = {
    "text": (lambda: UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"), "encoding object start end reason"),
    "value": (lambda: StopIteration(7), "value"),
    "syntax": (lambda: SyntaxError("no", ("f.py", 1, 2, "x y")), "msg filename lineno offset text"),
    "file": (lambda: OSError(2, "no such file", "a.txt"), "errno strerror filename"),
    "import": (lambda: ImportError("none", name="a", path="b"), "msg name path"),
    "name": (lambda: NameError("none", name="a"), "name"),
    "slots": (lambda: Slotted(3), "code"),
    "new": (lambda: Made(code=3), "args"),
}
X = np.float64(1)


def caught(f: Callable[..., Any], *args: Any) -> BaseException:
    try:
        f(*args)
    except Exception as error:
        return error
    raise AssertionError("it did not fail")


@pytest.mark.parametrize("name", MAKERS)
def test_what_init_sets_is_there(name: str) -> None:
    make, fields = MAKERS[name]

    def alone(x):
        if x > 0:
            raise make()
        return x

    def as_cause(x):
        if x > 0:
            try:
                raise make()
            except Exception as error:
                raise ValueError("x is", x) from error
        return x

    expected = make()
    graph = ag.function(as_cause)
    for error in (caught(ag.function(alone), X), caught(graph, X).__cause__, caught(graph, X).__cause__):
        assert (type(error), str(error)) == (type(expected), str(expected))
        for field in fields.split():
            assert getattr(error, field) == getattr(expected, field)
    assert ag.function(alone)(-X) == graph(-X) == -1


def chained(x):
    if x > 0:
        try:
            raise KeyError("inner")
        except KeyError as error:
            error.add_note("a note")
            raise ValueError("x is", x) from error
    return x


@pytest.mark.parametrize("way", [ag.to_graph, ag.function])
def test_a_cause_is_another_one_each_time(way: Any) -> None:
    """To raise it, or to add a note to it, does nothing to that of the next run."""
    f, seen = way(chained), []
    for _ in range(3):
        error = caught(f, X)
        cause = error.__cause__
        assert cause is not None
        assert cause is error.__context__
        assert cause.__notes__ == ["a note"]
        assert [frame.name for frame in traceback.extract_tb(cause.__traceback__)][-1] == "chained"
        before = len(traceback.extract_tb(cause.__traceback__))
        cause.add_note("another")
        with pytest.raises(KeyError):
            raise cause
        assert all(cause is not other and before == length for other, length in seen)
        seen.append((cause, before))


def test_a_cause_holds_text_in_the_place_of_staged_values() -> None:
    """The values are of the trace, which is over, and which the error must not keep."""

    def f(x):
        if x > 0:
            try:
                raise KeyError("inner", [x, 1])
            except KeyError as error:
                raise ValueError("x is", x) from error
        return x

    error = caught(ag.function(f), X)
    assert error.args == ("x is", X)
    assert error.__cause__ is not None
    assert error.__cause__.args == ("inner", ["<staged float64[]>", 1])
