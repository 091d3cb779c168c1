"""Rewriting of expressions in one bottom-up walk.

A `Rewriter` names the kinds of node that it rewrites. The walk offers each node to the rewriters of its kind
in order, after its children. An operand that an operator may skip becomes a thunk. An operand that binds a
name (`:=`) becomes a function before the statement, because a lambda cannot bind there. An expression stays
in Python, guarded, if an operand suspends the function or binds a name inside a comprehension.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

import gast

from ..analysis import Facts, declarations, is_pinned, rule_for
from ..trees.builders import (
    COMPREHENSIONS,
    FUNCTIONS,
    TEMPLATE_STRING,
    at,
    constant,
    first_line,
    function,
    lambda_,
    load,
    operator,
    operator_name,
    walk_scope,
)
from ..trees.python_trees import unparse
from .base import Context, Pass
from .templates import scope_declarations


class Rewriter:
    """Rewrites nodes; `rewrites` maps each kind of node to the name of the method that rewrites it."""

    rewrites: ClassVar[dict[type, str]] = {}

    def __init__(self, walk: Expressions):
        self.walk = walk

    def thunks(self, operands: Sequence[gast.AST], stem: str, location: gast.AST) -> list[gast.AST] | None:
        """Return the operands as callables, or None if one of them cannot move into a function."""
        properties = [self.walk.operand_properties(operand) for operand in operands]
        if any(pinned or (bound and self.walk.scope_depth) for pinned, bound in properties):
            return None
        return [
            self.thunk(operand, bound, stem, first_line(location))
            for operand, (_, bound) in zip(operands, properties, strict=True)
        ]

    def thunk(self, operand: gast.AST, bound: list[str], stem: str, location: gast.AST) -> gast.AST:
        """Return an operand as a lambda or, if it binds names, as a function added before the statement."""
        if not bound:
            return at(lambda_(operand), location)
        name = self.walk.context.function_name(stem)
        globals_ = declarations(self.walk.function.body)[1]
        scopes = reversed(scope_declarations({*bound} - globals_, globals_ & {*bound}))
        self.walk.prelude.append(at(function(name, [*scopes, at(gast.Return(operand), operand)]), location))
        self.walk.rebound_names.update(bound)
        return at(load(name), location)


def guard(value: gast.AST, construct: str, reason: gast.AST | str) -> gast.AST:
    """Wrap a value that must not be staged because the construct that tests it stays in Python.

    `reason` is the code of a rule, or a blocking node. The texts contain no quotes, because the call may be
    inside an f-string.
    """
    details = [reason] if isinstance(reason, str) else rule_for(reason)
    return at(operator("guard", value, *map(constant, [construct, *details])), value)


class Expressions(Pass):
    """Walks all expressions of a function, including those in lambdas and comprehensions."""

    rewriters: ClassVar[tuple[type[Rewriter], ...]] = ()

    def __init__(self, context: Context):
        super().__init__(context)
        self.prelude: list[gast.AST] = []
        self.rebound_names: set[str] = set()
        self.scope_depth = 0
        self.fstring_depth = 0
        self.test_sources: dict[gast.AST, str] = {}
        self.known_operands: dict[gast.AST, tuple[bool, list[str]]] = {}
        self.methods_by_kind: dict[type, list] = {}
        for rewriter in (kind(self) for kind in self.rewriters):
            for kind, method in rewriter.rewrites.items():
                self.methods_by_kind.setdefault(kind, []).append(getattr(rewriter, method))

    def run(self, function: gast.AST) -> None:
        self.function = function
        try:
            if isinstance(function, gast.Lambda):
                self.scope_depth += 1
                function.body = self.expression(function.body)
            else:
                function.body = self.block(function.body)
                self.declare(function, self.rebound_names)
        finally:
            self.methods_by_kind.clear()  # break the reference cycle

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
            self.expressions(statement.decorator_list, statement.args.defaults, statement.args.kw_defaults)
            return [statement]
        if kind is gast.ClassDef:
            self.expressions(statement.decorator_list, statement.bases, statement.keywords)
            return [statement]
        self.child_fields(statement)
        replaced = [statement]
        for rewrite in self.methods_by_kind.get(kind, ()):
            replaced = [new for old in replaced for new in (rewrite(old) if type(old) is kind else [old])]
        return replaced

    def child_fields(self, node: gast.AST) -> None:
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, list):
                if value and isinstance(value[0], gast.stmt):
                    setattr(node, field, self.block(value))
                else:
                    self.expressions(value)
            elif isinstance(value, gast.AST):
                setattr(node, field, self.expression(value))

    def expressions(self, *lists: list) -> None:
        for nodes in lists:
            nodes[:] = [self.expression(n) if isinstance(n, gast.AST) else n for n in nodes]

    def expression(self, node: gast.AST) -> gast.AST:
        kind = type(node)
        if kind is gast.Name or kind is gast.Constant:
            return node
        if kind is gast.IfExp:
            self.test_sources[node] = "" if self.fstring_depth else unparse(node.test)
        if kind is gast.Lambda:
            self.lambda_(node)
        elif kind in COMPREHENSIONS:
            self.scope_depth += 1
            self.child_fields(node)
            self.scope_depth -= 1
        elif kind is gast.JoinedStr:
            self.fstring_depth += 1
            self.child_fields(node)
            self.fstring_depth -= 1
        elif kind is TEMPLATE_STRING:  # a template keeps the text of its expressions, which are not converted
            return node
        elif kind is gast.FormattedValue:
            node.value = self.expression(node.value)
            if node.format_spec is not None:
                self.child_fields(node.format_spec)
        else:
            self.child_fields(node)
        for rewrite in self.methods_by_kind.get(kind, ()):
            rewritten = rewrite(node)
            if rewritten is not node:
                if operator_name(rewritten):
                    at(rewritten.func, first_line(node))
                return at(rewritten, node)
        return node

    def operand_properties(self, operand: gast.AST) -> tuple[bool, list[str]]:
        """Return whether an operand contains a pinned node, and the names that it binds.

        Results are cached, because operands nest.
        """
        pinned, bound = False, []
        for node in walk_scope(operand, self.known_operands):
            if node in self.known_operands:
                pinned |= self.known_operands[node][0]
                bound += self.known_operands[node][1]
            elif is_pinned(node):
                pinned = True
            elif isinstance(node, gast.NamedExpr):
                bound.append(node.target.id)
        self.known_operands[operand] = pinned, bound
        return pinned, bound

    def lambda_(self, node: gast.Lambda) -> None:
        self.expressions(node.args.defaults, node.args.kw_defaults)
        self.scope_depth += 1
        node.body = self.expression(node.body)
        self.scope_depth -= 1


def is_none_test(left: gast.AST, op: gast.AST, right: gast.AST) -> bool:
    """Return whether a comparison tests for None what may be a staged value."""
    is_none = isinstance(right, gast.Constant) and right.value is None
    return is_none and isinstance(op, (gast.Is, gast.IsNot)) and not isinstance(left, gast.Constant)


def is_identity_test(left: gast.AST, op: gast.AST, right: gast.AST) -> bool:
    """Return whether a comparison tests whether two values are one object, which may be staged."""
    return isinstance(op, (gast.Is, gast.IsNot)) and not any(map(_is_always_plain, (left, right)))


def _is_always_plain(node: gast.AST) -> bool:
    """Return whether an operand of `is` is a constant or a class."""
    if isinstance(node, gast.Call):
        called = node.func.args[0] if operator_name(node.func) == "callee" else node.func
        return isinstance(called, gast.Name) and called.id == "type"
    is_class = isinstance(node, gast.Attribute) and node.attr == "__class__"
    return is_class or (isinstance(node, gast.Constant) and not isinstance(node.value, bool))


def is_plain(node: gast.AST) -> bool:
    """Return whether Python guarantees that an expression is plain, whatever its operands are."""
    kind = type(node)
    if kind is gast.Compare:
        operands = [node.left, *node.comparators]
        tests = zip(operands, node.ops, operands[1:], strict=False)
        return all(type(t[1]) in (gast.Is, gast.IsNot) and not is_none_test(*t) for t in tests)
    if kind is gast.Constant:
        return True
    if kind is gast.Name:
        return node.id == "__debug__"
    if kind is gast.UnaryOp:
        return type(node.op) is gast.Not and is_plain(node.operand)
    if kind is gast.BoolOp:
        return all(map(is_plain, node.values))
    return False
