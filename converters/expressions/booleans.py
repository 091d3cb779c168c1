"""Rewriting of `and`, `or`, `not`, `a if c else b`, `in` and comparison chains as operator calls.

Expressions that always evaluate to a plain value are unchanged: `is`, constants, and combinations of these.
"""

from __future__ import annotations

import gast

from ..analysis import blocking_node, blocks_thunk
from ..passes.expressions import Rewriter, guard, is_identity_test, is_none_test, is_plain
from ..trees.builders import at, constant, first_line, lambda_, load, operator, walk_scope


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


class Comparisons(Rewriter):
    """Rewrites comparisons: `a < b < c` evaluates `b` once, and `c` only if `a < b`."""

    rewrites = {gast.Compare: "compare"}

    def compare(self, node: gast.Compare) -> gast.AST:
        if len(node.ops) == 1:
            return _single(node.left, node.ops[0], node.comparators[0])
        if is_plain(node) or not all(map(_can_move, node.comparators[1:])):
            return node
        return self.chain(node.left, node.ops, node.comparators)

    def chain(self, left: gast.AST, ops: list[gast.AST], comparators: list[gast.AST]) -> gast.AST:
        op, middle = ops[0], comparators[0]
        if len(ops) == 1:
            return _single(left, op, middle)
        if isinstance(middle, (gast.Name, gast.Constant)) and _can_move(left):
            rest = self.chain(_copy(middle), ops[1:], comparators[1:])
            return at(operator("and_", lambda_(_single(left, op, middle)), lambda_(rest)), left)
        left_name, right_name = self.walk.context.namer.fresh("left"), self.walk.context.namer.fresh("right")
        rest = self.chain(load(right_name), ops[1:], comparators[1:])
        both = operator("and_", lambda_(_single(load(left_name), op, load(right_name))), lambda_(rest))
        return at(operator("call", at(lambda_(both, left_name, right_name), left), left, middle), left)


def _single(left: gast.AST, op: gast.AST, right: gast.AST) -> gast.AST:
    if is_none_test(left, op, right):
        test = at(operator("is_none", left), left)
        return test if isinstance(op, gast.Is) else at(operator("not_", test), left)
    if is_identity_test(left, op, right):
        test = at(operator("is_", left, right), left)
        if isinstance(op, gast.Is):
            return test
        return at(gast.UnaryOp(gast.Not(), test) if is_plain(test) else operator("not_", test), left)
    if isinstance(op, gast.In):
        return at(operator("in_", left, right), left)
    if isinstance(op, gast.NotIn):
        return at(operator("not_in", left, right), left)
    return at(gast.Compare(left, [op], [right]), left)


def _copy(node: gast.AST) -> gast.AST:
    return load(node.id) if isinstance(node, gast.Name) else gast.Constant(node.value, node.kind)


def _can_move(node: gast.AST) -> bool:
    return not any(map(blocks_thunk, walk_scope(node)))
