"""`and`, `or`, `not`, `a if c else b`, `in` and chains of comparisons become operator calls.

What must be a plain bool (`is`, constants and what is built from them) stays as it is.
"""

from __future__ import annotations

import gast

from ..analysis import is_anchored
from ..anchors import anchor_of
from ..trees import at, constant, header, lambda_, load, operator, within
from .expressions import Rewriter, guard, is_plain


class Booleans(Rewriter):
    """Short-circuiting and truth, as operators."""

    rewrites = {gast.BoolOp: "bool_op", gast.UnaryOp: "unary_op", gast.IfExp: "if_exp"}

    def bool_op(self, node: gast.BoolOp) -> gast.AST:
        if is_plain(node):
            return node
        name = "and_" if isinstance(node.op, gast.And) else "or_"
        thunks = self.thunks(node.values, f"{name}operand", node)
        if thunks is None:
            node.values[:-1] = [guard(value, name[:-1], anchor_of(node)) for value in node.values[:-1]]
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
            node.test = guard(node.test, "if else", anchor_of(node))
            return node
        return operator("if_exp", node.test, *thunks, constant(self.walk.texts[node]))


def _balanced(name: str, thunks: list[gast.AST], place: gast.AST) -> gast.AST:
    """One operator call for two operands, a tree of them for more: `and` and `or` are associative."""
    if len(thunks) == 2:
        return at(operator(name, *thunks), header(place))
    middle = max(1, len(thunks) // 2)
    halves = [
        part[0] if len(part) == 1 else at(lambda_(_balanced(name, part, place)), header(place))
        for part in (thunks[:middle], thunks[middle:])
    ]
    return at(operator(name, *halves), header(place))


class Comparisons(Rewriter):
    """`a < b < c` asks `a < b` first, evaluates b once, and c only if that held."""

    rewrites = {gast.Compare: "compare"}

    def compare(self, node: gast.Compare) -> gast.AST:
        if len(node.ops) == 1:
            return _single(node.left, node.ops[0], node.comparators[0])
        if is_plain(node):
            return node
        if not all(map(_can_move, node.comparators[1:])):
            return node
        return self.chain(node.left, node.ops, node.comparators)

    def chain(self, left: gast.AST, ops: list[gast.AST], comparators: list[gast.AST]) -> gast.AST:
        op, middle = ops[0], comparators[0]
        if len(ops) == 1:
            return _single(left, op, middle)
        if isinstance(middle, (gast.Name, gast.Constant)) and _can_move(left):
            rest = self.chain(_again(middle), ops[1:], comparators[1:])
            return at(operator("and_", lambda_(_single(left, op, middle)), lambda_(rest)), left)
        first, second = self.walk.context.namer.fresh("left"), self.walk.context.namer.fresh("right")
        rest = self.chain(load(second), ops[1:], comparators[1:])
        both = operator("and_", lambda_(_single(load(first), op, load(second))), lambda_(rest))
        return at(operator("call", at(lambda_(both, first, second), left), left, middle), left)


def _single(left: gast.AST, op: gast.AST, right: gast.AST) -> gast.AST:
    if isinstance(op, gast.In):
        return at(operator("in_", left, right), left)
    if isinstance(op, gast.NotIn):
        return at(operator("not_in", left, right), left)
    return at(gast.Compare(left, [op], [right]), left)


def _again(node: gast.AST) -> gast.AST:
    return load(node.id) if isinstance(node, gast.Name) else gast.Constant(node.value, node.kind)


def _can_move(node: gast.AST) -> bool:
    """Whether an operand does in a lambda what it does in its place."""
    return not any(isinstance(inner, gast.NamedExpr) or is_anchored(inner) for inner in within(node))
