"""A smaller program that fails in the same way: statements and expressions are left out as long as it does.

hypothesis shrinks the choices that a program was written from; this shrinks what was written.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator


def shrink(text: str, fails: Callable[[str], bool]) -> str:
    """The smallest text found for which `fails` holds."""
    text = ast.unparse(ast.parse(text))
    while True:
        for smaller in _smaller(ast.parse(text)):
            if len(smaller) < len(text) and _compiles(smaller) and fails(smaller):
                text = smaller
                break
        else:
            return text


def _compiles(text: str) -> bool:
    try:
        compile(text, "<smaller>", "exec")
    except SyntaxError:
        return False
    return True


def _smaller(tree: ast.Module) -> Iterator[str]:
    places = [
        (number, field)
        for number, node in enumerate(ast.walk(tree))
        for field in node._fields
        if isinstance(getattr(node, field, None), (list, ast.expr))
    ]
    for number, field in places:
        node = _nth(tree, number)
        value = getattr(node, field)
        if isinstance(value, list):
            for i in range(len(value)):
                yield from _changed(tree, number, field, lambda items, i=i: items[:i] + items[i + 1 :])
                if isinstance(value[i], ast.stmt):
                    for block in ("body", "orelse", "finalbody"):
                        if inner := getattr(value[i], block, None):
                            new = copy.deepcopy(inner)
                            yield from _changed(
                                tree,
                                number,
                                field,
                                lambda items, i=i, new=new: items[:i] + new + items[i + 1 :],
                            )
        else:
            parts = [child for child in ast.iter_child_nodes(value) if isinstance(child, ast.expr)]
            for new in (ast.Constant(0), *parts):
                yield from _changed(tree, number, field, lambda _, new=new: copy.deepcopy(new))


def _nth(tree: ast.AST, number: int) -> ast.AST:
    return next(node for i, node in enumerate(ast.walk(tree)) if i == number)


def _changed(tree: ast.Module, number: int, field: str, change: Callable) -> Iterator[str]:
    """The text with one field of one node changed, if there is such a text."""
    tree = copy.deepcopy(tree)
    node = _nth(tree, number)
    value = change(getattr(node, field))
    if field == "body" and value == []:
        value = [ast.Pass()]
    setattr(node, field, value)
    try:
        text = ast.unparse(ast.fix_missing_locations(tree))
    except Exception:  # no tree that can be written, such as a `with` of nothing
        return
    yield text
