"""`autograph-rs convert`: files and packages, converted ahead of time."""

from __future__ import annotations

import os

import click

from ..modules import convert_source
from .files import Source, write


@click.command()
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
