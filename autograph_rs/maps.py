"""Source maps: the lines of generated text, and the places of the user's text that they came from."""

from __future__ import annotations

import ast
from dataclasses import dataclass


@dataclass(frozen=True)
class SourceMap:
    """From lines of generated text to the user's file.

    `lines` has (line, column) of the user's text by line of the generated one, where a statement starts;
    columns count bytes from 0.
    """

    filename: str
    lines: dict[int, tuple[int, int]]

    def original(self, line: int) -> tuple[str, int, int]:
        """File, line and column of the statement that a line of the generated text is part of.

        Raises:
            KeyError: no statement starts there or before.
        """
        start = max((own for own in self.lines if own <= line), default=line)
        return self.filename, *self.lines[start]


def source_map(made: ast.AST, text: str, filename: str) -> SourceMap:
    """The map of a text, which is what `ast.unparse` made of a tree with places of the user's text."""
    [parsed] = ast.parse(text).body
    given = parsed.value if isinstance(parsed, ast.Expr) else parsed
    lines: dict[int, tuple[int, int]] = {}
    for new, old in zip(_placed(given), _placed(made), strict=True):
        lines.setdefault(new.lineno, (old.lineno, old.col_offset))
    return SourceMap(filename, lines)


def _placed(tree: ast.AST) -> list[ast.stmt]:
    """The statements of a tree, in the order of their text."""
    found: list[ast.stmt] = []
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.stmt, ast.Lambda)):
            found.append(node)  # type: ignore[arg-type]
        inner = (part for part in ast.iter_child_nodes(node) if not isinstance(part, ast.expr))
        stack.extend(reversed(list(inner)))
    return found
