"""Arguments, options and exit codes that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeVar

import click
from click.core import ParameterSource

try:
    VERSION = version("autograph_rs")
except PackageNotFoundError:  # run from a checkout
    VERSION = ""

NO_FILES = "no files found: --include and --exclude match paths relative to each PATH"
FINDINGS = 1
FAILURE = 3
INTERRUPTED = 130

ALLOW_DASHES = {"ignore_unknown_options": True}
"""Make click accept `-:12`, a line of standard input, as an argument rather than an option."""

F = TypeVar("F", bound=Callable[..., Any])

PATH = click.Path(readable=False, allow_dash=True)  # unreadable files are reported later with other errors

paths = click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=PATH)
jobs = click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of processes; by default one per processor.",
)


def selection(command: F) -> F:
    """Add the options that select files in folders."""
    for name, help_text in (
        ("--exclude", "Skip matching files in folders."),
        ("--include", "Use only matching files in folders."),
    ):
        command = click.option(name, multiple=True, metavar="GLOB", help=help_text)(command)
    return command


def verbosity(command: F) -> F:
    """Add the options that set how much is printed."""
    command = click.option("-v", "--verbose", is_flag=True, help="Print the result of each file.")(command)
    return click.option("-q", "--quiet", is_flag=True, help="Print only errors.")(command)


def is_on_command_line(context: click.Context, name: str) -> bool:
    """Return whether an option was set on the command line rather than in `pyproject.toml`."""
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


def require_exclusive(**options: object) -> None:
    names = [name for name, value in options.items() if value]
    if len(names) > 1:
        raise click.UsageError(f"{' and '.join(names)} cannot be used together")
