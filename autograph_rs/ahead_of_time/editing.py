"""Edit a module's text: insert lines and text, break lines, and replace whole rows.

Rows count from 1, and columns count bytes, as in Python's syntax trees. What is not edited is copied.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """One line of a converted text."""

    text: str
    original_row: int = 0
    """The row of the user's text that the line copies, from 1; 0 for a generated line."""
    mappings: tuple[tuple[int, int, int], ...] = ()
    """Columns of this line, each with the row and column of the user's text that it maps to."""


@dataclass(frozen=True)
class _Edit:
    """Text that replaces the columns from `start` to `end` of a row.

    With `lines`, the row ends at `start` and, below these lines, goes on with `text` as its indentation.
    """

    start: int
    order: int
    end: int
    text: str
    lines: Sequence[Line] | None = None


class EditedText:
    """A module's text with edits. Expressions that contain each other are wrapped from the outside in."""

    def __init__(self, source: str) -> None:
        self.rows = source.split("\n")
        self.edits = 0
        self._above: defaultdict[int, list[Line]] = defaultdict(list)
        self._replaced: dict[int, tuple[int, Sequence[Line]]] = {}
        self._edits: defaultdict[int, list[_Edit]] = defaultdict(list)
        self._wrapped = 0

    def row(self, number: int) -> str:
        return self.rows[number - 1]

    def indentation(self, row: int) -> str:
        text = self.row(row)
        return text[: len(text) - len(text.lstrip())]

    def insert_lines(self, row: int, lines: Sequence[Line]) -> None:
        """Insert lines above a row."""
        self.edits += 1
        self._above[row] += lines

    def replace_rows(self, first: int, last: int, lines: Sequence[Line]) -> None:
        self.edits += 1
        self._replaced[first] = last, lines

    def wrap(self, node: ast.expr, before: str, after: str) -> None:
        """Insert text before and after an expression."""
        self.edits += 1
        self._wrapped += 1
        start, end = node.col_offset, node.end_col_offset or 0
        self._edits[node.lineno].append(_Edit(start, self._wrapped, start, before))
        self._edits[node.end_lineno or node.lineno].append(_Edit(end, -self._wrapped, end, after))

    def break_line(self, row: int, column: int, indentation: str, lines: Sequence[Line] = ()) -> None:
        """Move what follows a column to a line of its own, below the inserted lines.

        Before its first statement, a row is blank only if the row above ends with a backslash, which is
        dropped.
        """
        self.edits += 1
        if self.row(row).encode()[:column].strip():
            self._edits[row].append(_Edit(column, 0, column, indentation, lines))
            return
        self._edits[row].append(_Edit(0, 0, column, indentation))
        self.insert_lines(row, lines)
        while row > 1 and self.row(row - 1).endswith("\\"):
            row -= 1
            text = self.row(row)
            start, end = (len(part.encode()) for part in (text[:-1].rstrip(), text))
            self._edits[row].append(_Edit(start, 0, end, ""))

    def lines(self) -> list[Line]:
        """Return the lines of the edited text."""
        out: list[Line] = []
        row = 1
        while row <= len(self.rows):
            out += self._above[row]
            if row in self._replaced:
                row, lines = self._replaced[row]
                out += lines
            elif row in self._edits:
                out += self._edited_row(row)
            else:
                out.append(Line(self.row(row), row, ((0, row, 0),)))
            row += 1
        return out

    def _edited_row(self, row: int) -> list[Line]:
        """Return the lines that an edited row becomes. Inserted text maps to where it is inserted."""
        out: list[Line] = []
        rest, text, end = self.row(row).encode(), "", 0
        mappings = [(0, row, 0)]
        for edit in sorted(self._edits[row], key=lambda e: (e.start, e.order)):
            text += rest[end : edit.start].decode()
            if edit.lines is not None:
                out += [Line(text.rstrip(), 0, tuple(mappings)), *edit.lines]
                text, mappings = "", []
            *above, text = (text + edit.text).split("\n")  # a string in the edit may span lines
            if above:
                out.append(Line(above[0], 0, tuple(mappings)))
                out += [Line(line, 0, ((0, row, edit.start),)) for line in above[1:]]
                mappings = []
            mappings.append((len(text.encode()), row, edit.end))
            end = edit.end
        text += rest[end:].decode()
        return [*out, Line(text, 0, tuple(mappings))]
