"""From gast trees to those of Python's own `ast`, which `compile` and `ast.unparse` take."""

from __future__ import annotations

import ast
from typing import Any

import gast

_START = {"lineno": 1, "col_offset": 0, "end_lineno": 1, "end_col_offset": 0}


class _Kinds(dict[type, tuple[Any, tuple[str, ...], bool]]):
    """Of each kind of gast node, Python's kind, the fields that it has too, and whether it has a place.

    In the place of a kind that has neither, such as a context, is its only node.
    """

    def __missing__(self, kind: Any) -> tuple[Any, tuple[str, ...], bool]:
        made: Any = getattr(ast, kind.__name__)
        fields = tuple(field for field in made._fields if field in kind._fields)
        is_placed = bool(made._attributes)  # noqa: SLF001 - public in all but name: "which have a place"
        found = self[kind] = (made if fields or is_placed else made(), fields, is_placed)
        return found


_KINDS = _Kinds()


def python_tree(tree: gast.AST, above: dict[str, Any] = _START) -> Any:
    """A new tree, in which each node that says no place has that of what holds it.

    >>> ast.unparse(python_tree(gast.parse("x = f(y)[0]")))
    'x = f(y)[0]'
    """
    own = tree.__dict__
    kind: Any = type(tree)
    fields: tuple[str, ...]
    if kind is gast.Name and type(tree.ctx) is gast.Param:
        kind, fields, is_placed = ast.arg, ("annotation", "type_comment"), True
        made = ast.arg.__new__(ast.arg)
        made.arg = tree.id
    else:
        kind, fields, is_placed = _KINDS[kind]
        if not fields and not is_placed:
            return kind
        made = kind.__new__(kind)  # `__init__` would look at every field again
    values = made.__dict__
    if is_placed:
        line, column = own.get("lineno"), own.get("col_offset")
        end_line, end_column = own.get("end_lineno"), own.get("end_col_offset")
        values["lineno"] = above["lineno"] if line is None else line
        values["col_offset"] = above["col_offset"] if column is None else column
        values["end_lineno"] = above["end_lineno"] if end_line is None else end_line
        values["end_col_offset"] = above["end_col_offset"] if end_column is None else end_column
        above = values
    for field in fields:
        value = own.get(field)
        if type(value) is list:
            value = [python_tree(item, above) if isinstance(item, gast.AST) else item for item in value]
        elif isinstance(value, gast.AST):
            value = value.id if kind is ast.ExceptHandler and field == "name" else python_tree(value, above)
        values[field] = value
    return made
