"""Where in the user's code something was made, as plain data.

A traced node is made below frames, which are code objects and instructions. When its trace ends these
become *places*, so that a graph can be kept, compared and stored without the code that it came from.
"""

from __future__ import annotations

import linecache
import re
import types
from collections.abc import Callable
from typing import Any, NamedTuple


class Place(NamedTuple):
    """A piece of code: its file, lines and columns, the function that it stands in, its line's text."""

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


def reader() -> Callable[[types.CodeType, int], Place]:
    """A function that tells the place of an instruction, each once."""
    positions: dict[int, list[tuple[Any, ...]]] = {}
    known: dict[tuple[int, int], Place] = {}
    kept: list[types.CodeType] = []  # so that no id is used again

    def place(code: types.CodeType, instruction: int) -> Place:
        key = id(code), instruction
        made = known.get(key)
        if made is None:
            if id(code) not in positions:
                kept.append(code)
                positions[id(code)] = list(code.co_positions())
            made = known[key] = _place(code, positions[id(code)], instruction // 2)
        return made

    return place


def _place(code: types.CodeType, positions: list[tuple[Any, ...]], index: int) -> Place:
    found = positions[index] if 0 <= index < len(positions) else (None,) * 4
    line = found[0] or code.co_firstlineno
    text = line_of(code.co_filename, line).strip()
    end_line, column, end_column = found[1] or line, found[2] or 0, found[3] or 0
    return Place(code.co_filename, line, end_line, column, end_column, code.co_name, code.co_qualname, text)


def at(code: types.CodeType, instruction: int) -> Place:
    """The place of an instruction."""
    return _place(code, list(code.co_positions()), instruction // 2)


def shown(place: Place) -> list[str]:
    """A place as tracebacks show it: file and line, the line's text, carets below what is meant."""
    where = f'File "{place.file}", line {place.line}'
    function = re.sub(_COMPREHENSION, "", place.qualname).rpartition(".")[2]
    lines = [where if function == "<module>" else f"{where}, in {function}"]
    source = line_of(place.file, place.line).rstrip()
    text = source.strip()
    if text != place.text:  # the file is another by now
        return [*lines, f"  {place.text}"] if place.text else lines
    if text:
        ends_here = place.end_line == place.line and place.end_column > place.column
        lines += underlined(source, place.column, place.end_column if ends_here else None)
    return lines


_COMPREHENSION = r"(\.<locals>\.|^)<(list|set|dict)comp>$"
"""Since Python 3.12 these have no frame of their own."""


def underlined(source: str, column: int, end_column: int | None) -> list[str]:
    """A line of source, indented by two, and carets below what stands at these columns of its UTF-8."""
    encoded, text = source.encode(errors="surrogatepass"), source.strip()
    indent = len(source) - len(source.lstrip())
    before = encoded[:column].decode(errors="ignore")[indent:]
    meant = encoded[column:end_column].decode(errors="ignore")
    return [f"  {text}", f"  {' ' * _width(before)}{'^' * _width(meant)}".rstrip()]


def line_of(file: str, line: int) -> str:
    """A line of a file; nothing where it cannot be had."""
    try:
        return linecache.getline(file, line)
    except ValueError:  # no file can have such a name
        return ""


def _width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    import unicodedata  # noqa: PLC0415 - which is long to load, for messages only

    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
