"""Write converted functions as text, with their comments and the mappings to the user's lines."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from autograph_rs.runtime.debugging.source_maps import Segment

from ..source.definitions import OPERATORS, first_line
from ..transpiler.source_maps import segments, walk_statements
from .comments import Comment, Key, StatementComments, attach_comments, key, place_comments
from .editing import EditedText, Line

FunctionStatement: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


def outermost_functions(tree: ast.AST) -> Iterator[FunctionStatement]:
    """Yield the functions of a module that are not inside another function, in order."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node
        elif not isinstance(node, ast.expr):
            yield from outermost_functions(node)


def replace_function(
    text: EditedText,
    old: FunctionStatement,
    new: FunctionStatement,
    comments: Callable[[], Sequence[Comment]],
    *,
    mapped: bool,
) -> None:
    """Replace a function with its converted form, into which its comments move."""
    start, end = first_row(text, old), old.end_lineno or old.lineno
    attached: dict[Key, StatementComments] = {}
    if any("#" in line for line in text.rows[start - 1 : end]):
        attached = attach_comments((c for c in comments() if start <= c.row <= end), old)
    text.replace_rows(start, end, statement_lines(new, attached, text.indentation(start), mapped=mapped))


def decorate_with_mapped(function: FunctionStatement) -> None:
    """Add the decorator that restores a function's original lines from a source map."""
    decorator = ast.Attribute(ast.Name(OPERATORS, ast.Load()), "mapped", ast.Load())
    function.decorator_list.append(ast.fix_missing_locations(ast.copy_location(decorator, function)))


def has_operators(tree: ast.AST) -> bool:
    return any(isinstance(node, ast.Name) and node.id == OPERATORS for node in ast.walk(tree))


def first_row(text: EditedText, statement: ast.stmt) -> int:
    """Return the first row of a statement, with its decorators and the backslashes before it."""
    row = first_line(statement)
    while getattr(statement, "decorator_list", ()) and not text.row(row).lstrip().startswith("@"):
        row -= 1  # `@(` is on a line above
    while row > 1 and text.row(row - 1).strip() == "\\":  # a backslash after indentation
        row -= 1
    return row


def statement_lines(
    converted: ast.stmt, attached: Mapping[Key, StatementComments], indent: str, *, mapped: bool
) -> list[Line]:
    """Return the indented lines of one converted statement, with its comments."""
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
