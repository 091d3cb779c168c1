"""The first pass brings a function into the form that the others expect.

Private names get the name of their class, since the function leaves its class; `super()` gets its
arguments, since it moves into closures; `global`, `nonlocal` and names that are only annotated go to the
top; annotations of local names, which Python never evaluates, go; `assert` becomes an operator call.
"""

from __future__ import annotations

import gast

from ..analysis import is_anchored
from ..anchors import anchor_of
from ..trees import (
    FUNCTIONS,
    TRIES,
    assign,
    at,
    blocks,
    children,
    constant,
    docstring_length,
    evaluated_at_definition,
    header,
    lambda_,
    load,
    operator,
    within,
)
from .base import Context, Pass
from .expressions import guard


class Normalise(Pass):
    """One form for what Python lets one write in several."""

    def __init__(self, context: Context):
        super().__init__(context)
        self.outer: list[gast.AST] = []
        self.returned = ""

    def run(self, function: gast.AST) -> None:
        if isinstance(function, gast.Lambda):
            return
        self.first = next((p.id for p in (*function.args.posonlyargs, *function.args.args)), None)
        if self.first is not None and self.context.namer.may_hold("super"):
            _spell_out_super(function, self.first)
        start = docstring_length(function.body)
        body = self.block(function.body[start:])
        function.body = [*function.body[:start], *self.outer, *body]

    def block(self, statements: list[gast.AST]) -> list[gast.AST]:
        out: list[gast.AST] = []
        for statement in statements:
            out.extend(self.statement(statement))
        return out or [gast.Pass()]

    def statement(self, statement: gast.AST) -> list[gast.AST]:
        if isinstance(statement, gast.AnnAssign):
            statement = _plain_assignment(statement)
        if isinstance(statement, (gast.Global, gast.Nonlocal)) or _declares(statement):
            self.outer.append(statement)
            return []
        if isinstance(statement, gast.Assert):
            if statement.msg is not None and any(map(_stays, within(statement.msg))):
                statement.test = guard(statement.test, "assert", anchor_of(statement.msg))
                return [statement]
            return [at(_assertion(statement), header(statement))]
        if isinstance(statement, gast.Return) and self.returned and statement.value is not None:
            value = at(assign(self.returned, statement.value), statement)
            return [value, at(gast.Return(load(self.returned)), statement)]
        if isinstance(statement, TRIES) and any(map(_writes_item, statement.finalbody)):
            return [self.try_that_writes_at_last(statement)]
        if not isinstance(statement, (*FUNCTIONS, gast.ClassDef)):
            for block in blocks(statement):
                if block:
                    block[:] = self.block(block)
        return [statement]

    def try_that_writes_at_last(self, statement: gast.AST) -> gast.AST:
        """What it returns has a name, so that it is seen to hold the array that `finally` writes."""
        outer = self.returned
        name = outer or self.context.namer.fresh("return_value")
        for block in blocks(statement):
            self.returned = outer if block is statement.finalbody else name
            if block:
                block[:] = self.block(block)
        self.returned = outer
        return statement


def _writes_item(tree: gast.AST) -> bool:
    return any(isinstance(n, gast.Subscript) and not isinstance(n.ctx, gast.Load) for n in within(tree))


def _declares(statement: gast.AST) -> bool:
    """Whether all that a statement does is to make a name a variable of its function."""
    return isinstance(statement, gast.AnnAssign) and bool(statement.simple)


def _stays(node: gast.AST) -> bool:
    return isinstance(node, gast.NamedExpr) or is_anchored(node)


def _assertion(node: gast.Assert) -> gast.If:
    """Under `python -O` the compiler drops it, as it drops an `assert`."""
    message = constant(None) if node.msg is None else node.msg
    call = operator("assert_stmt", node.test, lambda_(message) if node.msg is not None else message)
    place = header(node)
    return gast.If(at(load("__debug__"), place), [at(gast.Expr(at(call, place)), place)], [])


def _plain_assignment(node: gast.AnnAssign) -> gast.AST:
    if node.value is None:
        node.annotation = constant(...)
        return node
    if isinstance(node.target, gast.Name):
        return at(assign(node.target.id, node.value), node)
    return at(gast.Assign([node.target], node.value, None), node)


def _spell_out_super(function: gast.AST, first: str) -> None:
    """`super()` and a bare `super` read the first argument of the function that they stand in."""
    stack = list(function.body)
    while stack:
        node = stack.pop()
        if isinstance(node, (*FUNCTIONS, gast.Lambda)):
            stack.extend(evaluated_at_definition(node))
            continue
        if isinstance(node, gast.ClassDef):
            continue
        is_super = (
            isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and node.func.id == "super"
        )
        if is_super and not node.args and not node.keywords:
            node.args = [load("__class__"), load(first)]
        stack.extend(children(node))


def mangle(tree: gast.AST, class_name: str) -> None:
    """Give private names the name of the class, as Python does inside a class body."""
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
            own, node.name = node.name, mangled(node.name)
            if own != node.name:  # its private names have the name that it was given
                for statement in node.body:
                    mangle(statement, own)
            continue
        for field in ("id", "attr", "name", "asname", "module", "rest"):  # keywords keep their names
            value = getattr(node, field, None)
            if isinstance(value, str):
                setattr(node, field, mangled(value))
        if isinstance(node, (gast.Global, gast.Nonlocal)):
            node.names = [mangled(name) for name in node.names]
        stack.extend(children(node))
