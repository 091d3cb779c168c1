"""`autograph-rs explain`: show how each statement of a function is converted."""

from __future__ import annotations

import os
import re
import sys

import click
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ..ahead_of_time.reports import FunctionReport, StatementReport, report_source
from . import options
from .files import Source


@click.command(context_settings=options.ALLOW_DASHES)
@click.argument("place", metavar="FILE[:LINE]")
def explain(place: str) -> None:
    """Show what is converted and what is left unconverted, and why, statement by statement.

    With LINE, show only the function that contains it, and mark the statement. Use - for standard input.

    \b
    autograph-rs explain model.py
    autograph-rs explain model.py:12
    """
    file, line = place, None
    numbered = re.fullmatch(r"(.+):(\d+)", place)
    if numbered is not None and not os.path.exists(place):
        file, line = numbered[1], int(numbered[2])
    source = Source.read(file)
    last = source.text.removesuffix("\n").count("\n") + 1
    if line is not None and not 1 <= line <= last:
        raise click.UsageError(f"line {line} is out of range: {source.name} has lines 1 to {last}")
    functions = source.convert(report_source)
    if line is not None:
        functions = [f for f in functions if f.line <= line <= f.end_line][-1:]
    if not functions:
        where = source.name if line is None else f"{source.name}:{line}"
        reason = "no functions" if line is None else "not inside a function"
        click.echo(f"{where}: {reason}: unchanged")
        return
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    console = Console(highlight=False, markup=False, emoji=False)
    for function in functions:
        around = (s for s in reversed(function.statements) if line and s.first_line <= line <= s.end_line)
        marked = next(around, None)
        if console.is_terminal:
            print_table(console, source.name, function, marked)
        else:
            print_lines(source.name, function, marked)


def headline(name: str, function: FunctionReport) -> str:
    reason = function.unconverted_reason
    suffix = f": left unconverted: {reason}" if reason else ""
    return f"{name}:{function.line}: {function.name}{suffix}"


def print_lines(name: str, function: FunctionReport, marked: StatementReport | None) -> None:
    """Print a function as plain text: each statement, followed by its conversion."""
    click.echo(headline(name, function))
    for statement in function.statements:
        indent = "    " * statement.depth
        mark = ">" if statement is marked else " "
        click.echo(f"{mark} {statement.line:4}  {indent}{statement.text}")
        for line in statement.becomes:
            click.echo(f"        {indent}    # {line}")


def print_table(
    console: Console, name: str, function: FunctionReport, marked: StatementReport | None
) -> None:
    """Print a function as a table as wide as the terminal."""
    table = Table(title=Text(headline(name, function), "bold"), title_justify="left", expand=True)
    table.add_column("line", justify="right", no_wrap=True)
    table.add_column("statement", ratio=2, overflow="fold")
    table.add_column("conversion", ratio=3, overflow="fold")
    for statement in function.statements:
        style = "reverse" if statement is marked else ""
        source = Padding(Text(statement.text, style), (0, 0, 0, 2 * min(statement.depth, 8)))
        color = "yellow" if statement.findings else "dim" if statement.becomes == ("unchanged",) else ""
        table.add_row(str(statement.line), source, Text("\n".join(statement.becomes), color))
    console.print(table)
