"""The command `autograph-rs`: what a function becomes, and files converted ahead of time.

Input is read, never imported or executed. A converted file keeps what its author gave the original
beside the code: encoding, line ends, `#!` line, mode. It is written whole or not at all.
"""

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
from importlib.machinery import PathFinder, SourceFileLoader
from pathlib import Path
from typing import NoReturn

try:
    import click
except ModuleNotFoundError as error:
    if error.name != "click":
        raise
    print("autograph-rs needs click: install autograph_rs[cli]", file=sys.stderr)
    raise SystemExit(3) from None

from .modules import convert_function_source, convert_source
from .runtime.errors import AutographError

# The lines at the top that mean something by being there: the encoding, below a comment or not, or `#!`.
HEADER = re.compile(
    r"([ \t\f]*(#.*)?\n)?(?P<cookie>[ \t\f]*#.*?coding[:=][ \t]*[-\w.]+.*\n)|#!.*\n|",
)


MAX_SOURCE = 64 << 20  # bytes: what is longer is no source, or a device that never ends


def fail(message: str) -> NoReturn:
    click.echo(message, err=True)
    raise SystemExit(3)


# Files --------------------------------------------------------------------------------------------


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


def find(module: str) -> str:
    """The file of a module, found without importing it or the packages around it."""
    places = [str(Path.cwd()), *sys.path]
    name, spec = "", None
    for part in module.split("."):
        name = f"{name}.{part}".lstrip(".")
        spec = PathFinder.find_spec(part, places)
        for finder in sys.meta_path:  # such as that of an editable installation
            spec = spec or finder.find_spec(name, places if "." in name else None)
        if spec is None:
            fail(f"{module}: there is no module {name}")
        places = list(spec.submodule_search_locations or ())
    if spec is None or not isinstance(spec.loader, SourceFileLoader):
        fail(f"{module}: the module has no Python source")
    return spec.loader.path


# Commands -----------------------------------------------------------------------------------------


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="autograph_rs", prog_name="autograph-rs")
def main() -> None:
    """Convert Python control flow into functional operator calls.

    Input is read, never executed.

    \b
    Exit codes:
      0  done
      2  wrong usage
      3  failure: input that cannot be read or converted, output that cannot be written
    """


@main.command()
@click.argument("function", metavar="MODULE:QUALNAME")
def code(function: str) -> None:
    """Print what a function becomes.

    \b
    autograph-rs code statistics:median
    autograph-rs code model.py:Model.step
    """
    module, _, qualname = function.rpartition(":")
    if not module or not qualname:
        raise click.UsageError(f"{function!r} is not MODULE:QUALNAME or FILE.py:QUALNAME")
    is_file = module.endswith(".py") or os.sep in module
    source = Source.read(module if is_file else find(module))
    click.echo(source.convert(convert_function_source, qualname))


@main.command()
@click.argument("file", metavar="FILE.py")
@click.option("-o", "--output", required=True, metavar="OUT.py", help="Where to; - for standard output.")
def convert(file: str, output: str) -> None:
    """Convert the functions of a file; - reads standard input.

    The output runs on its own: it imports no more than autograph_rs.runtime.

    \b
    autograph-rs convert model.py -o model_converted.py
    """
    if os.path.exists(file) and os.path.exists(output) and os.path.samefile(file, output):
        raise click.UsageError(f"{output} is the input itself")
    source = Source.read(file)
    write(output, source.encode(source.convert(convert_source)), like=file)
