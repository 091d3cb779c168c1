"""`autograph-rs check`: the places of a program that cannot be staged."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import click

from ..reports import Finding, report_source
from . import batch, options
from .files import STDIN, FileError, Source
from .formats import FORMATS, Located
from .targets import Found, Selection, Walk


@dataclass(frozen=True)
class Looked:
    """What was found in a file, or why it cannot be read."""

    path: str
    findings: tuple[Finding, ...] = ()
    problem: str = ""


@click.command()
@options.paths
@click.option(
    "--format",
    "form",
    type=click.Choice([*FORMATS]),
    default="text",
    show_default=True,
    help="Text for people, JSON, commands for GitHub's log, or SARIF for code scanning.",
)
@options.selection
@options.jobs
@click.option("-q", "--quiet", is_flag=True, help="Say nothing of how many there are.")
@click.pass_context
def check(
    context: click.Context,
    paths: tuple[str, ...],
    form: str,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    jobs: int | None,
    quiet: bool,
) -> None:
    """List the places that cannot be staged in files, packages, folders, or standard input (-).

    Such a place raises where what it decides on, or iterates, is a staged value; on plain values it does what
    Python does.

    \b
    autograph-rs check src --exclude tests
    autograph-rs check src --format sarif > places.sarif

    \b
    Exit codes:
      0  there are none
      1  there are some
      2  wrong usage
      3  a file cannot be read, or is no Python
    """
    files = [*Walk(Selection(include, exclude)).files(paths)]
    if not files:
        batch.messages.print(options.NOTHING)
    results = batch.each(look, files, lost, count=batch.processes(jobs, len(files)))
    looked = [*batch.with_progress(results, len(files), shown=not quiet)]
    for file in looked:
        if file.problem:
            batch.messages.print(file.problem, style="red")
    found = [
        Located(file.path, finding)
        for file in sorted(looked, key=lambda file: file.path)
        for finding in file.findings
    ]
    sys.stdout.buffer.write(FORMATS[form](found).encode(errors="surrogateescape"))
    sys.stdout.buffer.flush()
    problems = sum(bool(file.problem) for file in looked)
    if not quiet:
        holding = sum(bool(file.findings) for file in looked)
        summary = f"{counted(len(found), 'place')} in {holding} of {counted(len(files), 'file')}"
        batch.messages.print(f"{summary}; {problems} cannot be read" if problems else summary)
    context.exit(options.FAILURE if problems else options.FINDINGS if found else 0)


def look(file: Found) -> Looked:
    """The findings of a file, in the order of its text."""
    if file.problem:
        return Looked(file.path, problem=f"{file.path}: {file.problem}")
    try:
        functions = Source.read(file.path).convert(report_source)
    except FileError as error:
        return Looked(file.path, problem=str(error))
    found = {finding for function in functions for finding in function.findings}
    ordered = sorted(found, key=lambda finding: (finding.line, finding.column, finding.code))
    return Looked("<stdin>" if file.path == STDIN else file.path, tuple(ordered))


def lost(file: Found) -> Looked:
    return Looked(file.path, problem=f"{file.path}: ended the process that read it")


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
