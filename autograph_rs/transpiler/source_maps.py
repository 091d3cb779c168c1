"""Map positions in generated text to the user's source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from autograph_rs.runtime.debugging.source_maps import Segment, SourceMap


def build_source_map(converted: ast.AST, text: str, filename: str) -> SourceMap:
    """Return the source map of the text of a converted function."""
    [statement] = ast.parse(text).body
    is_lambda = isinstance(converted, ast.Lambda) and isinstance(statement, ast.Expr)
    parsed = statement.value if is_lambda else statement  # type: ignore[attr-defined]
    return SourceMap(filename, tuple(segments(parsed, converted)))


def segments(parsed: ast.AST, converted: ast.AST) -> list[Segment]:
    """Return the segments of a source map, in order. `converted` has the user's positions.

    Each statement has one segment. An expression whose original line differs from its parent's has a segment
    at its start, and one at its end that returns to the parent.
    """
    originals: dict[tuple[int, int], tuple[int, int]] = {}
    stack: list[tuple[Any, Any, tuple[int, int]]] = [(parsed, converted, (0, 0))]
    while stack:
        new, old, parent = stack.pop()
        if type(new) is not type(old):  # such as a negative number, which parses as an operation
            continue
        if isinstance(new, (ast.stmt, ast.Lambda)) or getattr(old, "lineno", parent[0]) != parent[0]:
            original = old.lineno, old.col_offset
            originals.setdefault((new.lineno, new.col_offset), original)
            if isinstance(new, ast.expr):
                originals.setdefault((new.end_lineno or new.lineno, new.end_col_offset or 0), parent)
            parent = original
        for generated, source in zip(*(getattr(n, "decorator_list", ()) for n in (new, old)), strict=False):
            originals[generated.lineno, 0] = source.lineno, source.col_offset
        if not isinstance(new, ast.JoinedStr):  # Python 3.11 positions its parts differently
            children = zip(ast.iter_child_nodes(new), ast.iter_child_nodes(old), strict=False)
            stack += [(*pair, parent) for pair in children]
    return sorted((*position, *original) for position, original in originals.items())


def walk_statements(tree: ast.AST) -> Iterator[ast.stmt]:
    """Yield the statements of a tree in source order."""
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, ast.expr):
            stack += reversed(list(ast.iter_child_nodes(node)))
