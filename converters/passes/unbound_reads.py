"""Reads of names that may be unbound: they raise what Python would raise."""

from __future__ import annotations

from collections.abc import Container, Iterable, Set

import gast

from ..analysis import activity, declarations
from ..trees import COMPREHENSIONS, FUNCTIONS, at, children, operator_name, parameters, takes_thunks, within
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


def check_free(node: gast.AST, doubtful: Set[str], known: Container[str]) -> None:
    """Check the reads of `doubtful` names in the functions and comprehensions that a tree defines.

    There they are free: Python says itself that one is unbound, but not that it is staged and may be. The
    functions `known` are parts of the one that the tree is of.
    """
    if not doubtful:
        return
    for child in children(node):
        names = doubtful
        if _is_scope(child, node, known):
            names = doubtful - own_names(child)
            _wrap(child, ("body", "elt", "key", "value"), names)
            for i, part in enumerate(getattr(child, "generators", ())):
                _wrap(part, part._fields if i else ("ifs",), names)
        check_free(child, names, known)


def free_names(function: gast.AST, known: Container[str]) -> set[str]:
    """The names that are read in what a function defines, and are no variables there."""
    found: set[str] = set()
    stack: list[tuple[gast.AST, frozenset[str] | None]] = [(function, None)]
    while stack:
        node, hidden = stack.pop()
        if isinstance(node, gast.Name) and hidden is not None and node.id not in hidden:
            found.add(node.id)
        for child in children(node):
            is_scope = _is_scope(child, node, known)
            stack.append((child, (hidden or frozenset()) | own_names(child) if is_scope else hidden))
    return found


def _is_scope(node: gast.AST, parent: gast.AST, known: Container[str]) -> bool:
    if isinstance(node, gast.Lambda):
        return not takes_thunks(parent)
    return isinstance(node, COMPREHENSIONS) or (isinstance(node, FUNCTIONS) and node.name not in known)


def own_names(scope: gast.AST) -> set[str]:
    """The names that are variables of a function, lambda or comprehension, or that it declares."""
    if isinstance(scope, COMPREHENSIONS):
        return {n.id for g in scope.generators for n in within(g.target) if isinstance(n, gast.Name)}
    own = {p.id for p in parameters(scope)}
    if isinstance(scope, gast.Lambda):
        return own
    inner = activity(scope.body)
    return own.union(inner.binds, inner.deletes, inner.declares, *declarations(scope.body))


def _wrap(node: gast.AST, fields: Iterable[str], names: Set[str]) -> None:
    for field in fields:
        value = getattr(node, field, None)
        if isinstance(value, list):
            value[:] = [_wrapped(v, names) if isinstance(v, gast.AST) else v for v in value]
        elif isinstance(value, gast.AST):
            setattr(node, field, _wrapped(value, names))


def _wrapped(node: gast.AST, names: Set[str]) -> gast.AST:
    """A tree with its reads of `names` checked, but for those inside what it defines."""
    if isinstance(node, gast.Name):
        is_read = isinstance(node.ctx, gast.Load) and node.id in names
        return at(checked_name(node.id, in_closure=False), node) if is_read else node
    if not names or isinstance(node, (*FUNCTIONS, gast.ClassDef, *COMPREHENSIONS)):
        return node
    if operator_name(node) in ("ld", "ldu"):
        return node
    _wrap(node, node._fields, names)
    return node
