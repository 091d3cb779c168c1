"""`autograph-rs check`: the places of a program that cannot be staged."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import click

from autograph_rs.runtime.errors import AutographError

from ..reports import Finding, report_source
from .files import Source
from .formats import FORMATS, Found

FOUND, UNREADABLE = 1, 3


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option(
    "--format",
    "form",
    type=click.Choice([*FORMATS]),
    default="text",
    show_default=True,
    help="Text for people, JSON, commands for GitHub's log, or SARIF for code scanning.",
)
def check(paths: tuple[str, ...], form: str) -> None:
    """List the places that cannot be staged in files and in the folders' *.py files; - reads standard input.

    Such a place raises where what it decides on, or iterates, is a staged value; on plain values it does what
    Python does.

    \b
    Exit codes:
      0  there are none
      1  there are some
      2  wrong usage
      3  a file cannot be read, or is no Python
    """
    files: dict[str, str] = {}
    unreadable = 0
    for path in paths:
        for file in python_files(path):
            if isinstance(file, OSError):
                click.echo(f"{file.filename}: {file.strerror}", err=True)
                unreadable += 1
            else:
                files.setdefault(os.path.abspath(file), file)
    found: list[Found] = []
    for file in sorted(files.values()):
        findings = findings_of(file)
        unreadable += findings is None
        found += [Found("<stdin>" if file == "-" else file, finding) for finding in findings or ()]
    printed = FORMATS[form](found).encode(errors="surrogateescape")
    sys.stdout.buffer.write(printed)
    sys.stdout.buffer.flush()
    holding = len({item.path for item in found})
    summary = f"{counted(len(found), 'place')} in {holding} of {counted(len(files), 'file')}"
    click.echo(f"{summary}; {unreadable} cannot be read" if unreadable else summary, err=True)
    if unreadable or found:
        raise SystemExit(UNREADABLE if unreadable else FOUND)


def python_files(path: str) -> Iterator[str | OSError]:
    """The Python files of a folder, which may be one file; what cannot be read as the error that says so."""
    if not os.path.isdir(path):
        yield path
        return
    errors: list[OSError] = []
    for folder, folders, names in os.walk(path, onerror=errors.append):
        folders[:] = sorted(name for name in folders if name != "__pycache__" and not name.startswith("."))
        yield from (os.path.join(folder, name) for name in names if name.endswith(".py"))
    yield from errors


def findings_of(file: str) -> list[Finding] | None:
    """The findings of a file in the order of its text; None where it cannot be read, which is then said."""
    try:
        source = Source.read(file)
        functions = report_source(source.text, source.name)
    except SystemExit:
        return None
    except AutographError as error:
        click.echo(str(error), err=True)
        return None
    except Exception as error:  # noqa: BLE001 - must not hide what is found in other files
        click.echo(f"{source.name}: cannot be converted, a fault of autograph_rs: {error!r}", err=True)
        return None
    found = {finding for function in functions for finding in function.findings}
    return sorted(found, key=lambda finding: (finding.line, finding.column, finding.code))


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
