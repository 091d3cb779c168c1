"""How the statements of converted code are written, and small pieces of them."""

from __future__ import annotations

import ast
from collections.abc import Set

import gast

from ..templates import template
from ..trees import at, constant, header, lambda_, load, operator, operator_name

DIRECTIVE = "set_loop_options"

GET_STATE = template("""
    def $name():
        return $values
""")

SET_STATE = template("""
    def $name($values):
        $declarations
        $assignments
""")

BODY = template("""
    def $name():
        $declarations
        $body
""")

TEST = template("""
    def $name():
        $declarations
        return $test
""")

FOR_BODY = template("""
    def $name($item):
        $declarations
        $target = $item
        $body
""")

IF = template("ag__.if_stmt($test, $body, $orelse, $get_state, $set_state, $names, $outputs)")
WHILE = template("ag__.while_stmt($test, $body, $get_state, $set_state, $names, $options)")
FOR = template("ag__.for_stmt($iterated, $until, $body, $get_state, $set_state, $names, $options)")


def at_all(statements: list[gast.AST], place: gast.AST) -> list[gast.AST]:
    return [at(statement, header(place)) for statement in statements]


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
    return gast.Tuple([constant(name) for name in names], gast.Load())


def dotted(text: str) -> gast.AST:
    first, *rest = text.split(".")
    node: gast.AST = load(first)
    for attribute in rest:
        node = gast.Attribute(node, attribute, gast.Load())
    return node


def options_dict(options: list[tuple[str | None, gast.AST]]) -> gast.AST:
    """As a dict; what has no name is `**` and a mapping."""
    names = [None if name is None else constant(name) for name, _ in options]
    return gast.Dict(names, [value for _, value in options])


def target_text(target: gast.AST) -> str:
    return ast.unparse(gast.gast_to_ast(target))


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
