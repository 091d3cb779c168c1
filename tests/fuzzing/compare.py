"""Whether a program does the same converted as unconverted.

A program is compiled once. For each tuple of arguments it is run twice, each time with fresh globals:
its `f`, and what `to_graph` makes of that. Value, error and the errors before it, line of the error,
stdout, trace, arguments and globals afterwards must be the same.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import linecache
import re
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import autograph_rs as ag

from . import world

INPUTS = ((0, 0), (1, 2), (3, 1))
_numbers = itertools.count()


class Difference(AssertionError):
    """A program does not do the same."""


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


def check_plain_program(text: str) -> None:
    with compiled(text) as code:
        for arguments in INPUTS:
            expected = outcome(code, lambda f: f, arguments)
            actual = outcome(code, ag.to_graph, arguments)
            if actual != expected:
                report(text, arguments, actual, expected)


def report(text: str, arguments: tuple, actual: dict, expected: dict) -> None:
    rows = [
        f"{key}\n  converted: {actual[key]}\n  plain:     {expected[key]}"
        for key in expected
        if actual[key] != expected[key]
    ]
    raise Difference(f"f{arguments!r}\n" + "\n".join(rows))


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
    """The line of the program in which an error was raised."""
    line = None
    place = error.__traceback__ if error is not None else None
    while place is not None:
        if place.tb_frame.f_code.co_filename == filename:
            line = place.tb_lineno
        place = place.tb_next
    return line
