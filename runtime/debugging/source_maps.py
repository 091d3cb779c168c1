"""Source maps from generated files to the user's files, and their application to loaded code.

The format is revision 3 of the source map specification. Columns count bytes of UTF-8, as in Python's syntax
trees and line tables.
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

from ..core.closures import is_staged_form
from .line_tables import Position, as_internal_code, closure_positions, encode_positions, is_accessor
from .tracebacks import user_stacklevel

SUFFIX = ".map"
_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

Segment = tuple[int, int, int, int]
"""Generated line, generated column, original line, original column; lines count from 1, columns from 0."""


@dataclass(frozen=True)
class SourceMap:
    """A mapping from positions in generated text to the user's file.

    `added` names the functions that the conversion added. Their code belongs to the enclosing function.

    >>> source_map = SourceMap("model.py", ((1, 0, 10, 4), (3, 0, 12, 8), (3, 7, 13, 9)))
    >>> source_map.original(2), source_map.original(3), source_map.original(3, 20)
    (('model.py', 10, 4), ('model.py', 12, 8), ('model.py', 13, 9))
    >>> SourceMap.from_json(source_map.to_json("generated.py")) == source_map
    True
    """

    filename: str
    segments: tuple[Segment, ...]
    added: tuple[str, ...] = field(default=(), repr=False)

    def original(self, line: int, column: int | None = None) -> tuple[str, int, int]:
        """Return the user's file, line and column for a position in the generated text.

        Args:
            line: a line of the generated text.
            column: a column in it, or None for the first statement on that line.

        Raises:
            KeyError: no segment begins at or before the position.
        """
        index = bisect_right(self.segments, (line, column if column is not None else -1, 1 << 60, 0))
        if column is None and index < len(self.segments) and self.segments[index][0] == line:
            index += 1
        if index == 0:
            raise KeyError(line)
        return self.filename, *self.segments[index - 1][2:]

    def to_json(self, file: str) -> str:
        """Serialize the map for the generated file `file`."""
        rows = {row: list(segments) for row, segments in itertools.groupby(self.segments, lambda s: s[0])}
        lines, last = [], (1, 0)
        for row in range(1, max(rows, default=0) + 1):
            last_column, parts = 0, []
            for _, column, line, original_column in rows.get(row, ()):
                deltas = column - last_column, 0, line - last[0], original_column - last[1]
                parts.append("".join(map(_vlq, deltas)))
                last_column, last = column, (line, original_column)
            lines.append(",".join(parts))
        content = {
            "version": 3, "file": file, "sources": [self.filename], "names": [], "mappings": ";".join(lines),
            "x_added": list(self.added),
        }  # fmt: skip
        return json.dumps(content, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> SourceMap:
        """Deserialize a map that `to_json` wrote.

        Raises:
            ValueError: the text is not such a map.
        """
        try:
            content = json.loads(text)
            [filename] = content["sources"]
            if content["version"] != 3 or not isinstance(filename, str):
                raise ValueError(f"revision {content['version']} of {filename!r}")
            segments, line, original_column = [], 1, 0
            for row, parts in enumerate(content["mappings"].split(";"), 1):
                column = 0
                for part in filter(None, parts.split(",")):
                    delta, _, lines, columns = _vlq_numbers(part)
                    column, line, original_column = column + delta, line + lines, original_column + columns
                    segments.append((row, column, line, original_column))
            return cls(filename, tuple(segments), tuple(content.get("x_added", ())))
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ValueError(f"not a source map of revision 3 with one source: {error!r}") from error


def _vlq(number: int) -> str:
    """Encode a number as a base64 VLQ: five bits per digit, lowest first, with the sign in the lowest bit."""
    rest, text = (-number << 1 | 1) if number < 0 else number << 1, ""
    while rest > 31:
        text, rest = text + _DIGITS[rest & 31 | 32], rest >> 5
    return text + _DIGITS[rest]


def _vlq_numbers(text: str) -> Iterator[int]:
    value = shift = 0
    for letter in text:
        digit = _DIGITS.index(letter)
        value += (digit & 31) << shift
        shift += 5
        if digit < 32:
            yield -(value >> 1) if value & 1 else value >> 1
            value = shift = 0


def apply_source_map(function: types.FunctionType) -> types.FunctionType:
    """Apply the map of a converted file to one of its functions, which gets the user's file and lines.

    Without a map, or without the user's file, the function is unchanged. A broken map causes a warning.
    """
    file = function.__code__.co_filename + SUFFIX
    try:
        source_map = _read(file, os.stat(file).st_mtime_ns)
        if source_map is not None:
            function.__code__ = relocate(function.__code__, source_map)
    except OSError:
        pass
    except (KeyError, ValueError, OverflowError) as error:
        warnings.warn(
            f"{file}: this map belongs to another version of its file: {error!r}",
            RuntimeWarning,
            stacklevel=user_stacklevel(),
        )
    return function


@functools.lru_cache
def _read(file: str, modified: int) -> SourceMap | None:
    """Read a map, or return None if it is broken or the user's file is missing.

    `modified` is part of the cache key, so that a changed map is read again.
    """
    try:
        with open(file, encoding="utf-8") as opened:
            source_map = SourceMap.from_json(opened.read())
    except ValueError as error:
        warnings.warn(f"{file}: {error}", RuntimeWarning, stacklevel=user_stacklevel())
        return None
    original = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(file)), source_map.filename))
    return SourceMap(original, source_map.segments, source_map.added) if os.path.isfile(original) else None


def relocate(
    code: types.CodeType,
    source_map: SourceMap,
    parent: tuple[str, str, str] = ("", "", ""),
    *,
    is_internal: bool = False,
) -> types.CodeType:
    """Return code with the file, lines and function names of the user's source.

    `parent` contains the name, the qualified name and the generated qualified name of the enclosing code.
    `is_internal` is true inside a closure without user code.
    """
    name, qualname, generated = parent
    if not (name and code.co_name in source_map.added):
        name, suffix = code.co_name, code.co_qualname.removeprefix(generated)
        qualname = qualname + suffix if suffix.startswith(".") else code.co_qualname
    lines = [
        None if line is None else source_map.original(line, column)[1]
        for line, _, column, _ in code.co_positions()
    ]
    positions: list[Position] = [(line, line, None, None) for line in lines]
    first = source_map.original(code.co_firstlineno)[1]
    if code.co_name in source_map.added and not is_staged_form(code):
        is_internal = is_internal or is_accessor(code)
        positions, first = closure_positions(code, positions)
    consts = (
        relocate(const, source_map, (name, qualname, code.co_qualname), is_internal=is_internal)
        if isinstance(const, types.CodeType)
        else const
        for const in code.co_consts
    )
    if is_internal:
        return as_internal_code(code, source_map.filename, f"{name}.{code.co_name}", qualname, consts)
    return code.replace(
        co_filename=source_map.filename, co_name=name, co_qualname=qualname, co_consts=tuple(consts),
        co_firstlineno=first, co_linetable=encode_positions(positions, first),
    )  # fmt: skip
