"""Before/after pairs: what passes make of one function, as text."""

from __future__ import annotations

import ast
import textwrap

import gast

from autograph_rs import converters


def text(tree: gast.AST) -> str:
    return ast.unparse(ast.fix_missing_locations(gast.gast_to_ast(tree)))


def check(passes: type | tuple, before: str, after: str) -> None:
    """The passes turn one function's text into another's; the layout of both is Python's own."""
    tree = gast.parse(textwrap.dedent(before)).body[0]
    converters.convert_tree(tree, passes=passes if isinstance(passes, tuple) else (passes,), verify=True)
    assert text(tree) == ast.unparse(ast.parse(textwrap.dedent(after)))


def unchanged(passes: type | tuple, source: str) -> None:
    check(passes, source, source)
