"""Conversion between trees of Python's `ast` and gast trees.

Results equal those of gast's own functions, with missing locations filled in. Every conversion of a function
translates whole trees in both directions, so the code is written for speed.
"""

from __future__ import annotations

import ast
import sys
from typing import Any

import gast


class UnknownNodeError(ValueError):
    """A tree has a node that the installed gast, or the running Python, does not have."""


CodePosition = tuple[Any, ...]  # lineno, col_offset, end_lineno, end_col_offset
_START: CodePosition = (1, 0, 1, 0)


class _PythonKinds(dict[type, tuple[Any, tuple[str, ...], bool]]):
    """Maps each gast node class to its `ast` class, its node fields, and whether it has a location.

    A kind without fields or location, such as an operator, maps to a shared node instead.
    """

    NON_NODE_FIELDS = frozenset(("id", "attr", "kind", "type_comment", "module", "level", "asname"))

    def __missing__(self, kind: Any) -> tuple[Any, tuple[str, ...], bool]:
        target: Any = getattr(ast, kind.__name__, None)
        if target is None:
            version = ".".join(map(str, sys.version_info[:3]))
            raise UnknownNodeError(f"Python {version} has no syntax {kind.__name__}")
        fields = tuple(f for f in target._fields if f in kind._fields and f not in self.NON_NODE_FIELDS)
        has_location = bool(target._attributes)  # noqa: SLF001 - public in all but name
        if target is ast.Constant:
            fields = ()
        entry = self[kind] = (target if target._fields or has_location else target(), fields, has_location)
        return entry


_PYTHON_KINDS = _PythonKinds()
_CONTEXTS = {kind: _PYTHON_KINDS[kind][0] for kind in (gast.Load, gast.Store, gast.Del)}
_PLAIN = frozenset((str, int, type(None)))


def python_tree(
    tree: gast.AST, position: CodePosition = _START, memo: dict[gast.AST, Any] | None = None
) -> Any:
    """Return a new Python tree in which nodes without a location get that of their parent.

    `memo` caches results for nodes with a location, so that a shared node is converted once.

    >>> ast.unparse(python_tree(gast.parse("x = f(y)[0]")))
    'x = f(y)[0]'
    """
    if memo is not None and tree in memo:
        return memo[tree]
    values = tree.__dict__.copy()
    fields: tuple[str, ...]
    kind: Any = type(tree)
    if kind is gast.Name:
        has_location, context = True, type(values["ctx"])
        if context is gast.Param:
            kind, fields = ast.arg, ("annotation",)
            values["arg"] = values["id"]
        else:
            kind, fields = ast.Name, ()
            values["ctx"] = _CONTEXTS[context]
    else:
        kind, fields, has_location = _PYTHON_KINDS[kind]
        if not fields and not has_location:
            return kind
    result = kind.__new__(kind)  # `__init__` would check every field
    result.__dict__ = values
    if has_location:
        get = values.get
        own = get("lineno"), get("col_offset"), get("end_lineno"), get("end_col_offset")
        if None not in own:
            position = own
            if memo is not None:
                memo[tree] = result
        else:
            if own[0] is not None:
                position = tuple(
                    outer if item is None else item for item, outer in zip(own, position, strict=True)
                )
            values["lineno"], values["col_offset"], values["end_lineno"], values["end_col_offset"] = position
    for field in fields:
        value: Any = values.get(field)
        kind_of_value: Any = type(value)
        if value is None:
            values[field] = None  # set missing fields too
        elif kind_of_value is list:
            values[field] = [
                python_tree(item, position, memo) if isinstance(item, gast.AST) else item for item in value
            ]
        elif kind_of_value in _CONTEXTS:
            values[field] = _CONTEXTS[kind_of_value]
        elif kind_of_value not in _PLAIN and isinstance(value, gast.AST):
            values[field] = (
                value.id
                if kind is ast.ExceptHandler and field == "name"
                else python_tree(value, position, memo)
            )
    return result


def unparse(tree: gast.AST) -> str:
    return tree.id if type(tree) is gast.Name else ast.unparse(python_tree(tree))


class _GastKinds(dict[type, tuple[Any, tuple[str, ...], tuple[str, ...]]]):
    """Maps each `ast` class to its gast class, its node fields, and the fields that gast adds.

    A kind without fields or location maps to a shared node instead.
    """

    def __missing__(self, kind: Any) -> tuple[Any, tuple[str, ...], tuple[str, ...]]:
        target: Any = getattr(gast, kind.__name__, None)
        if target is None:
            from importlib import metadata  # noqa: PLC0415 - slow to import

            raise UnknownNodeError(
                f"gast {metadata.version('gast')} does not know the syntax {kind.__name__}"
            )
        fields = tuple(field for field in kind._fields if field not in _PythonKinds.NON_NODE_FIELDS)
        added = tuple(field for field in target._fields if field not in kind._fields)
        has_location = bool(kind._attributes)  # noqa: SLF001 - as above
        entry = self[kind] = (target if kind._fields or has_location else target(), fields, added)
        return entry


_GAST_KINDS = _GastKinds()
_GAST_CONTEXTS = {kind: _GAST_KINDS[kind][0] for kind in (ast.Load, ast.Store, ast.Del)}


def gast_tree(tree: ast.AST) -> Any:
    """Return the gast tree of a Python tree.

    >>> name = gast_tree(ast.parse("x", mode="eval").body)
    >>> type(name), name.id, name.annotation
    (<class 'gast.gast.Name'>, 'x', None)
    """
    fields: tuple[str, ...]
    original = type(tree)
    values: dict[str, Any] = tree.__dict__.copy()
    if original is ast.arg:
        kind, fields = gast.Name, ("annotation",)
        values["id"], values["ctx"] = values["arg"], gast.Param()
    else:
        kind, fields, added = _GAST_KINDS[original]
        if not isinstance(kind, type):
            return kind
        for field in added:
            values[field] = [] if field == "type_params" else None
    result = kind.__new__(kind)
    result.__dict__ = values
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
    return result
