"""`autograph-rs check`: list code whose syntax cannot be staged."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import click

from ..ahead_of_time.reports import Finding, report_source
from . import batch, options
from .files import STDIN, FileError, Source
from .formats import FORMATS
from .targets import InputFile, Selection, Walk


@dataclass(frozen=True)
class FileFindings:
    """The findings in a file, or the reason why it cannot be read."""

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
    help="Text, JSON, GitHub workflow commands, or SARIF for code scanning.",
)
@options.selection
@options.jobs
@click.option("-q", "--quiet", is_flag=True, help="Do not print the number of findings.")
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
    """List code whose syntax cannot be staged in files, packages, folders, or standard input (-).

    Such code raises an error if its condition or iterable is a staged value. With plain values it runs as in
    Python.

    \b
    autograph-rs check src --exclude tests
    autograph-rs check src --format sarif > findings.sarif

    \b
    Exit codes:
      0  no findings
      1  findings
      2  wrong usage
      3  a file cannot be read, or is not valid Python
    """
    files = [*Walk(Selection(include, exclude)).files(paths)]
    if not files:
        batch.messages.print(options.NO_FILES)
    results = batch.run_jobs(check_file, files, crashed, count=batch.process_count(jobs, len(files)))
    checked = [*batch.with_progress(results, len(files), shown=not quiet)]
    for file in checked:
        if file.problem:
            batch.messages.print(file.problem, style="red")
    findings = [
        (file.path, finding)
        for file in sorted(checked, key=lambda file: file.path)
        for finding in file.findings
    ]
    sys.stdout.buffer.write(FORMATS[form](findings).encode(errors="surrogateescape"))
    sys.stdout.buffer.flush()
    problems = sum(bool(file.problem) for file in checked)
    if not quiet:
        with_findings = sum(bool(file.findings) for file in checked)
        summary = f"{counted(len(findings), 'finding')} in {with_findings} of {counted(len(files), 'file')}"
        batch.messages.print(f"{summary}; {problems} cannot be read" if problems else summary)
    context.exit(options.FAILURE if problems else options.FINDINGS if findings else 0)


def check_file(file: InputFile) -> FileFindings:
    """Return the findings in a file, in source order."""
    if file.problem:
        return FileFindings(file.path, problem=f"{file.path}: {file.problem}")
    try:
        functions = Source.read(file.path).convert(report_source)
    except FileError as error:
        return FileFindings(file.path, problem=str(error))
    findings = {finding for function in functions for finding in function.findings}
    ordered = sorted(findings, key=lambda finding: (finding.line, finding.column, finding.code))
    return FileFindings("<stdin>" if file.path == STDIN else file.path, tuple(ordered))


def crashed(file: InputFile) -> FileFindings:
    return FileFindings(file.path, problem=f"{file.path}: the process that read it crashed")


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
