"""What several commands share: arguments, options, exit codes."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeVar

import click
from click.core import ParameterSource

try:
    VERSION = version("autograph_rs")
except PackageNotFoundError:  # a checkout that is not installed
    VERSION = ""

NOTHING = "no files: --include and --exclude are compared with paths below each PATH"
FINDINGS = 1
FAILURE = 3
INTERRUPTED = 130

DASHES = {"ignore_unknown_options": True}
"""So that `-:12`, a line of standard input, is no option."""

F = TypeVar("F", bound=Callable[..., Any])

PATH = click.Path(readable=False, allow_dash=True)  # what cannot be read is reported with the rest

paths = click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=PATH)
jobs = click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many processes; by default as many as processors.",
)


def selection(command: F) -> F:
    """Which files below a folder are taken."""
    command = click.option(
        "--exclude", multiple=True, metavar="GLOB", help="Of folders leave out such files."
    )(command)
    return click.option("--include", multiple=True, metavar="GLOB", help="Of folders take such files only.")(
        command
    )


def loudness(command: F) -> F:
    """How much is said."""
    command = click.option("-v", "--verbose", is_flag=True, help="Say what becomes of each file.")(command)
    return click.option("-q", "--quiet", is_flag=True, help="Say only what went wrong.")(command)


def is_given(context: click.Context, name: str) -> bool:
    """Whether an option stands on the command line, and not in the settings."""
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


def exclusive(**given: object) -> None:
    """At most one of some options is given.

    Raises:
        UsageError: there are more.
    """
    said = [name for name, value in given.items() if value]
    if len(said) > 1:
        raise click.UsageError(f"{' and '.join(said)} exclude each other")
