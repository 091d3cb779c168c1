"""Replace the functions in a module's text with their converted forms, and copy the rest unchanged."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autograph_rs.runtime.debugging.source_maps import Segment

from ..source.definitions import OPERATORS, first_line
from ..transpiler.source_maps import segments, walk_statements
from .comments import (
    Comment,
    Key,
    StatementComments,
    attach_comments,
    comments_in,
    key,
    place_comments,
)


@dataclass(frozen=True)
class Line:
    """One line of a converted text."""

    text: str
    original_row: int = 0
    """The row of the user's text that the line copies, from 1; 0 for a generated line."""
    mappings: tuple[tuple[int, int, int], ...] = ()
    """Columns of this line, each with the row and column of the user's text that it maps to."""


def outermost_functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield the functions of a module that are not inside another function, in order."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node
        elif not isinstance(node, ast.expr):
            yield from outermost_functions(node)


def rewrite_module(source: str, original: ast.Module, converted: ast.Module, *, mapped: bool) -> list[Line]:
    """Return the lines of a module with its converted functions, or no lines if nothing is converted.

    If `mapped`, the lines have mappings, and a decorator restores each function's original lines from a
    source map.
    """
    text = source.split("\n")
    out: list[Line] = []
    comments: list[Comment] | None = None
    copied_until = 0
    for old, new in zip(outermost_functions(original), outermost_functions(converted), strict=True):
        if not any(isinstance(node, ast.Name) and node.id == OPERATORS for node in ast.walk(new)):
            continue
        start, end = first_line(old) - 1, old.end_lineno or old.lineno
        while old.decorator_list and not text[start].lstrip().startswith("@"):  # `@(` is on a line above
            start -= 1
        while start > copied_until and text[start - 1].strip() == "\\":  # a backslash after indentation
            start -= 1
        out += _copied_lines(text, copied_until, start)
        attached: dict[Key, StatementComments] = {}
        if any("#" in line for line in text[start:end]):
            comments = comments_in(source) if comments is None else comments
            attached = attach_comments((c for c in comments if start < c.row <= end), old)
        if mapped:
            decorator = ast.Attribute(ast.Name(OPERATORS, ast.Load()), "mapped", ast.Load())
            new.decorator_list.append(ast.fix_missing_locations(ast.copy_location(decorator, new)))
        indent = text[start][: len(text[start]) - len(text[start].lstrip())]
        out += _function_lines(new, attached, indent, mapped=mapped)
        copied_until = end
    return out + _copied_lines(text, copied_until, len(text)) if copied_until else []


def _copied_lines(text: Sequence[str], start: int, stop: int) -> list[Line]:
    return [Line(text[row], row + 1, ((0, row + 1, 0),)) for row in range(start, stop)]


def _function_lines(
    converted: ast.stmt, attached: dict[Key, StatementComments], indent: str, *, mapped: bool
) -> list[Line]:
    """Return the indented lines of one converted function, with its comments."""
    code = ast.unparse(converted)
    has_multiline_string = "'''" in code or '"""' in code
    needs_tree = attached or mapped or (indent and has_multiline_string)
    parsed = ast.parse(code).body[0] if needs_tree else ast.Pass()
    unindented = _rows_inside_strings(parsed) if has_multiline_string else set()
    above, beside, below = place_comments(attached, _pair_statements(parsed, converted) if attached else {})
    mappings: defaultdict[int, list[Segment]] = defaultdict(list)
    for segment in segments(parsed, converted) if mapped else ():
        mappings[segment[0]].append(segment)
    out: list[Line] = []
    for row, text in enumerate(code.split("\n"), 1):
        comment_indent = indent + text[: len(text) - len(text.lstrip())]
        shift = "" if row in unindented or not text else indent
        trailing = "".join(f"  {comment}" for comment in beside.get(row, ()))
        out += [Line(comment_indent + comment) for comment in above.get(row, ())]
        here = tuple((start + len(shift.encode()), old, column) for _, start, old, column in mappings[row])
        out.append(Line(shift + text + trailing, 0, here))
        out += [Line(comment_indent + comment) for comment in below.get(row, ())]
    return out


def _pair_statements(parsed: ast.stmt, converted: ast.stmt) -> dict[Key, list[ast.stmt]]:
    """Map the position of each user statement to the statements generated from it."""
    pairs: dict[Key, list[ast.stmt]] = {}
    for new, old in zip(walk_statements(parsed), walk_statements(converted), strict=True):
        pairs.setdefault(key(old), []).append(new)
    return pairs


def _rows_inside_strings(tree: ast.stmt) -> set[int]:
    """Return the rows that begin inside a string, which indentation would change."""
    strings = (node for node in ast.walk(tree) if isinstance(node, (ast.Constant, ast.JoinedStr)))
    return {row for string in strings for row in range(string.lineno + 1, (string.end_lineno or 0) + 1)}
