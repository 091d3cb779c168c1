"""Comments of a function's text, put into the text of its converted form.

A comment belongs to the statement that it stands on, inside or above; below the last one of a block, to that.
It comes with what became of that statement, and goes where nothing did.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

Key = tuple[int, int]
"""Line and column of a statement of the user's text: what stands for it has the same."""
Rows = defaultdict[int, list[str]]
"""Comments by row of a converted text."""


@dataclass(frozen=True)
class Comment:
    """One comment: its place, and whether nothing else is on its line."""

    row: int
    column: int
    text: str
    alone: bool


@dataclass
class Attached:
    """The comments of one statement of some kind."""

    kind: type[ast.stmt]
    above: list[str] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)
    below: list[str] = field(default_factory=list)


def comments_in(text: str) -> list[Comment]:
    """The comments of a module's text, which must be one that Python compiles."""
    found = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            found.append(Comment(row, column, token.string, not token.line[:column].strip()))
    return found


def attach(comments: Iterable[Comment], function: ast.stmt) -> dict[Key, Attached]:
    """The comments inside a function, by the statement that each belongs to."""
    statements = sorted(
        (node for node in ast.walk(function) if isinstance(node, ast.stmt)),
        key=lambda s: (first_row(s), key(s)),
    )
    found = {key(s): Attached(type(s)) for s in statements}
    place = 0
    for comment in comments:
        while place < len(statements) and first_row(statements[place]) <= comment.row:
            place += 1
        last = statements[max(place - 1, 0)]  # the first one where the comment is inside the `@(` above it
        after = statements[place] if place < len(statements) else None
        if comment.row <= (_last_own_row(last) if comment.alone else _last_row_before_blocks(last)):
            of_last = found[key(last)]
            of_last.above += of_last.beside  # only what comes last can be beside
            of_last.beside = []
            (of_last.above if comment.alone else of_last.beside).append(comment.text)
        elif after is None or (comment.alone and after.col_offset < comment.column):
            found[key(last)].below.append(comment.text)
        else:
            found[key(after)].above.append(comment.text)
    return {where: those for where, those in found.items() if those.above or those.beside or those.below}


def placed(attached: dict[Key, Attached], made: dict[Key, list[ast.stmt]]) -> tuple[Rows, Rows, Rows]:
    """The comments that go above, beside and below rows of a converted function's text.

    Args:
        attached: comments by statement of the user's text.
        made: what each of these became, in the order of the converted text.
    """
    above, beside, below = Rows(list), Rows(list), Rows(list)
    for where, comments in attached.items():
        if where not in made:
            continue
        first = made[where][0]
        above[first_row(first)] += comments.above
        # What a function's first statement became has the places of its declarations and its end, too.
        own = [s for s in made[where] if comments.kind is ast.Return or not isinstance(s, ast.Return)]
        last = (own or made[where])[-1]
        main = _main(made[where], comments.kind)
        row = _header_row(main)
        if row is None:
            above[first_row(main)] += comments.beside
        else:
            beside[row] += comments.beside
        below[last.end_lineno or last.lineno] += comments.below
    return above, beside, below


def _main(made: list[ast.stmt], kind: type[ast.stmt]) -> ast.stmt:
    """Of what became of a statement, what does its work: the call of its operator, or what is of its kind."""
    operator = f"ag__.{kind.__name__.lower()}_stmt"
    calls = [s for s in made if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call)]
    called = next((s for s in calls if ast.unparse(s.value.func) == operator), None)  # type: ignore[attr-defined]
    if called is not None:
        return called
    work = [s for s in made if not (isinstance(s, ast.AnnAssign) and s.value is None)] or made
    kinds = (ast.Assign, kind) if kind is ast.AnnAssign else (kind,)
    return next((s for s in work if isinstance(s, kinds)), work[0])


def _header_row(statement: ast.stmt) -> int | None:
    """The row on which a comment can stand beside a statement, if there is one."""
    rows = {statement.lineno, _last_own_row(statement)}
    return max(rows) if len(rows) == 1 or not hasattr(statement, "body") else None


def key(statement: ast.stmt) -> Key:
    return statement.lineno, statement.col_offset


def first_row(statement: ast.stmt) -> int:
    decorators = getattr(statement, "decorator_list", None)
    return min(d.lineno for d in decorators) if decorators else statement.lineno


def _last_own_row(statement: ast.stmt) -> int:
    """The last row of a statement, or of what stands before the blocks of a compound one."""
    if not hasattr(statement, "body") and not isinstance(statement, ast.Match):
        return statement.end_lineno or statement.lineno
    return max([statement.lineno, *_rows(statement)])


def _last_row_before_blocks(statement: ast.stmt) -> int:
    """The last row on which code of a statement itself can be, such as the `)` that ends its arguments."""
    inner = getattr(statement, "cases", None) or getattr(statement, "body", None)
    before = (
        (inner[0].pattern.lineno if isinstance(statement, ast.Match) else first_row(inner[0])) - 1
        if inner
        else 0
    )
    return max(_last_own_row(statement), before)


def _rows(node: ast.AST) -> Iterator[int]:
    for inner in ast.iter_child_nodes(node):
        if not isinstance(inner, (ast.stmt, ast.ExceptHandler, ast.match_case)):
            row = getattr(inner, "end_lineno", None)
            yield from _rows(inner) if row is None else [row]
