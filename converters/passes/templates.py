"""How the statements of converted code are written, and small pieces of them."""

from __future__ import annotations

import ast
from collections.abc import Set

import gast

from ..python_trees import python_tree
from ..trees import LOAD, at, attribute, constant, function, header, lambda_, load, operator, operator_name

DIRECTIVE = "set_loop_options"
STATEMENTS = frozenset(("if_stmt", "while_stmt", "for_stmt"))


def closure(place: gast.AST, name: str, body: list[gast.AST], *parameters: str) -> gast.AST:
    """A function that is added for an operator to call."""
    return at(function(name, body, *parameters), header(place))


def staged(place: gast.AST, name: str, *args: gast.AST) -> gast.AST:
    """The operator that stands for a statement."""
    return at(gast.Expr(operator(name, *args)), header(place))


def scope_declarations(nonlocals: Set[str], globals_: Set[str]) -> list[gast.AST]:
    found: list[gast.AST] = []
    if nonlocals:
        found.append(gast.Nonlocal(sorted(nonlocals)))
    if globals_:
        found.append(gast.Global(sorted(globals_)))
    return found


def checked_name(name: str, in_closure: bool) -> gast.AST:
    """A read that raises Python's own error where the name is unbound."""
    if in_closure:
        return operator("ld", operator("ldu", lambda_(load(name)), constant(name)))
    return operator("ld", load(name))


def strings(names: tuple[str, ...]) -> gast.AST:
    return gast.Tuple([constant(name) for name in names], LOAD)


def dotted(text: str) -> gast.AST:
    first, *rest = text.split(".")
    node: gast.AST = load(first)
    for name in rest:
        node = attribute(node, name)
    return node


def options_dict(options: list[tuple[str | None, gast.AST]]) -> gast.AST:
    """As a dict; what has no name is `**` and a mapping."""
    names = [None if name is None else constant(name) for name, _ in options]
    return gast.Dict(names, [value for _, value in options])


def target_text(target: gast.AST) -> str:
    return ast.unparse(python_tree(target))


def directive(statement: gast.AST) -> list[gast.keyword] | None:
    """The keywords of a `set_loop_options(...)` statement."""
    if not isinstance(statement, gast.Expr) or not isinstance(statement.value, gast.Call):
        return None
    call = statement.value
    func = call.func
    if operator_name(func) == "callee":
        func = func.args[0]
    name = func.id if isinstance(func, gast.Name) else getattr(func, "attr", None)
    return call.keywords if name == DIRECTIVE and not call.args else None
