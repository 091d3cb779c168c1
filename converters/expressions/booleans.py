"""Rewriting of `and`, `or`, `not` and `a if c else b` as operator calls.

Expressions that always evaluate to a plain value are unchanged: `is`, constants, and combinations of these.
"""

from __future__ import annotations

import gast

from ..analysis import blocking_node
from ..passes.expressions import Rewriter, guard, is_plain
from ..trees.builders import at, constant, first_line, lambda_, operator


class Booleans(Rewriter):
    """Rewrites `and`, `or`, `not` and conditional expressions."""

    rewrites = {gast.BoolOp: "bool_op", gast.UnaryOp: "unary_op", gast.IfExp: "if_exp"}

    def bool_op(self, node: gast.BoolOp) -> gast.AST:
        if is_plain(node):
            return node
        name = "and_" if isinstance(node.op, gast.And) else "or_"
        thunks = self.thunks(node.values, f"{name}operand", node)
        if thunks is None:
            node.values[:-1] = [guard(value, name[:-1], blocking_node(node)) for value in node.values[:-1]]
            return node
        return _balanced(name, thunks, node)

    def unary_op(self, node: gast.UnaryOp) -> gast.AST:
        if not isinstance(node.op, gast.Not) or is_plain(node):
            return node
        return operator("not_", node.operand)

    def if_exp(self, node: gast.IfExp) -> gast.AST:
        if is_plain(node.test):
            return node
        thunks = self.thunks([node.body, node.orelse], "if_exp_operand", node.test)
        if thunks is None:
            node.test = guard(node.test, "if else", blocking_node(node))
            return node
        return operator("if_exp", node.test, *thunks, constant(self.walk.test_sources[node]))


def _balanced(name: str, thunks: list[gast.AST], location: gast.AST) -> gast.AST:
    """Return a balanced tree of binary operator calls, since `and` and `or` are associative."""
    if len(thunks) == 2:
        return at(operator(name, *thunks), first_line(location))
    middle = max(1, len(thunks) // 2)
    halves = [
        part[0] if len(part) == 1 else at(lambda_(_balanced(name, part, location)), first_line(location))
        for part in (thunks[:middle], thunks[middle:])
    ]
    return at(operator(name, *halves), first_line(location))
