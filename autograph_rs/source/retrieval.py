"""Retrieve the text that a function may have been compiled from, or explain why it is unavailable.

Most text comes from `linecache`: files, modules in archives, notebook cells, doctests, and the prompt of
Python 3.13. Several texts may share a file name, so `definitions` checks which one compiles to the function's
code.
"""

from __future__ import annotations

import linecache
import os
import re
import sys
import types
from collections.abc import Iterator
from typing import Any

from autograph_rs.runtime.errors import ArgumentError, describe

_SOURCE_ARGUMENT = "or pass its text: convert(f, source=text)"
_TIMED = {"<timed exec>", "<timed eval>"}  # the file names of code that IPython runs under %%time and %time


def checked_source(source: str | None) -> str | None:
    if source is None or isinstance(source, str):
        return source
    raise ArgumentError(
        f"source= must be the text of a function, not {describe(source)}",
        why="the conversion parses it instead of the function's file",
        remedy="pass the text, such as pathlib.Path(file).read_text()",
    )


def candidate_texts(function: types.FunctionType) -> Iterator[str]:
    """Yield the texts that a function may have been compiled from."""
    filename = function.__code__.co_filename
    text = _cached_text(function, filename)
    if text:
        yield text
    if filename == "<string>":
        yield from _command_line_text()
    elif filename in _TIMED:
        yield from _timed_cell_texts()


_own_cache_entries: dict[str, Any] = {}
"""The entries that this module added to `linecache`, by file name."""


def evict(filename: str) -> None:
    """Drop a file from `linecache` if this module put it there."""
    entry = _own_cache_entries.pop(filename, None)
    if entry is not None and linecache.cache.get(filename) is entry:
        linecache.cache.pop(filename, None)


def _cached_text(function: types.FunctionType, filename: str) -> str:
    """Return the current text of a file, or "" if it cannot be read."""
    was_cached = filename in linecache.cache
    try:
        linecache.checkcache(filename)
        lines = linecache.getlines(filename, function.__globals__)
    except ValueError:  # not a valid file name
        return ""
    entry = linecache.cache.get(filename)
    if not was_cached and entry is not None:
        _own_cache_entries[filename] = entry
    return "".join(lines)


def _command_line_text() -> Iterator[str]:
    """Yield the code that was passed to `python -c`. Since 3.13, Python itself adds it to `linecache`."""
    arguments = iter(sys.orig_argv[1:])
    for argument in arguments:
        option = re.fullmatch("-[^-cmWX]*([cmWX]?)(.*)", argument, re.DOTALL)
        if option is None or option[1] == "m":
            return
        if option[1] == "c":
            yield option[2] or next(arguments, "")
            return
        if option[1] and not option[2]:  # the value of -W or -X is the next argument
            next(arguments, None)


def _timed_cell_texts() -> Iterator[str]:
    """Yield the code that IPython ran under %%time and %time, latest first."""
    ipython: Any = sys.modules.get("IPython")
    shell = ipython and ipython.get_ipython()
    for cell in reversed(shell.history_manager.input_hist_raw if shell else ()):
        head, _, body = cell.partition("\n")
        if head.startswith("%%time"):
            yield shell.transform_cell(body)
        yield from re.findall(r"^%time\s+(.*)", cell, re.MULTILINE)


def has_source_file(function: types.FunctionType) -> bool:
    """Return whether the function comes from a file, even one that has since been deleted.

    If a module ran code with `exec` under an invented file name, `linecache` may return the text of the
    module itself, which does not count.
    """
    filename = function.__code__.co_filename
    own = str(function.__globals__.get("__file__"))
    if not is_file_name(filename):
        return False
    if os.path.exists(filename) or _stem(filename) == _stem(own):
        return True
    return _cached_text(function, filename) != _cached_text(function, own)


def _stem(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0]


def is_file_name(filename: str) -> bool:
    """Return whether this is the name of a file, unlike `<string>`, which many texts may share."""
    return not (filename.startswith("<") and filename.endswith(">"))


def missing_source_reason(function: types.FunctionType) -> tuple[str, str]:
    """Return the reason that a function has no source, and the remedy."""
    filename = function.__code__.co_filename
    if filename in {"<stdin>", "<console>"}:
        why = "Python does not keep the text of code typed at this prompt or read from standard input"
        return why, f"define it in a file, use IPython or the prompt of Python 3.13, {_SOURCE_ARGUMENT}"
    if filename in _TIMED or filename.startswith("<magic-"):
        why = "IPython does not keep the text of code run by a magic such as %%timeit"
        return why, f"define it in a cell without that magic, {_SOURCE_ARGUMENT}"
    if filename == "<dynamic-code>":
        why = "cloudpickle does not keep the text of a function or the name of its file"
        remedy = "import the function from a module, pickle the converted function instead"
        return why, f"{remedy}, {_SOURCE_ARGUMENT}"
    if not is_file_name(filename):
        if hasattr(function, "__wrapped__"):
            why = "a decorator created it with exec, which does not keep the text"
            return (
                why,
                "move that decorator above the one from autograph_rs, which then converts the original",
            )
        why = "it was created by exec, eval or compile, which do not keep the text"
        return why, f"define it in a file, {_SOURCE_ARGUMENT}"
    if os.path.exists(filename):
        return "the file exists but contains no readable text", f"restore the file, {_SOURCE_ARGUMENT}"
    ahead = f"convert the module ahead of time with `autograph-rs convert`, {_SOURCE_ARGUMENT}"
    if getattr(sys, "frozen", False):
        return "the program was frozen without its source", ahead
    own = str(function.__globals__.get("__file__"))
    cached = str(function.__globals__.get("__cached__") or own)
    if cached.endswith(".pyc") and os.path.exists(cached) and _stem(filename) == _stem(own):
        return f"only compiled code is available: {cached}", f"restore the .py file, {ahead}"
    why = "the file does not exist: it was moved or deleted, or the function comes from another process"
    remedy = "restore the file, import the function from a module, pickle the converted function instead"
    return why, f"{remedy}, {_SOURCE_ARGUMENT}"
