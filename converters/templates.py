"""Code with holes, written as the output that it becomes.

A *hole* is a name that begins with `$`. It stands for a name (filled with a string), an expression
(filled with a node), a statement line (filled with a list of statements) or the names of a
`nonlocal` (filled with a list of strings; the line goes when the list is empty).

>>> LOOP = template('''
...     def $test():
...         return $condition
... ''')
>>> from autograph_rs.converters.trees import load
>>> import ast
>>> [built] = LOOP(test="loop_test", condition=load("flag"))
>>> print(ast.unparse(ast.fix_missing_locations(gast.gast_to_ast(built))))
def loop_test():
    return flag
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from typing import Any

import gast

_PREFIX = "hole__"


class Template:
    """A parsed template; calling it with exactly its holes filled builds fresh statements."""

    def __init__(self, text: str):
        marked = re.sub(r"\$(\w+)", rf"{_PREFIX}\1", textwrap.dedent(text))
        self._body = gast.parse(marked).body
        self._holes = frozenset(re.findall(r"\$(\w+)", text))

    def __call__(self, **fill: Any) -> list[gast.AST]:
        if fill.keys() != self._holes:
            wrong = sorted(fill.keys() ^ self._holes)
            raise TypeError(f"the template's holes and what fills them differ in {', '.join(wrong)}")
        return _build_block(self._body, fill)


def template(text: str) -> Callable[..., list[gast.AST]]:
    return Template(text)


def _hole(name: object) -> str | None:
    return name[len(_PREFIX) :] if isinstance(name, str) and name.startswith(_PREFIX) else None


def _build_block(body: list[gast.AST], fill: dict[str, Any]) -> list[gast.AST]:
    built: list[gast.AST] = []
    for statement in body:
        if type(statement) is gast.Expr and type(statement.value) is gast.Name:
            hole = _hole(statement.value.id)
            if hole is not None and isinstance(fill[hole], list):
                built.extend(fill[hole])
                continue
        built.append(_build(statement, fill))
    return built


def _build(node: Any, fill: dict[str, Any]) -> Any:
    if isinstance(node, list):
        if node and isinstance(node[0], gast.stmt):
            return _build_block(node, fill)
        return [_build(item, fill) for item in node]
    if not isinstance(node, gast.AST):
        hole = _hole(node)
        return node if hole is None else fill[hole]
    if type(node) is gast.Name:
        hole = _hole(node.id)
        if hole is not None:
            value = fill[hole]
            return value if isinstance(value, gast.AST) else gast.Name(value, node.ctx, None, None)
    return type(node)(*[_build(getattr(node, field), fill) for field in node._fields])
