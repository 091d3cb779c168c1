"""From trees of Python's own `ast` to gast trees, and back to what `compile` and `ast.unparse` take.

Both ways are gast's own, but for places that are not said. They are written out for speed: all that is
converted goes through both.
"""

from __future__ import annotations

import ast
from typing import Any

import gast

Place = tuple[Any, ...]  # lineno, col_offset, end_lineno, end_col_offset
_START: Place = (1, 0, 1, 0)


class _Kinds(dict[type, tuple[Any, tuple[str, ...], bool]]):
    """Of each kind of gast node, Python's kind, the fields that may hold nodes, and whether it has a place.

    In the place of a kind that has neither fields nor a place, such as an operator, is its only node.
    """

    TEXTS = frozenset(("id", "attr", "kind", "type_comment", "module", "level", "asname"))

    def __missing__(self, kind: Any) -> tuple[Any, tuple[str, ...], bool]:
        made: Any = getattr(ast, kind.__name__)
        fields = tuple(f for f in made._fields if f in kind._fields and f not in self.TEXTS)
        is_placed = bool(made._attributes)  # noqa: SLF001 - public in all but name: "which have a place"
        if made is ast.Constant:
            fields = ()
        found = self[kind] = (made if made._fields or is_placed else made(), fields, is_placed)
        return found


_KINDS = _Kinds()
_CONTEXTS = {kind: _KINDS[kind][0] for kind in (gast.Load, gast.Store, gast.Del)}
_PLAIN = frozenset((str, int, type(None)))


def python_tree(tree: gast.AST, place: Place = _START, known: dict[gast.AST, Any] | None = None) -> Any:
    """A new tree, in which each node that says no place has that of what holds it.

    Args:
        tree: the tree.
        place: the place of what holds it.
        known: what was made of nodes with a place, so that what a tree holds twice is made once.

    >>> ast.unparse(python_tree(gast.parse("x = f(y)[0]")))
    'x = f(y)[0]'
    """
    if known is not None and tree in known:
        return known[tree]
    values = tree.__dict__.copy()
    fields: tuple[str, ...]
    kind: Any = type(tree)
    if kind is gast.Name:
        is_placed, context = True, type(values["ctx"])
        if context is gast.Param:
            kind, fields = ast.arg, ("annotation",)
            values["arg"] = values["id"]
        else:
            kind, fields = ast.Name, ()
            values["ctx"] = _CONTEXTS[context]
    else:
        kind, fields, is_placed = _KINDS[kind]
        if not fields and not is_placed:
            return kind
    made = kind.__new__(kind)  # `__init__` would look at every field again
    made.__dict__ = values
    if is_placed:
        get = values.get
        own = get("lineno"), get("col_offset"), get("end_lineno"), get("end_col_offset")
        if None not in own:
            place = own
            if known is not None:
                known[tree] = made
        else:
            if own[0] is not None:
                place = tuple(outer if said is None else said for said, outer in zip(own, place, strict=True))
            values["lineno"], values["col_offset"], values["end_lineno"], values["end_col_offset"] = place
    for field in fields:
        value: Any = values.get(field)
        kind_of_value: Any = type(value)
        if value is None:
            values[field] = None  # also where it is missing
        elif kind_of_value is list:
            values[field] = [
                python_tree(item, place, known) if isinstance(item, gast.AST) else item for item in value
            ]
        elif kind_of_value in _CONTEXTS:
            values[field] = _CONTEXTS[kind_of_value]
        elif kind_of_value not in _PLAIN and isinstance(value, gast.AST):
            values[field] = (
                value.id
                if kind is ast.ExceptHandler and field == "name"
                else python_tree(value, place, known)
            )
    return made


class _GastKinds(dict[type, tuple[Any, tuple[str, ...], tuple[str, ...]]]):
    """Of each kind of Python's nodes, gast's kind, the fields that may hold nodes, and those that gast adds.

    In the place of a kind that has neither fields nor a place is its only node.
    """

    def __missing__(self, kind: Any) -> tuple[Any, tuple[str, ...], tuple[str, ...]]:
        made: Any = getattr(gast, kind.__name__)
        fields = tuple(field for field in kind._fields if field not in _Kinds.TEXTS)
        more = tuple(field for field in made._fields if field not in kind._fields)
        is_placed = bool(kind._attributes)  # noqa: SLF001 - as above
        found = self[kind] = (made if kind._fields or is_placed else made(), fields, more)
        return found


_GAST_KINDS = _GastKinds()
_GAST_CONTEXTS = {kind: _GAST_KINDS[kind][0] for kind in (ast.Load, ast.Store, ast.Del)}


def gast_tree(tree: ast.AST) -> Any:
    """A new gast tree.

    >>> gast.dump(gast_tree(ast.parse("x", mode="eval").body))
    "Name(id='x', ctx=Load(), annotation=None, type_comment=None)"
    """
    fields: tuple[str, ...]
    original = type(tree)
    values: dict[str, Any] = tree.__dict__.copy()
    if original is ast.arg:
        kind, fields = gast.Name, ("annotation",)
        values["id"], values["ctx"] = values["arg"], gast.Param()
    else:
        kind, fields, more = _GAST_KINDS[original]
        if not isinstance(kind, type):
            return kind
        for field in more:
            values[field] = [] if field == "type_params" else None
    made = kind.__new__(kind)
    made.__dict__ = values
    for field in fields:
        value: Any = values.get(field)
        kind_of_value: Any = type(value)
        if kind_of_value is list:
            values[field] = [gast_tree(item) if isinstance(item, ast.AST) else item for item in value]
        elif kind_of_value in _GAST_CONTEXTS:
            values[field] = _GAST_CONTEXTS[kind_of_value]
        elif kind_of_value not in _PLAIN and isinstance(value, ast.AST):
            values[field] = gast_tree(value)
    if original is ast.ExceptHandler and values["name"]:
        values["name"] = gast.Name(values["name"], gast.Store(), None, None)
    return made
