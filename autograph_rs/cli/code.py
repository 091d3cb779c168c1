"""`autograph-rs code`: print one converted function."""

from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder, SourceFileLoader
from pathlib import Path

import click

from ..ahead_of_time.modules import convert_function_source
from . import options
from .files import STDIN, FileError, Source


def find_module(module: str) -> str:
    """Return the file of a module without importing it or its packages."""
    paths = [str(Path.cwd()), *sys.path]
    name, spec = "", None
    for part in module.split("."):
        name = f"{name}.{part}".lstrip(".")
        spec = PathFinder.find_spec(part, paths)
        for finder in sys.meta_path:  # such as the finder of an editable installation
            spec = spec or finder.find_spec(name, paths if "." in name else None)
        if spec is None:
            raise FileError(f"{module}: there is no module {name}")
        paths = list(spec.submodule_search_locations or ())
    if spec is None or not isinstance(spec.loader, SourceFileLoader):
        raise FileError(f"{module}: the module has no Python source")
    return spec.loader.path


@click.command(context_settings=options.ALLOW_DASHES)
@click.argument("function", metavar="MODULE:QUALNAME")
def code(function: str) -> None:
    """Print the converted form of a function; - reads standard input.

    \b
    autograph-rs code statistics:median
    autograph-rs code model.py:Model.step
    """
    module, _, qualname = function.rpartition(":")
    if not module or not qualname:
        raise click.UsageError(f"expected MODULE:QUALNAME or FILE.py:QUALNAME, got {function!r}")
    is_file = module == STDIN or module.endswith(".py") or os.sep in module
    source = Source.read(module if is_file else find_module(module))
    click.echo(source.convert(convert_function_source, qualname))
