"""Normalization of a function into the form that the other passes expect.

- Private names are mangled, because the function is compiled outside its class.
- `super()` gets explicit arguments, because it may move into a closure.
- `global`, `nonlocal` and declarations such as `x: int` move to the top.
- Annotations of local names, which Python never evaluates, are removed.
- `assert` becomes an operator call.
- A change of one of two objects, `(a if c else b).append(x)`, becomes a branch.
- The test `a and b` of an `if` or `while` becomes `not not a and not not b`, which selects neither object, if
  several operands are names, attributes or items.
"""

from __future__ import annotations

import copy

import gast

from ..analysis import blocking_node, blocks_thunk
from ..trees.builders import (
    DEFINITIONS,
    FUNCTIONS,
    RETURN_VALUE,
    TRIES,
    assign,
    at,
    blocks,
    children,
    constant,
    docstring_length,
    evaluated_at_definition,
    first_line,
    lambda_,
    load,
    operator,
    walk_scope,
)
from .base import Context, Pass
from .expressions import guard

_VALUES = (gast.Name, gast.Attribute, gast.Subscript)
"""Expressions of any type. A comparison is a truth already, and most calls in tests are."""


class Normalise(Pass):
    """Rewrites equivalent forms of a statement to one form."""

    def __init__(self, context: Context):
        super().__init__(context)
        self.declarations: list[gast.AST] = []
        self.returned = ""

    def run(self, function: gast.AST) -> None:
        if isinstance(function, gast.Lambda):
            return
        first = next((p.id for p in (*function.args.posonlyargs, *function.args.args)), None)
        if first is not None and self.context.namer.may_contain("super"):
            _add_super_arguments(function, first)
        start = docstring_length(function.body)
        body = self.block(function.body[start:])
        function.body = [*function.body[:start], *self.declarations, *body]

    def block(self, statements: list[gast.AST]) -> list[gast.AST]:
        out: list[gast.AST] = []
        for statement in statements:
            out.extend(self.statement(statement))
        return out or [gast.Pass()]

    def statement(self, statement: gast.AST) -> list[gast.AST]:
        if isinstance(statement, gast.AnnAssign):
            statement = _plain_assignment(statement)
        is_declaration = isinstance(statement, gast.AnnAssign) and bool(statement.simple)
        if isinstance(statement, (gast.Global, gast.Nonlocal)) or is_declaration:
            self.declarations.append(statement)
            return []
        if isinstance(statement, gast.Assert):
            if statement.msg is not None and any(map(blocks_thunk, walk_scope(statement.msg))):
                statement.test = guard(statement.test, "assert", blocking_node(statement.msg))
                return [statement]
            return [at(_assertion(statement), first_line(statement))]
        if isinstance(statement, gast.Return) and self.returned and statement.value is not None:
            value = at(assign(self.returned, statement.value), statement)
            return [value, at(gast.Return(load(self.returned)), statement)]
        if isinstance(statement, DEFINITIONS):
            return [statement]
        if isinstance(statement, (gast.If, gast.While)):
            statement.test = _of_truths(statement.test)
        if (chosen := _changed_choice(statement)) is not None:
            return [_branches(statement, chosen)]
        outer, name = self.returned, self.returned
        # bind the returned value of a `try` to a name, so that writes in its `finally` reach it
        if isinstance(statement, TRIES) and any(map(_writes_items, statement.finalbody)):
            name = outer or self.context.namer.fresh(RETURN_VALUE)
        for block in blocks(statement):
            self.returned = outer if block is getattr(statement, "finalbody", None) else name
            if block:
                block[:] = self.block(block)
        self.returned = outer
        return [statement]


def _of_truths(test: gast.AST) -> gast.AST:
    """Return a test whose `and` and `or` combine the truths of several values of unknown types."""
    if isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
        test.operand = _of_truths(test.operand)
    if isinstance(test, gast.BoolOp):
        are_values = sum(isinstance(operand, _VALUES) for operand in test.values) > 1
        test.values = [
            _truth(operand) if are_values and isinstance(operand, _VALUES) else _of_truths(operand)
            for operand in test.values
        ]
    return test


