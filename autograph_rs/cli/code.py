"""`autograph-rs code`: what one function becomes."""

from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder, SourceFileLoader
from pathlib import Path

import click

from ..modules import convert_function_source
from . import options
from .files import STDIN, FileError, Source


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
            raise FileError(f"{module}: there is no module {name}")
        places = list(spec.submodule_search_locations or ())
    if spec is None or not isinstance(spec.loader, SourceFileLoader):
        raise FileError(f"{module}: the module has no Python source")
    return spec.loader.path


@click.command(context_settings=options.DASHES)
@click.argument("function", metavar="MODULE:QUALNAME")
def code(function: str) -> None:
    """Print what a function becomes; - is standard input.

    \b
    autograph-rs code statistics:median
    autograph-rs code model.py:Model.step
    """
    module, _, qualname = function.rpartition(":")
    if not module or not qualname:
        raise click.UsageError(f"{function!r} is not MODULE:QUALNAME or FILE.py:QUALNAME")
    is_file = module == STDIN or module.endswith(".py") or os.sep in module
    source = Source.read(module if is_file else find(module))
    click.echo(source.convert(convert_function_source, qualname))
