"""Constructors for the statements of generated code."""

from __future__ import annotations

from collections.abc import Set

import gast

from ..trees.builders import (
    at,
    attribute,
    constant,
    first_line,
    function,
    lambda_,
    load,
    operator,
    operator_name,
)

STATEMENT_OPERATORS = frozenset(("if_stmt", "while_stmt", "for_stmt", "try_stmt"))


def closure(location: gast.AST, name: str, body: list[gast.AST], *parameters: str) -> gast.AST:
    return at(function(name, body, *parameters), first_line(location))


def statement_call(location: gast.AST, name: str, *args: gast.AST) -> gast.AST:
    return at(gast.Expr(operator(name, *args)), first_line(location))


def scope_declarations(nonlocals: Set[str], globals_: Set[str]) -> list[gast.AST]:
    declared = (gast.Nonlocal, nonlocals), (gast.Global, globals_)
    return [kind(sorted(names)) for kind, names in declared if names]


def checked_name(name: str, in_closure: bool) -> gast.AST:
    """Return a read of a name that raises Python's own error if the name is unbound."""
    if in_closure:
        return operator("ld", operator("ldu", lambda_(load(name)), constant(name)))
    return operator("ld", load(name))


def dotted_expression(text: str) -> gast.AST:
    first, *rest = text.split(".")
    node: gast.AST = load(first)
    for name in rest:
        node = attribute(node, name)
    return node


def options_dict(options: list[tuple[str | None, gast.AST]]) -> gast.AST:
    """Return a dict display of keyword arguments; None stands for `**`."""
    names = [None if name is None else constant(name) for name, _ in options]
    return gast.Dict(names, [value for _, value in options])


def loop_options(statement: gast.AST) -> list[gast.keyword] | None:
    """Return the keywords of a `set_loop_options(...)` statement, or None for any other statement."""
    if not isinstance(statement, gast.Expr) or not isinstance(statement.value, gast.Call):
        return None
    call = statement.value
    func = call.func
    if operator_name(func) == "callee":
        func = func.args[0]
    name = func.id if isinstance(func, gast.Name) else getattr(func, "attr", None)
    return call.keywords if name == "set_loop_options" and not call.args else None
