"""Files as they are read and written: source with its encoding and line ends; all of an output or nothing."""

from __future__ import annotations

import io
import os
import re
import secrets
import shutil
import sys
import tokenize
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import click

from autograph_rs.runtime.errors import AutographError

# The lines at the top that mean something by being there: the encoding, below a comment or not, or `#!`.
HEADER = re.compile(
    r"([ \t\f]*(#.*)?\n)?(?P<cookie>[ \t\f]*#.*?coding[:=][ \t]*[-\w.]+.*\n)|#!.*\n|",
)


MAX_SOURCE = 64 << 20  # bytes: what is longer is no source, or a device that never ends


def fail(message: str) -> NoReturn:
    click.echo(message, err=True)
    raise SystemExit(3)


@dataclass(frozen=True)
class Source:
    """A file's text, with plain ends of lines, and how it was written down."""

    name: str
    text: str
    encoding: str
    newline: str

    @classmethod
    def read(cls, path: str) -> Source:
        """The source in a file, or in standard input; Python must be able to compile it."""
        name = "<stdin>" if path == "-" else path
        try:
            with sys.stdin.buffer if path == "-" else open(path, "rb") as file:
                data = file.read(MAX_SOURCE + 1)
            if len(data) > MAX_SOURCE:
                fail(f"{name}: more than {MAX_SOURCE >> 20} MiB: this is no source")
            with warnings.catch_warnings(action="ignore"):  # dubious syntax is converted as it stands
                compile(data, name, "exec", dont_inherit=True)
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            text = data.decode(encoding)
        except OSError as error:
            fail(f"{path}: {error.strerror}")
        except SyntaxError as error:
            fail(f"{name}:{error.lineno or 1}:{max(error.offset or 1, 1)}: {error.msg}")
        except (ValueError, LookupError) as error:  # null bytes; an encoding of something else than text
            fail(f"{name}: {error}")
        except (RecursionError, MemoryError):
            fail(f"{name}: the code is nested too deeply")
        newline = re.search(r"\r\n?|\n", text)
        return cls(name, re.sub(r"\r\n?", "\n", text), encoding, newline[0] if newline else "\n")

    def convert(self, by: Callable[..., str], *arguments: str) -> str:
        try:
            with warnings.catch_warnings(action="ignore"):
                return by(self.text, self.name, *arguments)
        except AutographError as error:
            located = str(error).startswith(f"{self.name}:")
            fail(str(error) if located else f"{self.name}: {error}")
        except RecursionError:
            fail(f"{self.name}: the code is nested too deeply")

    def encode(self, text: str) -> bytes:
        """The bytes of `text`, written down as this source is."""
        header = HEADER.match(self.text)
        assert header is not None
        if not text.startswith(header[0]):
            text = header[0] + text
        encoding = self.encoding
        try:
            text.encode(encoding)
        except UnicodeEncodeError:  # such as "\u20ac" in a latin-1 file, which is now the character itself
            text, encoding = text.replace(header["cookie"] or "", "", 1), "utf-8"
        return text.replace("\n", self.newline).encode(encoding)


def write(path: str, data: bytes, like: str) -> None:
    """Put `data` into a file, all of it or nothing, with the mode of the file `like`."""
    target = Path(os.path.realpath(path))  # a link stays a link
    temporary = target.with_name(f".autograph-rs-{secrets.token_hex(8)}")
    try:
        if path in ("-", "/dev/stdout"):
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
            return
        if target.exists() and not target.is_file():
            target.write_bytes(data)  # a device or a pipe
            return
        try:
            with temporary.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            model = target if like == "-" else Path(like)
            if model.exists():
                shutil.copymode(model, temporary)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except BrokenPipeError:
        raise  # click ends in silence, as is the custom
    except OSError as error:
        fail(f"{path}: {error.strerror}")
