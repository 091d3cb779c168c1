"""Reads of names that may be unbound: they raise what Python would raise."""

from __future__ import annotations

from collections.abc import Container

import gast

from ..trees import COMPREHENSIONS, FUNCTIONS, at, takes_thunks
from .spelling import checked_name


def checked(node: gast.AST, unbound: Container[str], in_closure: bool) -> gast.AST:
    """A tree with its reads of names among `unbound` checked; in a closure the name is a free variable."""
    kind = type(node)
    if kind is gast.Name:
        if type(node.ctx) is gast.Load and node.id in unbound:
            return at(checked_name(node.id, in_closure), node)
        return node
    if kind in FUNCTIONS or kind is gast.Lambda:
        for parts in (node.args.defaults, node.args.kw_defaults, getattr(node, "decorator_list", [])):
            parts[:] = [part and checked(part, unbound, in_closure) for part in parts]
        return node
    if kind is gast.ClassDef:
        for parts in (node.bases, node.keywords, node.decorator_list):
            parts[:] = [checked(part, unbound, in_closure) for part in parts]
        return node
    if kind in COMPREHENSIONS:
        first = node.generators[0]
        first.iter = checked(first.iter, unbound, in_closure)
        return node
    thunks = takes_thunks(node)
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, gast.AST):
            setattr(node, name, checked(value, unbound, in_closure))
        elif isinstance(value, list):
            for i, item in enumerate(value):
                if thunks and type(item) is gast.Lambda:
                    item.body = checked(item.body, unbound, True)
                elif isinstance(item, gast.AST):
                    value[i] = checked(item, unbound, in_closure)
    return node
