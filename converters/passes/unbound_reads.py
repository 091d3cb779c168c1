"""Checks for reads of possibly unbound names, which raise the error that Python would raise."""

from __future__ import annotations

from collections.abc import Container, Iterable, Set

import gast

from ..analysis import activity, declarations
from ..trees.builders import (
    COMPREHENSIONS,
    FUNCTIONS,
    SCOPES,
    at,
    children,
    operator_name,
    parameters,
    takes_thunks,
    walk_scope,
)
from .templates import checked_name


def check_reads(node: gast.AST, unbound: Container[str], in_closure: bool) -> gast.AST:
    """Add checks to the reads of `unbound` names in a tree.

    With `in_closure`, the names are free variables of an added function.
    """
    kind = type(node)
    if kind is gast.Name:
        if type(node.ctx) is gast.Load and node.id in unbound:
            return at(checked_name(node.id, in_closure), node)
        return node
    if kind in FUNCTIONS or kind is gast.Lambda:
        for parts in (node.args.defaults, node.args.kw_defaults, getattr(node, "decorator_list", [])):
            parts[:] = [part and check_reads(part, unbound, in_closure) for part in parts]
        return node
    if kind is gast.ClassDef:
        for parts in (node.bases, node.keywords, node.decorator_list):
            parts[:] = [check_reads(part, unbound, in_closure) for part in parts]
        return node
    if kind in COMPREHENSIONS:
        first = node.generators[0]
        first.iter = check_reads(first.iter, unbound, in_closure)
        return node
    thunks = takes_thunks(node)
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, gast.AST):
            setattr(node, name, check_reads(value, unbound, in_closure))
        elif isinstance(value, list):
            for i, item in enumerate(value):
                if thunks and type(item) is gast.Lambda:
                    item.body = check_reads(item.body, unbound, True)
                elif isinstance(item, gast.AST):
                    value[i] = check_reads(item, unbound, in_closure)
    return node


def check_free_reads(node: gast.AST, unbound: Set[str], added: Container[str]) -> None:
    """Add checks to the reads of `unbound` names in the functions and comprehensions of a tree.

    The names are free variables there. Python raises an error if such a name is unbound, but not if a
    staged branch left it unbound. Functions in `added` belong to the function that contains the tree.
    """
    if not unbound:
        return
    for child in children(node):
        names = unbound
        if _is_scope(child, node, added):
            names = unbound - local_names(child)
            _check_fields(child, ("body", "elt", "key", "value"), names)
            for i, part in enumerate(getattr(child, "generators", ())):
                _check_fields(part, part._fields if i else ("ifs",), names)
        check_free_reads(child, names, added)


def names_read_in_scopes(function: gast.AST, added: Container[str]) -> set[str]:
    """Return the free names of the scopes that a function defines."""
    result: set[str] = set()
    stack: list[tuple[gast.AST, frozenset[str] | None]] = [(function, None)]
    while stack:
        node, hidden = stack.pop()
        if isinstance(node, gast.Name) and hidden is not None and node.id not in hidden:
            result.add(node.id)
        for child in children(node):
            is_scope = _is_scope(child, node, added)
            stack.append((child, (hidden or frozenset()) | local_names(child) if is_scope else hidden))
    return result


def _is_scope(node: gast.AST, parent: gast.AST, added: Container[str]) -> bool:
    if isinstance(node, gast.Lambda):
        return not takes_thunks(parent)
    return isinstance(node, COMPREHENSIONS) or (isinstance(node, FUNCTIONS) and node.name not in added)


def local_names(scope: gast.AST) -> set[str]:
    """Return the names that a function, lambda or comprehension binds or declares."""
    if isinstance(scope, COMPREHENSIONS):
        return {n.id for g in scope.generators for n in walk_scope(g.target) if isinstance(n, gast.Name)}
    own = {p.id for p in parameters(scope)}
    if isinstance(scope, gast.Lambda):
        return own
    inner = activity(scope.body)
    return own.union(inner.bindings, inner.deletions, inner.declared, *declarations(scope.body))


def _check_fields(node: gast.AST, fields: Iterable[str], names: Set[str]) -> None:
    for field in fields:
        value = getattr(node, field, None)
        if isinstance(value, list):
            value[:] = [_check_own_reads(v, names) if isinstance(v, gast.AST) else v for v in value]
        elif isinstance(value, gast.AST):
            setattr(node, field, _check_own_reads(value, names))


def _check_own_reads(node: gast.AST, names: Set[str]) -> gast.AST:
    """Add checks to the reads of `names` in a tree, outside nested scopes."""
    if isinstance(node, gast.Name):
        is_read = isinstance(node.ctx, gast.Load) and node.id in names
        return at(checked_name(node.id, in_closure=False), node) if is_read else node
    if not names or isinstance(node, SCOPES):
        return node
    if operator_name(node) not in ("ld", "ldu"):
        _check_fields(node, node._fields, names)
    return node
