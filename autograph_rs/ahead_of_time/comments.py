"""Carry the comments of a function over to the text of its converted form.

A comment beside, inside or above a statement belongs to that statement. So does a comment below the last
statement of a block. Each comment moves with its statement, and is dropped if the statement has no converted
form.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ..source.definitions import first_line

Key = tuple[int, int]
"""Line and column of a statement in the user's text. The statements generated from it keep this position."""
CommentsByRow = defaultdict[int, list[str]]


@dataclass(frozen=True)
class Comment:
    """A comment. `is_alone` means that its line contains nothing else."""

    row: int
    column: int
    text: str
    is_alone: bool


@dataclass
class StatementComments:
    """The comments of one statement."""

    kind: type[ast.stmt]
    above: list[str] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)
    below: list[str] = field(default_factory=list)


def comments_in(text: str) -> list[Comment]:
    """Return the comments in a module's text. The text must compile."""
    comments = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            comments.append(Comment(row, column, token.string, not token.line[:column].strip()))
    return comments


def attach_comments(comments: Iterable[Comment], function: ast.stmt) -> dict[Key, StatementComments]:
    """Assign the comments inside a function to its statements."""
    statements = sorted(
        (node for node in ast.walk(function) if isinstance(node, ast.stmt)),
        key=lambda s: (first_line(s), key(s)),
    )
    attached = {key(s): StatementComments(type(s)) for s in statements}
    index = 0
    for comment in comments:
        while index < len(statements) and first_line(statements[index]) <= comment.row:
            index += 1
        previous = statements[max(index - 1, 0)]  # a comment inside `@(` precedes even the first statement
        following = statements[index] if index < len(statements) else None
        if comment.row <= (_last_own_row if comment.is_alone else _last_row_before_blocks)(previous):
            target = attached[key(previous)]
            target.above += target.beside  # only the last comment can stay beside
            target.beside = []
            (target.above if comment.is_alone else target.beside).append(comment.text)
        elif following is None or (comment.is_alone and following.col_offset < comment.column):
            attached[key(previous)].below.append(comment.text)
        else:
            attached[key(following)].above.append(comment.text)
    return {where: c for where, c in attached.items() if c.above or c.beside or c.below}


def place_comments(
    attached: Mapping[Key, StatementComments], converted: dict[Key, list[ast.stmt]]
) -> tuple[CommentsByRow, CommentsByRow, CommentsByRow]:
    """Return the comments to put above, beside and below each row of the converted text."""
    above, beside, below = CommentsByRow(list), CommentsByRow(list), CommentsByRow(list)
    for where, comments in attached.items():
        statements = converted.get(where)
        if not statements:
            continue
        above[first_line(statements[0])] += comments.above
        # The declarations and the return of a function have the position of its first statement.
        own = [s for s in statements if comments.kind is ast.Return or not isinstance(s, ast.Return)]
        last = (own or statements)[-1]
        main = _main_statement(statements, comments.kind)
        row = _header_row(main)
        if row is None:
            above[first_line(main)] += comments.beside
        else:
            beside[row] += comments.beside
        below[last.end_lineno or last.lineno] += comments.below
    return above, beside, below


def _main_statement(converted: list[ast.stmt], kind: type[ast.stmt]) -> ast.stmt:
    """Return the statement to put comments beside: the operator call, or a statement of the original type."""
    operator = f"ag__.{kind.__name__.lower()}_stmt"
    for statement in converted:
        match statement:
            case ast.Expr(value=ast.Call(func=func)) if ast.unparse(func) == operator:
                return statement
    steps = [s for s in converted if not (isinstance(s, ast.AnnAssign) and s.value is None)] or converted
    kinds = (ast.Assign, kind) if kind is ast.AnnAssign else (kind,)
    return next((s for s in steps if isinstance(s, kinds)), steps[0])


def _header_row(statement: ast.stmt) -> int | None:
    """Return the row where a comment can follow a statement, or None if its header spans several rows."""
    rows = {statement.lineno, _last_own_row(statement)}
    return max(rows) if len(rows) == 1 or not hasattr(statement, "body") else None


def key(statement: ast.stmt) -> Key:
    return statement.lineno, statement.col_offset


def _last_own_row(statement: ast.stmt) -> int:
    """Return the last row of a statement, or of the header of a compound statement."""
    if not hasattr(statement, "body") and not isinstance(statement, ast.Match):
        return statement.end_lineno or statement.lineno
    return max([statement.lineno, *_header_rows(statement)])


def _last_row_before_blocks(statement: ast.stmt) -> int:
    """Return the last row that may belong to a statement's header, such as that of a closing `)`."""
    if isinstance(statement, ast.Match):
        first = statement.cases[0].pattern.lineno
    elif body := getattr(statement, "body", None):
        first = first_line(body[0])
    else:
        first = 0
    return max(_last_own_row(statement), first - 1)


def _header_rows(node: ast.AST) -> Iterator[int]:
    for inner in ast.iter_child_nodes(node):
        if not isinstance(inner, (ast.stmt, ast.ExceptHandler, ast.match_case)):
            row = getattr(inner, "end_lineno", None)
            yield from _header_rows(inner) if row is None else [row]
