"""Positions in source code, their display in messages, and the handlers that cover them.

While a graph is traced, each node records code objects and instruction offsets. When the trace ends they
become `CodePosition`s, so that a graph can be stored and compared without the code that it came from.
"""

from __future__ import annotations

import dis
import functools
import inspect
import linecache
import re
import types
from collections.abc import Callable
from itertools import islice
from typing import Any, NamedTuple


class CodePosition(NamedTuple):
    """A range of source code, with its enclosing function and the text of its first line."""

    file: str
    line: int
    end_line: int
    column: int
    end_column: int
    function: str
    qualname: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def position_reader() -> Callable[[types.CodeType, int], CodePosition]:
    """Return a `position_at` that caches its results and the position table of each code object."""
    tables: dict[int, list[tuple[Any, ...]]] = {}
    cache: dict[tuple[int, int], CodePosition] = {}
    alive: list[types.CodeType] = []  # keeps the ids unique

    def read(code: types.CodeType, instruction: int) -> CodePosition:
        key = id(code), instruction
        position = cache.get(key)
        if position is None:
            if id(code) not in tables:
                alive.append(code)
                tables[id(code)] = list(code.co_positions())
            position = cache[key] = _position(code, tables[id(code)], instruction // 2)
        return position

    return read


def _position(code: types.CodeType, table: list[tuple[Any, ...]], index: int) -> CodePosition:
    entry = table[index] if 0 <= index < len(table) else (None,) * 4
    line = entry[0] or code.co_firstlineno
    text = source_line(code.co_filename, line).strip()
    end_line, column, end_column = entry[1] or line, entry[2] or 0, entry[3] or 0
    return CodePosition(
        code.co_filename, line, end_line, column, end_column, code.co_name, code.co_qualname, text
    )


def position_at(code: types.CodeType, instruction: int) -> CodePosition:
    return _position(code, list(code.co_positions()), instruction // 2)


def format_position(position: CodePosition) -> list[str]:
    """Format a position as tracebacks do: file and line, source text, carets."""
    where = f'File "{position.file}", line {position.line}'
    function = re.sub(_COMPREHENSION, "", position.qualname).rpartition(".")[2]
    lines = [where if function == "<module>" else f"{where}, in {function}"]
    source = source_line(position.file, position.line).rstrip()
    text = source.strip()
    if text != position.text:  # the file has changed since
        return [*lines, f"  {position.text}"] if position.text else lines
    if text:
        is_one_line = position.end_line == position.line and position.end_column > position.column
        lines += underline(source, position.column, position.end_column if is_one_line else None)
    return lines


_COMPREHENSION = r"(\.<locals>\.|^)<(list|set|dict)comp>$"
"""The part of a qualified name that messages omit: a comprehension, which had a frame before Python 3.12."""


def underline(source: str, column: int, end_column: int | None) -> list[str]:
    """Return a source line, indented by two, and carets under the given columns of its UTF-8 encoding."""
    encoded, text = source.encode(errors="surrogatepass"), source.strip()
    indent = len(source) - len(source.lstrip())
    before = encoded[:column].decode(errors="ignore")[indent:]
    marked = encoded[column:end_column].decode(errors="ignore")
    return [f"  {text}", f"  {' ' * _width(before)}{'^' * _width(marked)}".rstrip()]


def source_line(file: str, line: int) -> str:
    """Return a line of a file, or the empty string if it is unavailable."""
    try:
        return linecache.getline(file, line)
    except ValueError:  # not a valid file name
        return ""


def _width(text: str) -> int:
    """Return the number of terminal columns that a text occupies."""
    import unicodedata  # noqa: PLC0415 - slow to import, and needed for messages only

    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def has_handler(code: types.CodeType, instruction: int) -> bool:
    """Return whether an `except` clause of a function covers one of its instructions."""
    return any(start <= instruction < end for start, end in handled_ranges(code))


def has_exit(code: types.CodeType, instruction: int) -> bool:
    """Return whether a `finally` or `with` of a function runs code after one of its instructions.

    A `finally` covers the handlers of its `try`, rather than what they cover.
    """
    covering = [handler for handler in _handlers(code) if instruction in handler.covered]
    return any(handler.kind == "exit" or has_exit(code, handler.target) for handler in covering)


def catches_exceptions(code: types.CodeType) -> bool:
    """Return whether a function has an `except` clause."""
    return bool(code.co_exceptiontable) and any(handled_ranges(code))


def catches_unstaged(code: types.CodeType) -> bool:
    """Return whether a function has an `except` clause of Python's.

    One whose `try` is converted does not count. Code that is compiled in memory contains both forms of it.
    """
    is_converted = "try_stmt" in code.co_names and not code.co_flags & _SUSPENDED
    is_converted = is_converted and not _KEEPING_TRIES & {*code.co_names}
    return catches_exceptions(code) and not (is_converted and not _has_groups(code))


_SUSPENDED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_KEEPING_TRIES = frozenset(("locals", "vars", "dir", "eval", "exec"))
"""Names of functions that read the variables around them, so that a `try` around them stays Python's."""


def _has_groups(code: types.CodeType) -> bool:
    return any(i.opname == "CHECK_EG_MATCH" for i in dis.get_instructions(code))


def handled_ranges(code: types.CodeType) -> list[tuple[int, int]]:
    """Return the ranges of instructions that an `except` clause of a function covers."""
    return [(h.covered.start, h.covered.stop) for h in _handlers(code) if h.kind == "except"]


class _Handler(NamedTuple):
    """What runs when one of some instructions raises: where it begins, and what it is.

    It is an "except" clause, an "exit" (a `finally` or `with`), or the "end" of another handler.
    """

    covered: range
    target: int
    kind: str


@functools.lru_cache(maxsize=1024)
def _handlers(code: types.CodeType) -> list[_Handler]:
    found, instructions = [], list(dis.get_instructions(code))
    for entry in dis.Bytecode(code).exception_entries:  # type: ignore[attr-defined]  # not in typeshed
        first, *names = [i.opname for i in islice((i for i in instructions if i.offset >= entry.target), 13)]
        end = next((n for n, name in enumerate(names) if name in ("RERAISE", "WITH_EXCEPT_START")), 12)
        is_except = names[:1] == ["POP_TOP"] or any(n.startswith("CHECK_E") for n in names[:end])
        kind = "end" if first != "PUSH_EXC_INFO" else "except" if is_except else "exit"
        found.append(_Handler(range(entry.start, entry.end), entry.target, kind))
    return found
