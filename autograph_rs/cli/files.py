"""Read and encode source files, and report file errors in one line each."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import tokenize
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from autograph_rs.runtime.debugging.positions import CodePosition, source_line
from autograph_rs.runtime.errors import AutographError

from ..ahead_of_time.editing import Line

STDIN = "-"
MAX_SOURCE = 64 << 20  # bytes; anything longer is not source code, or comes from an endless device
_NEWLINE = re.compile(r"\r\n?|\n")
_LINE_ENDS = re.compile(rb"\r\n?")


T = TypeVar("T")


class FileError(Exception):
    """A file cannot be read, converted or written. The one-line message names the file."""


@dataclass(frozen=True)
class Source:
    """The text of a source file with Unix line endings, and its original encoding and line endings."""

    name: str
    data: bytes
    text: str
    encoding: str
    newlines: tuple[str, ...]

    @classmethod
    def read(cls, path: str | Path) -> Source:
        """Read a file, or standard input, and check that it compiles."""
        name = "<stdin>" if path == STDIN else os.fspath(path)
        if path == STDIN and sys.stdin is None:
            raise FileError(f"{name}: standard input is closed")
        with file_errors(name):
            with sys.stdin.buffer if path == STDIN else open(path, "rb") as file:
                data = file.read(MAX_SOURCE + 1)
            if len(data) > MAX_SOURCE:
                raise FileError(f"{name}: larger than {MAX_SOURCE >> 20} MiB, the limit for source files")
            try:
                with warnings.catch_warnings(action="ignore"):
                    compile(data, name, "exec", dont_inherit=True)
                lines = io.BytesIO(_LINE_ENDS.sub(b"\n", data))
                encoding, _ = tokenize.detect_encoding(lines.readline)
                text = data.decode(encoding)
                if not "\n".encode(encoding).endswith(b"\n"):  # such as unicode_escape
                    raise ValueError(f"the encoding {encoding} does not preserve line endings")
            except (ValueError, LookupError) as error:  # null bytes, or a codec that does not decode to text
                raise FileError(f"{name}: {error}") from error
        return cls(name, data, _NEWLINE.sub("\n", text), encoding, tuple(_NEWLINE.findall(text)))

    def convert(self, converter: Callable[..., T], *arguments: Any, **options: Any) -> T:
        with file_errors(self.name), warnings.catch_warnings(action="ignore"):
            return converter(self.text, self.name, *arguments, **options)

    def encode(self, lines: Iterable[Line]) -> bytes:
        """Encode converted text. Copied lines keep their line endings; others get that of the first line."""
        default = self.newlines[0] if self.newlines else "\n"
        parts: list[str] = []
        for line in lines:
            is_copied = 0 < line.original_row <= len(self.newlines)
            parts += (line.text, self.newlines[line.original_row - 1] if is_copied else default)
        # Only a string can contain a character that the encoding lacks, and there an escape is equivalent.
        data = "".join(parts[:-1]).encode(self.encoding, "backslashreplace")
        with file_errors(self.name), warnings.catch_warnings(action="ignore"):
            compile(data, self.name, "exec", dont_inherit=True)
        return data


@contextlib.contextmanager
def file_errors(name: str) -> Iterator[None]:
    """Turn any error in this block into a one-line `FileError` that names the file."""
    try:
        yield
    except SyntaxError as error:
        raise FileError(f"{name}:{error.lineno or 1}:{max(error.offset or 1, 1)}: {error.msg}") from error
    except AutographError as error:
        at = name if error.place is None else f"{name}:{position(error.place)}"
        raise FileError(in_one_line(at, error)) from error
    except OSError as error:
        raise FileError(f"{name}: {error.strerror or error}") from error
    except (RecursionError, MemoryError) as error:
        raise FileError(f"{name}: the code is nested too deeply") from error
    except FileError:
        raise
    except Exception as error:
        raise FileError(f"{name}: a bug in autograph_rs: {error!r}") from error


def in_one_line(at: str, error: AutographError) -> str:
    """Format an error as `FILE:LINE:COLUMN: what; remedy`, a form that editors recognize."""
    return "; ".join(filter(None, (f"{at}: {error.args[0]}", error.remedy)))


def position(place: CodePosition) -> str:
    """Format a position as line and column, counted in characters from 1."""
    line = source_line(place.file, place.line).encode(errors="replace") or b" " * place.column
    return f"{place.line}:{len(line[: place.column].decode(errors='ignore')) + 1}"


def is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False
