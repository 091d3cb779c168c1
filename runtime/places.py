"""Where in the user's code something was made, as plain data.

A traced node is made below frames, which are code objects and instructions. When its trace ends these
become *places*, so that a graph can be kept, compared and stored without the code that it came from.
"""

from __future__ import annotations

import linecache
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
    text = linecache.getline(code.co_filename, line).strip()
    end_line, column, end_column = found[1] or line, found[2] or 0, found[3] or 0
    return Place(code.co_filename, line, end_line, column, end_column, code.co_name, code.co_qualname, text)
