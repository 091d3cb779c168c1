"""Report how the functions of a module are converted, and which code in them cannot be staged.

The module is converted but never executed. Lines and columns count from 1, with one column per character, as
in an editor.
"""

from __future__ import annotations

from dataclasses import dataclass

import gast

from autograph_rs.converters.diagnostics import report, unsupported
from autograph_rs.converters.trees.python_trees import gast_tree

from ..source.definitions import FunctionNode, check_reserved_names, parse
from ..source.recursion_limit import guarded_conversion
from .modules import is_converted

RULES = tuple(unsupported.RULES.values())


@dataclass(frozen=True)
class Finding:
    """Code that cannot be staged, with its position."""

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
    """The report of one statement's conversion."""

    first_line: int
    """The line of its first decorator, if it has one, else `line`."""
    line: int
    end_line: int
    depth: int
    text: str
    """The text on its first line."""
    becomes: tuple[str, ...]
    findings: tuple[Finding, ...]
    start: tuple[int, int]
    """Line and column as in syntax trees, where columns count bytes from 0."""
    end: tuple[int, int]


@dataclass(frozen=True)
class FunctionReport:
    """The report of a function's conversion, with its statements."""

    name: str
    line: int
    end_line: int
    unconverted_reason: str
    """The reason why the function is not converted, or ""."""
    statements: tuple[StatementReport, ...]
    findings: tuple[Finding, ...]


def report_source(source: str, filename: str = "<string>") -> list[FunctionReport]:
    r"""Report how each function of a module is converted. The text must have Unix line endings.

    >>> text = "def f(xs):\n    total = 0\n    for x in xs:\n        total += x\n    return total\n"
    >>> [function] = report_source(text)
    >>> for statement in function.statements:
    ...     print(statement.line, statement.text, "->", *statement.becomes)
    2 total = 0 -> unchanged
    3 for x in xs: -> ag__.for_stmt: a staged loop if its iterable is staged; carries total
    4 total += x -> unchanged
    5 return total -> unchanged
    """
    module = parse(source, filename)
    if is_converted(module):
        return []
    check_reserved_names(module, filename)
    lines = source.split("\n")
    with guarded_conversion("the code", module, filename):
        return [_function_report(function, lines) for function in report.report(gast_tree(module))]


def report_function(node: FunctionNode, lines: list[str]) -> list[FunctionReport]:
    """Report how a function and its nested functions are converted. A lambda is reported as one `return`."""
    tree = gast_tree(node)
    if isinstance(tree, gast.Lambda):
        body = [gast.copy_location(gast.Return(tree.body), tree.body)]
        tree = gast.copy_location(gast.FunctionDef("<lambda>", tree.args, body, [], None, None, []), tree)
    return [_function_report(function, lines) for function in report.report(gast.Module([tree], []))]


def _function_report(function: report.FunctionReport, lines: list[str]) -> FunctionReport:
    statements = tuple(
        StatementReport(
            s.span.line,
            s.own_span.line,
            s.own_span.end_line,
            s.depth,
            _first_line(s.own_span, lines),
            s.becomes,
            tuple(_finding(p, lines) for p in s.unsupported),
            s.own_span.start,
            s.own_span.end,
        )
        for s in function.statements
    )
    findings = tuple(_finding(p, lines) for p in function.unsupported)
    span = function.span
    reason = function.unconverted_reason
    return FunctionReport(function.name, span.line, span.end_line, reason, statements, findings)


def _finding(construct: unsupported.UnsupportedConstruct, lines: list[str]) -> Finding:
    span, rule = construct.span, construct.rule
    column, end = _column(span.line, span.column, lines), _column(span.end_line, span.end_column, lines)
    return Finding(span.line, column, span.end_line, end, rule.code, rule.name, construct.reason, rule.remedy)


def _column(line: int, offset: int, lines: list[str]) -> int:
    """Convert a UTF-8 offset, as in syntax trees, to a column in characters."""
    return len(lines[line - 1].encode()[:offset].decode(errors="ignore")) + 1


def _first_line(span: unsupported.Span, lines: list[str]) -> str:
    """Return the text of a statement on its first line, without other statements on that line."""
    text = lines[span.line - 1].encode()
    end = span.end_column if span.end_line == span.line else len(text)
    return text[span.column : end].decode(errors="ignore").rstrip()
