"""Where the text of a function may be, and what to do where there is none.

Most texts are had from `linecache`: files, modules in archives, cells of notebooks, doctests, the prompt of
Python 3.13. What is given here may be the text of other code under the same name; whether a function was
compiled from it is for `source` to see.
"""

from __future__ import annotations

import linecache
import os
import re
import sys
import types
from collections.abc import Iterator
from typing import Any

from autograph_rs.runtime.errors import ArgumentError, told

_GIVEN = "or give its text: ag.convert(f, source=text)"
_TIMED = {"<timed exec>", "<timed eval>"}  # where IPython runs what %%time and %time are given


def checked_text(text: str | None) -> str | None:
    """A text that is given for a function, if one is.

    Raises:
        ArgumentError: it is none.
    """
    if text is None or isinstance(text, str):
        return text
    raise ArgumentError(
        f"source= is the text of a function, not {told(text)}",
        why="it is read in the place of the function's file",
        remedy="give the text, such as that of a file: pathlib.Path(file).read_text()",
    )


def texts_of(function: types.FunctionType) -> Iterator[str]:
    """The texts that a function's code may have been compiled from."""
    filename = function.__code__.co_filename
    text = _kept(function)
    if text:
        yield text
    if filename == "<string>":
        yield from _command()
    elif filename in _TIMED:
        yield from _timed()


_brought: dict[str, Any] = {}
"""What is in `linecache` on our account, by the names of files."""


def forget(filename: str) -> None:
    """Let go of the lines of a file that nobody else has asked for."""
    brought = _brought.pop(filename, None)
    if brought is not None and linecache.cache.get(filename) is brought:
        del linecache.cache[filename]


def _kept(function: types.FunctionType, filename: str | None = None) -> str:
    """The text of a function's file, or of another one, as it is now; none where it cannot be read."""
    filename = filename or function.__code__.co_filename
    is_known = filename in linecache.cache
    try:
        linecache.checkcache(filename)
        lines = linecache.getlines(filename, function.__globals__)
    except ValueError:  # no file can have such a name
        return ""
    if not is_known and filename in linecache.cache:
        _brought[filename] = linecache.cache[filename]
    return "".join(lines)


def _command() -> Iterator[str]:
    """The text of `python -c`, which Python keeps in linecache itself from 3.13 on."""
    arguments = iter(sys.orig_argv[1:])
    for argument in arguments:
        found = re.fullmatch("-[^-cmWX]*([cmWX]?)(.*)", argument, re.DOTALL)
        if found is None or found[1] == "m":
            return
        if found[1] == "c":
            yield found[2] or next(arguments, "")
            return
        if found[1] and not found[2]:  # -W and -X take the next one
            next(arguments, None)


def _timed() -> Iterator[str]:
    """What %%time and %time of IPython were given, the latest first."""
    ipython: Any = sys.modules.get("IPython")
    shell = ipython and ipython.get_ipython()
    for cell in reversed(shell.history_manager.input_hist_raw if shell else ()):
        head, _, body = cell.partition("\n")
        if head.startswith("%%time"):
            yield shell.transform_cell(body)
        yield from re.findall(r"^%time\s+(.*)", cell, re.MULTILINE)


def is_kept(function: types.FunctionType) -> bool:
    """Whether a function's file is there, or was: a module's text is had for what it made by exec too."""
    filename = function.__code__.co_filename
    own = str(function.__globals__.get("__file__"))
    if not is_file(filename):
        return False
    return _exists(filename) or _stem(filename) == _stem(own) or _kept(function) != _kept(function, own)


def _stem(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0]


def is_file(filename: str) -> bool:
    """Whether a name is that of a file, or else one such as <string>, which many texts may have."""
    return not (filename.startswith("<") and filename.endswith(">"))


def reason(function: types.FunctionType) -> tuple[str, str]:
    """Why a function has no text, and what to do."""
    filename = function.__code__.co_filename
    if filename in {"<stdin>", "<console>"}:
        why = "what is typed at a prompt, or read from standard input, is kept nowhere"
        return why, f"define it in a file, use IPython or the prompt of Python 3.13, {_GIVEN}"
    if filename in _TIMED or filename.startswith("<magic-"):
        why = "what a magic such as %%timeit runs is kept nowhere"
        return why, f"define it in a cell without that magic, {_GIVEN}"
    if not is_file(filename):
        if hasattr(function, "__wrapped__"):
            why = "a decorator made it by exec, which keeps no text"
            return (
                why,
                "write it above the decorator of autograph_rs, which is then given the function itself",
            )
        why = "it was made by exec, eval or compile, which keep no text"
        return why, f"define it in a file, {_GIVEN}"
    if _exists(filename):
        return "there is something of that name, but no text to read", f"put the file where it was, {_GIVEN}"
    ahead = f"convert the module ahead of time with `autograph-rs convert`, {_GIVEN}"
    if getattr(sys, "frozen", False):
        return "the program is frozen, and its text is not in it", ahead
    own = str(function.__globals__.get("__file__"))
    cached = str(function.__globals__.get("__cached__") or own)
    if cached.endswith(".pyc") and _exists(cached) and _stem(filename) == _stem(own):
        return f"only compiled code is there: {cached}", f"put the .py file where it was, {ahead}"
    why = "there is no such file here: it was moved or deleted, or the function comes from another process"
    remedy = "put the file where it was, import the function from a module, pickle ag.convert(f) in its place"
    return why, f"{remedy}, {_GIVEN}"


def _exists(filename: str) -> bool:
    try:
        return os.path.exists(filename)
    except ValueError:  # no file can have such a name
        return False
