"""Source maps: places in generated text, and the places of the user's text that they came from.

A map beside a file is a source map of revision 3, as other tools read them. Columns count bytes, as those
of Python's trees and code do. Code that was loaded from such a file can be given the user's file and lines.
"""

from __future__ import annotations

import functools
import itertools
import json
import os
import types
import warnings
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from .line_tables import Position, carrier, is_accessor, of_closure, table
from .tracebacks import user_stacklevel

SUFFIX = ".map"
_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

Segment = tuple[int, int, int, int]
"""Line and column of generated text, line and column of the user's; lines from 1, columns from 0."""


@dataclass(frozen=True)
class SourceMap:
    """From places in generated text to the user's file.

    `added` are the names of the functions that the conversion added: their code is that of what holds them.

    >>> made = SourceMap("model.py", ((1, 0, 10, 4), (3, 0, 12, 8), (3, 7, 13, 9)))
    >>> made.original(2), made.original(3), made.original(3, 20)
    (('model.py', 10, 4), ('model.py', 12, 8), ('model.py', 13, 9))
    >>> SourceMap.from_json(made.to_json("made.py")) == made
    True
    """

    filename: str
    segments: tuple[Segment, ...]
    added: tuple[str, ...] = field(default=(), repr=False)

    def original(self, line: int, column: int | None = None) -> tuple[str, int, int]:
        """File, line and column of what stands at a place of the generated text.

        Args:
            line: a line of the generated text.
            column: a column in it; without one, the first statement on that line is meant.

        Raises:
            KeyError: nothing of the user's stands there or before.
        """
        place = bisect_right(self.segments, (line, column if column is not None else -1, 1 << 60, 0))
        if column is None and place < len(self.segments) and self.segments[place][0] == line:
            place += 1
        if place == 0:
            raise KeyError(line)
        return self.filename, *self.segments[place - 1][2:]

    def to_json(self, file: str) -> str:
        """The map as the text of a source map of revision 3.

        Args:
            file: the name of the generated file.
        """
        rows = {row: list(those) for row, those in itertools.groupby(self.segments, lambda s: s[0])}
        before = (0, 0, 0)
        lines = []
        for row in range(1, max(rows, default=0) + 1):
            last, parts = 0, []
            for _, column, *user in rows.get(row, ()):
                here = (0, user[0] - 1, user[1])
                deltas = (column - last, *(new - old for new, old in zip(here, before, strict=True)))
                parts.append("".join(map(_vlq, deltas)))
                last, before = column, here
            lines.append(",".join(parts))
        made = {
            "version": 3, "file": file, "sources": [self.filename], "names": [], "mappings": ";".join(lines),
            "x_added": list(self.added),
        }  # fmt: skip
        return json.dumps(made, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> SourceMap:
        """The map that `to_json` wrote.

        Raises:
            ValueError: the text is no such map.
        """
        try:
            made = json.loads(text)
            [filename] = made["sources"]
            if made["version"] != 3 or not isinstance(filename, str):
                raise ValueError(f"revision {made['version']} of {filename!r}")
            segments, line, column = [], 1, 0
            for row, parts in enumerate(made["mappings"].split(";"), 1):
                place = 0
                for part in filter(None, parts.split(",")):
                    move, _, lines, columns = _numbers(part)
                    place, line, column = place + move, line + lines, column + columns
                    segments.append((row, place, line, column))
            return cls(filename, tuple(segments), tuple(made.get("x_added", ())))
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ValueError(f"this is no source map of revision 3 with one source: {error!r}") from error


def _vlq(number: int) -> str:
    """A number in the digits of source maps: five bits each, the lowest first, the sign below all."""
    rest, text = (-number << 1 | 1) if number < 0 else number << 1, ""
    while rest > 31:
        text, rest = text + _DIGITS[rest & 31 | 32], rest >> 5
    return text + _DIGITS[rest]


def _numbers(text: str) -> Iterator[int]:
    value = shift = 0
    for letter in text:
        digit = _DIGITS.index(letter)
        value += (digit & 31) << shift
        shift += 5
        if digit < 32:
            yield -(value >> 1) if value & 1 else value >> 1
            value = shift = 0


# Code that speaks of the user's lines ---------------------------------------------------------------


def mapped(function: types.FunctionType) -> types.FunctionType:
    """A function of a converted file, which gets the user's file and lines from the map beside that file.

    Without a map, or the user's file, the function stays as it is; a map that is broken is warned of.
    """
    file = function.__code__.co_filename + SUFFIX
    try:
        found = _read(file, os.stat(file).st_mtime_ns)
        if found is not None:
            function.__code__ = relocated(function.__code__, found)
    except OSError:
        pass
    except (KeyError, ValueError, OverflowError) as error:
        warnings.warn(
            f"{file}: this is not the map of its file: {error!r}",
            RuntimeWarning,
            stacklevel=user_stacklevel(),
        )
    return function


@functools.lru_cache
def _read(file: str, changed: int) -> SourceMap | None:
    """The map in a file that last changed then; none where it is broken, or the user's file is lost."""
    try:
        with open(file, encoding="utf-8") as opened:
            made = SourceMap.from_json(opened.read())
    except ValueError as error:
        warnings.warn(f"{file}: {error}", RuntimeWarning, stacklevel=user_stacklevel())
        return None
    original = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(file)), made.filename))
    return SourceMap(original, made.segments, made.added) if os.path.isfile(original) else None


def relocated(
    code: types.CodeType,
    made: SourceMap,
    holder: tuple[str, str, str] = ("", "", ""),
    *,
    carried: bool = False,
) -> types.CodeType:
    """Code that says of itself that it is at the user's lines, and in the user's functions.

    Args:
        code: code that was compiled from generated text.
        made: the map of that text.
        holder: of the code around this one: its name, its qualified name, and that in the generated text.
        carried: the code is part of a closure that has nothing of the user's.
    """
    name, qualname, generated = holder
    if not (name and code.co_name in made.added):
        name, inside = code.co_name, code.co_qualname.removeprefix(generated)
        qualname = qualname + inside if inside.startswith(".") else code.co_qualname
    rows = [
        None if line is None else made.original(line, column)[1] for line, _, column, _ in code.co_positions()
    ]
    positions: list[Position] = [(row, row, None, None) for row in rows]
    first = made.original(code.co_firstlineno)[1]
    if code.co_name in made.added:
        carried = carried or is_accessor(code)
        positions, first = of_closure(code, positions)
    consts = (
        relocated(const, made, (name, qualname, code.co_qualname), carried=carried)
        if isinstance(const, types.CodeType)
        else const
        for const in code.co_consts
    )
    if carried:
        return carrier(code, made.filename, f"{name}.{code.co_name}", qualname, consts)
    return code.replace(
        co_filename=made.filename, co_name=name, co_qualname=qualname, co_consts=tuple(consts),
        co_firstlineno=first, co_linetable=table(positions, first),
    )  # fmt: skip
