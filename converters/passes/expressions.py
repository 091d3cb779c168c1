"""The expressions of a function, rewritten in one walk from the leaves up.

A `Rewriter` is a small class that names the kinds of node it rewrites; the walk offers each node,
its children already rewritten, to the rewriters of its kind in order. An operand that an operator
may skip becomes a thunk; one that binds a name (`:=`) becomes a function before the statement,
since a lambda cannot bind there. Where neither is possible (the operand suspends the function, or
binds a name inside a comprehension), the expression stays, guarded.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

import gast

from ..analysis import Facts, declarations, is_anchored
from ..anchors import rule_of
from ..python_trees import python_tree
from ..trees import (
    COMPREHENSIONS,
    FUNCTIONS,
    at,
    constant,
    function,
    header,
    lambda_,
    load,
    operator,
    operator_name,
    within,
)
from .base import Context, Pass


class Rewriter:
    """Rewrites expressions of the kinds that its methods, named in `rewrites`, take."""

    rewrites: ClassVar[dict[type, str]] = {}

    def __init__(self, walk: Expressions):
        self.walk = walk

    def thunks(self, operands: Sequence[gast.AST], stem: str, place: gast.AST) -> list[gast.AST] | None:
        """The operands as callables made at `place`, or None where one of them must stay in its place."""
        held = [self.walk.held(operand) for operand in operands]
        if any(anchored or (bound and self.walk.scopes) for anchored, bound in held):
            return None
        return [
            self.thunk(operand, bound, stem, header(place))
            for operand, (_, bound) in zip(operands, held, strict=True)
        ]

    def thunk(self, operand: gast.AST, bound: list[str], stem: str, place: gast.AST) -> gast.AST:
        if not bound:
            return at(lambda_(operand), place)
        name = self.walk.context.function_name(stem)
        outer = declarations(self.walk.function.body)[1]
        scopes = [
            kind(sorted(names))
            for kind, names in ((gast.Global, outer & {*bound}), (gast.Nonlocal, {*bound} - outer))
            if names
        ]
        body = [*scopes, at(gast.Return(operand), operand)]
        self.walk.prelude.append(at(function(name, body), place))
        self.walk.rebound.update(bound)
        return at(load(name), place)


def guard(value: gast.AST, construct: str, reason: gast.AST | str) -> gast.AST:
    """`value`, which must not be staged, since the construct that tests it stays in Python.

    The reason is the code of a rule, or an anchor. All is named without quotes, so that it can be written
    inside an f-string.
    """
    said = [reason] if isinstance(reason, str) else rule_of(reason)
    return at(operator("guard", value, *map(constant, [construct, *said])), value)


class Expressions(Pass):
    """One walk over all expressions of a function, lambdas and comprehensions included."""

    rewriters: ClassVar[tuple[type[Rewriter], ...]] = ()

    def __init__(self, context: Context):
        super().__init__(context)
        self.prelude: list[gast.AST] = []
        self.rebound: set[str] = set()
        self.scopes = 0
        self.in_text = 0
        self.texts: dict[gast.AST, str] = {}
        self.operands: dict[gast.AST, tuple[bool, list[str]]] = {}
        self.by_kind: dict[type, list] = {}
        for rewriter in (kind(self) for kind in self.rewriters):
            for kind, method in rewriter.rewrites.items():
                self.by_kind.setdefault(kind, []).append(getattr(rewriter, method))

    def run(self, function: gast.AST) -> None:
        self.function = function
        try:
            self._rewrite(function)
        finally:
            self.by_kind.clear()  # they know this walk: what knows each other lives until it is collected

    def _rewrite(self, function: gast.AST) -> None:
        if isinstance(function, gast.Lambda):
            self.scopes += 1
            function.body = self.expression(function.body)
        else:
            function.body = self.block(function.body)
            self.declare(function, self.rebound)

    @cached_property
    def facts(self) -> Facts:
        return Facts(self.function)

    def block(self, statements: list[gast.AST]) -> list[gast.AST]:
        out: list[gast.AST] = []
        for statement in statements:
            outer, self.prelude = self.prelude, []
            rewritten = self.statement(statement)
            out.extend(self.prelude)
            out.extend(rewritten)
            self.prelude = outer
        return out

    def statement(self, statement: gast.AST) -> list[gast.AST]:
        kind = type(statement)
        if kind in FUNCTIONS:
            self.all(statement.decorator_list, statement.args.defaults, statement.args.kw_defaults)
            return [statement]
        if kind is gast.ClassDef:
            self.all(statement.decorator_list, statement.bases, statement.keywords)
            return [statement]
        self.fields(statement)
        replaced = [statement]
        for rewrite in self.by_kind.get(kind, ()):
            replaced = [new for old in replaced for new in (rewrite(old) if type(old) is kind else [old])]
        return replaced

    def fields(self, node: gast.AST) -> None:
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, list):
                if value and isinstance(value[0], gast.stmt):
                    setattr(node, field, self.block(value))
                else:
                    self.all(value)
            elif isinstance(value, gast.AST):
                setattr(node, field, self.expression(value))

    def all(self, *lists: list) -> None:
        for nodes in lists:
            nodes[:] = [self.expression(n) if isinstance(n, gast.AST) else n for n in nodes]

    def expression(self, node: gast.AST) -> gast.AST:
        kind = type(node)
        if kind is gast.Name or kind is gast.Constant:
            return node
        if kind is gast.IfExp:
            self.texts[node] = "" if self.in_text else text_of(node.test)
        if kind is gast.Lambda:
            self.lambda_(node)
        elif kind in COMPREHENSIONS:
            self.scopes += 1
            self.fields(node)
            self.scopes -= 1
        elif kind is gast.JoinedStr:
            self.in_text += 1
            self.fields(node)
            self.in_text -= 1
        elif kind is gast.FormattedValue:
            node.value = self.expression(node.value)
            if node.format_spec is not None:
                self.fields(node.format_spec)
        else:
            self.fields(node)
        for rewrite in self.by_kind.get(kind, ()):
            rewritten = rewrite(node)
            if rewritten is not node:
                if operator_name(rewritten):
                    at(rewritten.func, header(node))
                return at(rewritten, node)
        return node

    def held(self, operand: gast.AST) -> tuple[bool, list[str]]:
        """Whether something in an operand must stay in its place, and the names that it binds.

        Operands lie in operands: what is known of one is not looked for again.
        """
        anchored, bound = False, []
        for node in within(operand, self.operands):
            if node in self.operands:
                anchored |= self.operands[node][0]
                bound += self.operands[node][1]
            elif is_anchored(node):
                anchored = True
            elif isinstance(node, gast.NamedExpr):
                bound.append(node.target.id)
        self.operands[operand] = anchored, bound
        return anchored, bound

    def lambda_(self, node: gast.Lambda) -> None:
        self.all(node.args.defaults, node.args.kw_defaults)
        self.scopes += 1
        node.body = self.expression(node.body)
        self.scopes -= 1


def text_of(node: gast.AST) -> str:
    """An expression as its author could have written it."""
    return node.id if type(node) is gast.Name else ast.unparse(python_tree(node))


def is_plain(node: gast.AST) -> bool:
    """Whether an expression is plain whatever its operands are, by Python's own rules."""
    kind = type(node)
    if kind is gast.Compare:
        return all(type(op) in (gast.Is, gast.IsNot) for op in node.ops)
    if kind is gast.Constant:
        return True
    if kind is gast.Name:
        return node.id == "__debug__"
    if kind is gast.UnaryOp:
        return type(node.op) is gast.Not and is_plain(node.operand)
    if kind is gast.BoolOp:
        return all(map(is_plain, node.values))
    return False
