"""Rewriting of comparisons as operator calls, if they may be staged where Python itself would need a bool.

`in`, `is` and chains become operators, and so does a comparison of what may be tuples or lists, whose items
Python compares one by one. Other comparisons are operations of the staged values.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import gast

from ..analysis import blocks_thunk
from ..passes.expressions import Rewriter, is_identity_test, is_none_test, is_plain
from ..trees.builders import at, constant, lambda_, load, operator, operator_name, parameters, walk_scope


class Comparisons(Rewriter):
    """Rewrites comparisons: `a < b < c` evaluates `b` once, and `c` only if `a < b`."""

    rewrites = {gast.Compare: "compare"}

    def compare(self, node: gast.Compare) -> gast.AST:
        if len(node.ops) == 1:
            return self.single(node.left, node.ops[0], node.comparators[0])
        if is_plain(node) or not all(map(_can_move, node.comparators[1:])):
            return node
        return self.chain(node.left, node.ops, node.comparators)

    def chain(self, left: gast.AST, ops: list[gast.AST], comparators: list[gast.AST]) -> gast.AST:
        op, middle = ops[0], comparators[0]
        if len(ops) == 1:
            return self.single(left, op, middle)
        if isinstance(middle, (gast.Name, gast.Constant)) and _can_move(left):
            rest = self.chain(_copy(middle), ops[1:], comparators[1:])
            return at(operator("and_", lambda_(self.single(left, op, middle)), lambda_(rest)), left)
        left_name, right_name = self.walk.context.namer.fresh("left"), self.walk.context.namer.fresh("right")
        rest = self.chain(load(right_name), ops[1:], comparators[1:])
        both = operator("and_", lambda_(self.single(load(left_name), op, load(right_name))), lambda_(rest))
        return at(operator("call", at(lambda_(both, left_name, right_name), left), left, middle), left)

    def single(self, left: gast.AST, op: gast.AST, right: gast.AST) -> gast.AST:
        if is_none_test(left, op, right):
            test = at(operator("is_none", left), left)
            return test if isinstance(op, gast.Is) else at(operator("not_", test), left)
        if is_identity_test(left, op, right):
            test = at(operator("is_", left, right), left)
            if isinstance(op, gast.Is):
                return test
            return at(operator("not_", test), left)
        if isinstance(op, gast.In):
            return at(operator("in_", left, right), left)
        if isinstance(op, gast.NotIn):
            return at(operator("not_in", left, right), left)
        if type(op) in _SIGNS and self.may_be_sequences(left, op, right):
            return at(operator("compare", left, constant(_SIGNS[type(op)]), right), left)
        return at(gast.Compare(left, [op], [right]), left)

    def may_be_sequences(self, left: gast.AST, op: gast.AST, right: gast.AST) -> bool:
        """Return whether both operands may be tuples or lists. To be ordered, one has to be known as one."""
        kinds = {self.kind(left), self.kind(right)}
        return _OTHER not in kinds and (_SEQUENCE in kinds or type(op) in _EQUALITY)

    def kind(self, node: gast.AST) -> str:
        """Return `_SEQUENCE` for a tuple or list, `_OTHER` for what is none, and "" if this is not known."""
        if not isinstance(node, gast.Name):
            return _kind_of(node)
        kinds = self.bound_kinds.get(node.id, {""})
        return _SEQUENCE if _SEQUENCE in kinds else min(kinds)

    @cached_property
    def bound_kinds(self) -> dict[str, set[str]]:
        """The kinds of the values that the function binds to each of its variables."""
        function = self.walk.function
        known: dict[gast.AST, str] = {}
        found: dict[str, set[str]] = {name.id: {""} for name in parameters(function)}
        nodes = list(walk_scope(function.body))
        for node in nodes:
            known.update(_bindings(node))
        for node in nodes:
            if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Store):
                found.setdefault(node.id, set()).add(known.get(node, ""))
        return found


_SEQUENCE, _OTHER = "sequence", "other"
_EQUALITY = (gast.Eq, gast.NotEq)
_SIGNS = {gast.Eq: "==", gast.NotEq: "!=", gast.Lt: "<", gast.LtE: "<=", gast.Gt: ">", gast.GtE: ">="}
_OTHER_NODES = (gast.Constant, gast.BinOp, gast.UnaryOp, gast.Compare, gast.JoinedStr, gast.Dict, gast.Set)
_NUMBERS = frozenset(("abs", "bool", "float", "int", "len", "ord", "round", "str", "sum"))
"""Builtins that return no tuple or list."""


def _kind_of(node: gast.AST) -> str:
    kind = type(node)
    if kind in (gast.Tuple, gast.List):
        return _SEQUENCE
    if kind is gast.BinOp and _SEQUENCE in (_kind_of(node.left), _kind_of(node.right)):
        return _SEQUENCE
    return _OTHER if kind in _OTHER_NODES or _called(node) in _NUMBERS else ""


def _called(node: gast.AST) -> str:
    """Return the name of the function that an expression calls, or ""."""
    function = getattr(node, "func", None)
    if operator_name(function) == "callee":
        function = function.args[0]
    return function.id if isinstance(function, gast.Name) else ""


def _bindings(node: gast.AST) -> Iterator[tuple[gast.AST, str]]:
    """Yield the names that a node binds to what is known to be a tuple or list, or to be none."""
    kind = type(node)
    if kind is gast.Assign:
        for target in node.targets:
            yield from _assigned(target, node.value)
    elif kind is gast.AugAssign and not isinstance(node.op, (gast.Add, gast.Mult)):
        yield node.target, _OTHER
    elif kind in (gast.AugAssign, gast.AnnAssign, gast.NamedExpr) and node.value is not None:
        yield node.target, _kind_of(node.value)
    elif kind in (gast.For, gast.comprehension):
        if _called(node.iter) == "range":
            yield node.target, _OTHER
        elif _called(node.iter) == "enumerate" and isinstance(node.target, gast.Tuple):
            yield node.target.elts[0], _OTHER


def _assigned(target: gast.AST, value: gast.AST) -> Iterator[tuple[gast.AST, str]]:
    both = (target, value)
    if all(isinstance(part, (gast.Tuple, gast.List)) for part in both):
        for part, item in zip(target.elts, value.elts, strict=False):
            yield from _assigned(part, item)
    else:
        yield target, _kind_of(value)


def _copy(node: gast.AST) -> gast.AST:
    return load(node.id) if isinstance(node, gast.Name) else gast.Constant(node.value, node.kind)


def _can_move(node: gast.AST) -> bool:
    return not any(map(blocks_thunk, walk_scope(node)))
