"""What becomes of the functions of a module, statement by statement, and what of it cannot be staged.

Nothing of the input is run: it is converted, and the converter says what it did. Lines and columns are those
that an editor shows: from 1, a column for each character.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

import gast

from autograph_rs.converters import places, report
from autograph_rs.converters.python_trees import gast_tree

from .depth import converting
from .modules import IMPORT
from .refusals import node_place
from .source import FunctionNode, parse, refuse_own_name

RULES = tuple(places.RULES.values())


@dataclass(frozen=True)
class Finding:
    """A place that cannot be staged."""

    line: int
    column: int
    end_line: int
    end_column: int
    code: str
    name: str
    reason: str
    remedy: str


@dataclass(frozen=True)
class StatementReport:
    """A statement: its lines, the text of the first of them, and what becomes of it.

    `first_line` is that of its first decorator, if it has any. `start` and `end` are its place as trees
    have it.
    """

    first_line: int
    line: int
    end_line: int
    depth: int
    text: str
    becomes: tuple[str, ...]
    findings: tuple[Finding, ...]
    start: tuple[int, int]
    end: tuple[int, int]


@dataclass(frozen=True)
class FunctionReport:
    """A function and its statements; `left` says why it is not converted, and is empty where it is."""

    name: str
    line: int
    end_line: int
    left: str
    statements: tuple[StatementReport, ...]
    findings: tuple[Finding, ...]


def report_source(source: str, filename: str = "<string>") -> list[FunctionReport]:
    r"""What becomes of each function of a module's text.

    Args:
        source: the module's text, with plain ends of lines.
        filename: what to call it in errors.

    Raises:
        ConversionError: the text is no Python, or too deeply nested to be converted.

    >>> text = "def f(xs):\n    total = 0\n    for x in xs:\n        total += x\n    return total\n"
    >>> [function] = report_source(text)
    >>> for statement in function.statements:
    ...     print(statement.line, statement.text, "->", *statement.becomes)
    2 total = 0 -> as it is
    3 for x in xs: -> ag__.for_stmt: a loop where what it iterates is staged; carries total
    4 total += x -> as it is
    5 return total -> as it is
    >>> [function] = report_source("def g(x):\n    if x > 0:\n        yield x\n")
    >>> for finding in function.findings:
    ...     print(finding.line, finding.column, finding.reason)
    2 8 'if' cannot be staged: it holds 'yield' (line 3), and only the function itself can be suspended
    """
    module = parse(source, filename)
    if any(isinstance(s, ast.ImportFrom) and ast.unparse(s) == IMPORT for s in module.body):
        return []  # converted already
    refuse_own_name(module, filename)
    lines = source.split("\n")
    with converting("the code", lambda: node_place(module, filename)):
        return [_shown(function, lines) for function in report.report(gast_tree(module))]


def report_function(node: FunctionNode, lines: list[str]) -> list[FunctionReport]:
    """What becomes of a function, and of those inside it.

    Args:
        node: its tree; a lambda is a function that returns.
        lines: those of its file.
    """
    tree = gast_tree(node)
    if isinstance(tree, gast.Lambda):
        body = [gast.copy_location(gast.Return(tree.body), tree.body)]
        tree = gast.copy_location(gast.FunctionDef("<lambda>", tree.args, body, [], None, None, []), tree)
    return [_shown(function, lines) for function in report.report(gast.Module([tree], []))]


def _shown(function: report.FunctionReport, lines: list[str]) -> FunctionReport:
    statements = tuple(
        StatementReport(
            s.span.line,
            s.place.line,
            s.place.end_line,
            s.depth,
            _first_line(s.place, lines),
            s.becomes,
            tuple(_finding(p, lines) for p in s.places),
            s.place.start,
            s.place.end,
        )
        for s in function.statements
    )
    findings = tuple(_finding(p, lines) for p in function.places)
    span = function.span
    return FunctionReport(function.name, span.line, span.end_line, function.left, statements, findings)


def _finding(place: places.Place, lines: list[str]) -> Finding:
    span, rule = place.span, place.rule
    column, end = _column(span.line, span.column, lines), _column(span.end_line, span.end_column, lines)
    return Finding(span.line, column, span.end_line, end, rule.code, rule.name, place.reason, rule.remedy)


def _column(line: int, offset: int, lines: list[str]) -> int:
    """The column of a character, from its offset in the bytes of UTF-8 that trees count."""
    return len(lines[line - 1].encode()[:offset].decode(errors="ignore")) + 1


def _first_line(span: places.Span, lines: list[str]) -> str:
    """The text of a statement on its first line, without those beside it."""
    text = lines[span.line - 1].encode()
    end = span.end_column if span.end_line == span.line else len(text)
    return text[span.column : end].decode(errors="ignore").rstrip()
