"""Whether a program does the same converted as unconverted.

A program is compiled once. For each tuple of arguments it is run twice, each time with fresh globals:
its `f`, and what `to_graph` makes of that. Value, error and the errors before it, line of the error,
stdout, trace, arguments and globals afterwards must be the same.
"""

from __future__ import annotations

import ast
import contextlib
import io
import itertools
import linecache
import re
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from cases_support import check_staged
from round_trip import check_round_trip

import autograph_rs as ag
from autograph_rs.testing.harness import run

from . import world

INPUTS = ((0, 0), (1, 2), (3, 1))
STAGED_INPUTS = [
    (np.int64(n), np.int64(k), np.float64(x), np.float64(y), np.array(xs), np.array(ks), np.bool_(flag))
    for n, k, x, y, xs, ks, flag in (
        (0, 1, 0.5, -1.5, [1.0, -0.5, 2.5], [3, 0, 1], False),
        (3, 2, -2.25, 0.0, [0.5, 0.25, -4.0], [1, 2, 5], True),
        (-2, 5, 3.5, 7.0, [0.0, -1.0, 9.5], [0, -3, 2], True),
        (7, 0, 0.0, 1.25, [2.0, 2.0, 2.0], [4, 4, -1], False),
    )
]
_numbers = itertools.count()


class Difference(AssertionError):
    """A program does not do the same; `kind` says in what way."""

    def __init__(self, message: str, kind: object):
        super().__init__(message)
        self.kind = kind


@contextlib.contextmanager
def compiled(text: str) -> Iterator[types.CodeType]:
    """The code of a program, whose source can be found as long as it is compared."""
    filename = f"<program {next(_numbers)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            yield compile(text, filename, "exec")
    finally:
        del linecache.cache[filename]


def check_printed(text: str, code: types.CodeType, names: dict[str, Any]) -> None:
    """The tree of a program, and that of its converted `f`, mean the same however they are printed."""
    exec(code, names)
    check_round_trip(ast.parse(text))
    check_round_trip(ast.parse(ag.to_code(names["f"])))


def is_program(text: str) -> bool:
    """Return whether Python compiles a text: a generated one may bind a name where that is not allowed."""
    try:
        with compiled(text):
            return True
    except SyntaxError:
        return False


def check_plain_program(text: str) -> list[str]:
    with compiled(text) as code:
        check_printed(text, code, {"__name__": "program", **world.NAMES})
        for arguments in INPUTS:
            expected = outcome(code, lambda f: f, arguments)
            actual = outcome(code, ag.to_graph, arguments)
            if expected["line"] is None:  # Python itself has lost it
                actual["line"] = None
            if any(actual[key] != expected[key] for key in expected if key != "raised"):
                report(arguments, actual, expected)
    return []


def check_staged_program(text: str, engine: str = "numpy") -> list[str]:
    """Compare one `ag.function` with plain Python on each input; what it was refused for, if it was."""
    with compiled(text) as code:
        names = {"__name__": "program", **world.STAGED_NAMES}
        check_printed(text, code, names)
        function = names["f"]
        staged = ag.function(function, engine=engine)
        for arguments in STAGED_INPUTS:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected, actual = run(function, arguments), run(staged, arguments)
            if isinstance(actual.error, ag.AutographError):
                return [f"{type(actual.error).__name__}: {actual.error}"]
            if any("has not run: add 'except" in note for note in getattr(actual.error, "__notes__", ())):
                return ["an error says that a 'finally' has not run"]
            try:
                check_staged(actual, expected)
            except AssertionError as error:
                kind = type(actual.error), type(expected.error), str(error).partition(":")[0]
                raise Difference(f"f{arguments!r}\n{error}", kind) from None
    return []


def report(arguments: tuple, actual: dict, expected: dict) -> None:
    rows = [
        f"{key}\n  converted: {actual[key]}\n  plain:     {expected[key]}"
        for key in expected
        if key != "raised" and actual[key] != expected[key]
    ]
    kind = [rows[0].partition("\n")[0], *(type(o["raised"]) for o in (actual, expected))]
    raise Difference(f"f{arguments!r}\n" + "\n".join(rows), kind)


def outcome(code: types.CodeType, convert: Callable[[Any], Any], arguments: tuple) -> dict[str, Any]:
    """All that one call does, as text."""
    names = {"__name__": "program", **world.NAMES}
    world.TRACE.clear()
    value = error = None
    with contextlib.redirect_stdout(io.StringIO()) as stdout:
        exec(code, names)
        function = convert(names["f"])
        try:
            value = function(*arguments)
        except BaseException as caught:
            error = caught
    return {
        "raised": error,
        "value": shown(value),
        "error": described(error),
        "line": line_of(error, code.co_filename),
        "stdout": stdout.getvalue(),
        "trace": list(world.TRACE),
        "globals": shown(names.get("G")),
    }


def shown(value: Any) -> str:
    return re.sub(r"0x[0-9a-f]+", "0x", repr(value))


def described(error: BaseException | None) -> list[str]:
    """An error and those that its traceback shows before it."""
    if error is None:
        return []
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return [shown(error), *described(before)]


def line_of(error: BaseException | None, filename: str) -> int | None:
    """The line of the program in which an error was raised, if Python knows it.

    CPython 3.11 forgets it in `except*`, and where a variable is unbound: it joins two instructions into one.
    """
    line = None
    if isinstance(error, UnboundLocalError):
        return line
    place = error.__traceback__ if error is not None else None
    while place is not None:
        if place.tb_frame.f_code.co_filename == filename:
            line = place.tb_lineno
        place = place.tb_next
    return line
