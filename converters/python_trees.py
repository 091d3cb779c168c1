"""From gast trees to those of Python's own `ast`, which `compile` and `ast.unparse` take."""

from __future__ import annotations

import ast
from typing import Any

import gast

Place = tuple[int, int, int, int]
_START: Place = (1, 0, 1, 0)


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
_CONTEXTS = {kind: _KINDS[kind][0] for kind in (gast.Load, gast.Store, gast.Del)}
_PLAIN = frozenset((str, int, type(None)))


def python_tree(tree: gast.AST, place: Place = _START) -> Any:
    """A new tree, in which each node that says no place has that of what holds it.

    >>> ast.unparse(python_tree(gast.parse("x = f(y)[0]")))
    'x = f(y)[0]'
    """
    own = tree.__dict__
    kind: Any = type(tree)
    fields: tuple[str, ...]
    if kind is gast.Name and type(own["ctx"]) is gast.Param:
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
        line, get = own.get("lineno"), own.get
        if line is not None:
            line_end, column, end = place[2], place[1], place[3]
            place = line, get("col_offset", column), get("end_lineno", line_end), get("end_col_offset", end)
        values["lineno"], values["col_offset"], values["end_lineno"], values["end_col_offset"] = place
    for field in fields:
        value = own.get(field)
        kind_of_value: Any = type(value)
        if kind_of_value is list:
            value = [python_tree(item, place) if isinstance(item, gast.AST) else item for item in value]
        elif kind_of_value in _CONTEXTS:
            value = _CONTEXTS[kind_of_value]
        elif kind_of_value not in _PLAIN and isinstance(value, gast.AST):
            value = value.id if kind is ast.ExceptHandler and field == "name" else python_tree(value, place)
        values[field] = value
    return made