def _truth(value: gast.AST) -> gast.AST:
    return at(gast.UnaryOp(gast.Not(), at(gast.UnaryOp(gast.Not(), value), value)), value)


def _changed_choice(statement: gast.AST) -> tuple[gast.AST, gast.IfExp] | None:
    """Return the choice in `(a if c else b).append(x)` or `(a if c else b)[i] += x`, after what holds it."""
    if isinstance(statement, gast.Expr) and isinstance(statement.value, gast.Call):
        holder = statement.value.func
    else:
        holder = statement.target if isinstance(statement, gast.AugAssign) else None
    choice = getattr(holder, "value", None)
    return (holder, choice) if isinstance(choice, gast.IfExp) else None


def _branches(statement: gast.AST, chosen: tuple[gast.AST, gast.IfExp]) -> gast.AST:
    """Return a branch that changes one object or the other, as a choice between them has no name."""
    holder, choice = chosen
    branches = []
    for value in (choice.body, choice.orelse):
        holder.value = value
        branches.append([copy.deepcopy(statement)])
    return at(gast.If(choice.test, *branches), first_line(statement))


def _writes_items(tree: gast.AST) -> bool:
    return any(isinstance(n, gast.Subscript) and not isinstance(n.ctx, gast.Load) for n in walk_scope(tree))


def _assertion(node: gast.Assert) -> gast.If:
    """Return `if __debug__: ag__.assert_stmt(...)`, which `python -O` drops as it drops an `assert`."""
    message = constant(None) if node.msg is None else node.msg
    call = operator("assert_stmt", node.test, lambda_(message) if node.msg is not None else message)
    location = first_line(node)
    return gast.If(at(load("__debug__"), location), [at(gast.Expr(at(call, location)), location)], [])


def _plain_assignment(node: gast.AnnAssign) -> gast.AST:
    if node.value is None:
        node.annotation = constant(...)
        return node
    if isinstance(node.target, gast.Name):
        return at(assign(node.target.id, node.value), node)
    return at(gast.Assign([node.target], node.value, None), node)


def _add_super_arguments(function: gast.AST, first: str) -> None:
    """Rewrite `super()` as `super(__class__, self)`, using the first parameter of its function."""
    stack = list(function.body)
    while stack:
        node = stack.pop()
        if isinstance(node, (*FUNCTIONS, gast.Lambda)):
            stack.extend(evaluated_at_definition(node))
            continue
        if isinstance(node, gast.ClassDef):
            continue
        is_super = isinstance(node, gast.Call) and getattr(node.func, "id", None) == "super"
        if is_super and not node.args and not node.keywords:
            node.args = [load("__class__"), load(first)]
        stack.extend(children(node))


def mangle_classes(tree: gast.AST) -> None:
    """Mangle the private names in all classes that a function defines."""
    for node in gast.walk(tree):
        if isinstance(node, gast.ClassDef):
            for statement in node.body:
                mangle(statement, node.name, renames_classes=False)


def mangle(tree: gast.AST, class_name: str, *, renames_classes: bool = True) -> None:
    """Mangle private names with the name of the class, as Python does inside a class body.

    The name after `class` stays, and with it `__name__`, if the code remains inside the class.
    """
    prefix = "_" + class_name.lstrip("_")
    if prefix == "_":
        return

    def mangled(name: object) -> object:
        if isinstance(name, str) and name.startswith("__") and not name.endswith("__") and "." not in name:
            return prefix + name
        return name

    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, gast.ClassDef):
            stack.extend((*node.decorator_list, *node.bases, *node.keywords))
            if not renames_classes:
                continue
            original, node.name = node.name, mangled(node.name)
            if original != node.name:  # private names inside are mangled with the name as written
                for statement in node.body:
                    mangle(statement, original)
            continue
        for field in ("id", "attr", "name", "asname", "module", "rest"):  # Python does not mangle keywords
            value = getattr(node, field, None)
            if isinstance(value, str):
                setattr(node, field, mangled(value))
        if isinstance(node, (gast.Global, gast.Nonlocal)):
            node.names = [mangled(name) for name in node.names]
        stack.extend(children(node))
