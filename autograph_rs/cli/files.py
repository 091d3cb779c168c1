"""Files as they are read and written: source with its encoding and line ends; all of an output or nothing."""

from __future__ import annotations

import contextlib
import io
import os
import re
import secrets
import sys
import tokenize
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from autograph_rs.runtime.errors import AutographError
from autograph_rs.runtime.places import Place, line_of

from ..rewriting import Line

STDIN = "-"
MAX_SOURCE = 64 << 20  # bytes: what is longer is no source, or a device that never ends
_NEWLINE = re.compile(r"\r\n?|\n")
_ENDS = re.compile(rb"\r\n?")


T = TypeVar("T")


class FileError(Exception):
    """A file that cannot be read, converted or written, in one line that names it."""


@dataclass(frozen=True)
class Source:
    """A file's text, with plain ends of lines, and how it was written down."""

    name: str
    data: bytes
    text: str
    encoding: str
    newlines: tuple[str, ...]

    @classmethod
    def read(cls, path: str | Path) -> Source:
        """The source in a file, or in standard input; Python must be able to compile it.

        Raises:
            FileError: it cannot be read, or is no Python.
        """
        name = "<stdin>" if path == STDIN else os.fspath(path)
        if path == STDIN and sys.stdin is None:
            raise FileError(f"{name}: is closed")
        with refusals(name):
            with sys.stdin.buffer if path == STDIN else open(path, "rb") as file:
                data = file.read(MAX_SOURCE + 1)
            if len(data) > MAX_SOURCE:
                raise FileError(f"{name}: more than {MAX_SOURCE >> 20} MiB: this is no source")
            try:
                with warnings.catch_warnings(action="ignore"):  # dubious syntax is converted as it stands
                    compile(data, name, "exec", dont_inherit=True)
                lines = io.BytesIO(_ENDS.sub(b"\n", data))  # a line may end with "\r" alone
                encoding, _ = tokenize.detect_encoding(lines.readline)
                text = data.decode(encoding)
                if not "\n".encode(encoding).endswith(b"\n"):  # such as unicode_escape
                    raise ValueError(f"the encoding {encoding} has no ends of lines")
            except (ValueError, LookupError) as error:  # null bytes; an encoding of something else than text
                raise FileError(f"{name}: {error}") from error
        return cls(name, data, _NEWLINE.sub("\n", text), encoding, tuple(_NEWLINE.findall(text)))

    def convert(self, by: Callable[..., T], *arguments: Any, **options: Any) -> T:
        """What a converter makes of the text and its name.

        Raises:
            FileError: it cannot be converted.
        """
        with refusals(self.name), warnings.catch_warnings(action="ignore"):
            return by(self.text, self.name, *arguments, **options)

    def encode(self, lines: Iterable[Line]) -> bytes:
        """The bytes of a converted text: kept lines end as they did, others as the first does."""
        usual = self.newlines[0] if self.newlines else "\n"
        parts: list[str] = []
        for line in lines:
            kept = 0 < line.row <= len(self.newlines)
            parts += (line.text, self.newlines[line.row - 1] if kept else usual)
        # What the encoding lacks can only be in a text, where its escape means the same.
        data = "".join(parts[:-1]).encode(self.encoding, "backslashreplace")
        with refusals(self.name), warnings.catch_warnings(action="ignore"):
            compile(data, self.name, "exec", dont_inherit=True)
        return data


@contextlib.contextmanager
def refusals(name: str) -> Iterator[None]:
    """What can go wrong with a file, as one line that names it.

    Raises:
        FileError: something went wrong.
    """
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
        raise FileError(f"{name}: a fault of autograph_rs: {error!r}") from error


def in_one_line(at: str, error: AutographError) -> str:
    """`FILE:LINE:COLUMN: what; what to do instead`, as editors read it."""
    return "; ".join(filter(None, (f"{at}: {error.args[0]}", error.remedy)))


def position(place: Place) -> str:
    """The line and the column that an editor shows; a place has the offset in bytes."""
    line = line_of(place.file, place.line).encode(errors="replace") or b" " * place.column
    return f"{place.line}:{len(line[: place.column].decode(errors='ignore')) + 1}"


def is_same(one: Path, other: Path) -> bool:
    """Whether two paths are known to be one file."""
    try:
        return one.samefile(other)
    except OSError:
        return False


# Writing ------------------------------------------------------------------------------------------


def write(path: Path, data: bytes, mode: int | None = None) -> None:
    """Put `data` into a file, all of it or nothing, whatever ends the program or the machine.

    Args:
        path: the file; a link stays a link, and what it leads to is written.
        data: all that will be in it.
        mode: the permissions of the file; those that it has, or the usual ones, where none are given.

    Raises:
        OSError: it cannot be written.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        target.write_bytes(data)  # a device or a pipe
        return
    if mode is None and target.exists():
        mode = mode_of(target)
    temporary = target.with_name(f".autograph-rs-{secrets.token_hex(8)}")
    try:
        if not _appear(temporary, data):
            with temporary.open("xb") as file:
                _fill(file, data)
        if mode is not None:
            temporary.chmod(mode)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def mode_of(path: Path) -> int:
    """The permissions of a file."""
    return path.stat().st_mode & 0o7777


def _appear(path: Path, data: bytes) -> bool:
    """Let a new file appear when it is whole, so that nobody finds a part of it, where the system can."""
    try:
        descriptor = os.open(path.parent, os.O_TMPFILE | os.O_WRONLY, 0o666)
    except (AttributeError, OSError):
        return False
    with open(descriptor, "wb") as file:
        _fill(file, data)
        try:
            os.link(f"/proc/self/fd/{descriptor}", path, src_dir_fd=descriptor)
        except OSError:
            return False
    return True


def _fill(file: BinaryIO, data: bytes) -> None:
    file.write(data)
    file.flush()
    os.fsync(file.fileno())
