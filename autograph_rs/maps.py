"""Where generated text came from: its places beside those of the user's text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from autograph_rs.runtime.source_maps import Segment, SourceMap


def source_map(made: ast.AST, text: str, filename: str) -> SourceMap:
    """The map of a text, which is what `ast.unparse` made of a function with places of the user's text."""
    [statement] = ast.parse(text).body
    is_lambda = isinstance(made, ast.Lambda) and isinstance(statement, ast.Expr)
    parsed = statement.value if is_lambda else statement  # type: ignore[attr-defined]
    return SourceMap(filename, tuple(segments(parsed, made)))


def segments(parsed: ast.AST, made: ast.AST) -> list[Segment]:
    """The places of generated text, in its order.

    There is one for each statement, and for each expression that is on another line of the user's text than
    what it is part of, and another after it.

    Args:
        parsed: the tree of the text.
        made: the tree that the text was made of, with places of the user's text.
    """
    found: dict[tuple[int, int], tuple[int, int]] = {}
    stack: list[tuple[Any, Any, tuple[int, int]]] = [(parsed, made, (0, 0))]
    while stack:
        new, old, above = stack.pop()
        if type(new) is not type(old):  # such as a negative number, which Python reads as an operation
            continue
        if isinstance(new, (ast.stmt, ast.Lambda)) or getattr(old, "lineno", above[0]) != above[0]:
            here = old.lineno, old.col_offset
            found.setdefault((new.lineno, new.col_offset), here)
            if isinstance(new, ast.expr):
                found.setdefault((new.end_lineno or new.lineno, new.end_col_offset or 0), above)
            above = here
        for one, other in zip(*(getattr(node, "decorator_list", ()) for node in (new, old)), strict=False):
            found[one.lineno, 0] = (
                other.lineno,
                other.col_offset,
            )  # they come before the statement's own place
        if not isinstance(new, ast.JoinedStr):  # Python 3.11 has other places there
            parts = zip(ast.iter_child_nodes(new), ast.iter_child_nodes(old), strict=False)
            stack += [(*pair, above) for pair in parts]
    return sorted((*here, *there) for here, there in found.items())


def statements_of(tree: ast.AST) -> Iterator[ast.stmt]:
    """The statements of a tree, in the order of their text."""
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, ast.expr):
            stack += reversed(list(ast.iter_child_nodes(node)))
