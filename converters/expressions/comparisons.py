"""Rewriting of comparisons as operator calls, if they may be staged where Python itself would need a bool.

`in`, `is` and chains become operators, and so does a comparison of what may be tuples or lists, whose items
Python compares one by one. Other comparisons are operations of the staged values.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

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
        if type(op) in _SIGNS and self.are_sequences(op, left, right):
            return at(operator("compare", left, constant(_SIGNS[type(op)]), right), left)
        return at(gast.Compare(left, [op], [right]), left)

    def are_sequences(self, op: gast.AST, left: gast.AST, right: gast.AST) -> bool:
        """Return whether an operand seems to be a tuple or list, and the other one may be.

        For a test of equality, variables seem to be so unless they are known to be something else.
        """
        kinds = {self.kind(left), self.kind(right)}
        if type(op) in (gast.Eq, gast.NotEq) and isinstance(left, gast.Name) and isinstance(right, gast.Name):
            return _OTHER not in kinds
        return _SEQUENCE in kinds and _OTHER not in kinds

    def kind(self, node: gast.AST) -> str:
        """Return `_SEQUENCE` for what may be a tuple or list, `_OTHER` for what is none, else ""."""
        if isinstance(node, gast.Name):
            return _SEQUENCE if node.id in self.sequences else _OTHER if node.id in self.others else ""
        if _source(node) in self.nested:
            return _SEQUENCE
        return _kind_of(node)

    @cached_property
    def nested(self) -> set[str]:
        """The variables that may be containers of tuples or lists."""
        return {name for node in walk_scope(self.walk.function.body) for name in _nested(node)}

    @cached_property
    def bindings(self) -> list[tuple[str, gast.AST]]:
        """The variables that the function binds, with the values."""
        pairs = (pair for node in walk_scope(self.walk.function.body) for pair in _bindings(node))
        return [(target.id, value) for target, value in pairs if isinstance(target, gast.Name)]

    @cached_property
    def sequences(self) -> set[str]:
        """The variables that may be tuples or lists."""
        return {
            name
            for name, value in self.bindings
            if _kind_of(value) == _SEQUENCE or _source(value) in self.nested
        }

    @cached_property
    def others(self) -> set[str]:
        """The variables that are bound to nothing that may be a tuple or list."""
        unknown = {name for name, value in self.bindings if _kind_of(value) != _OTHER}
        arguments = {name.id for name in parameters(self.walk.function)}
        return {name for name, _ in self.bindings} - unknown - arguments


_SEQUENCE, _OTHER = "sequence", "other"
_SIGNS = {gast.Eq: "==", gast.NotEq: "!=", gast.Lt: "<", gast.LtE: "<=", gast.Gt: ">", gast.GtE: ">="}
_OTHER_NODES = (gast.Constant, gast.BinOp, gast.UnaryOp, gast.Compare, gast.JoinedStr, gast.Dict, gast.Set)
_MAKERS = frozenset(("list", "list_comp", "sorted", "tuple"))
"""Functions that return a tuple or list."""
_CONVERTERS = frozenset(("bool", "float", "int", "len", "ord", "round", "str"))
"""Functions that return a number or text."""
_TAKERS = frozenset(("heappop", "max", "min", "pop", "popleft"))
"""Functions and methods that return an item of a container."""
_ADDERS = frozenset(("add", "append", "appendleft", "heappush", "insert"))
"""Functions and methods whose last argument becomes an item of a container."""


def _kind_of(node: gast.AST) -> str:
    kind = type(node)
    if kind in (gast.Tuple, gast.List, gast.ListComp) or _called(node)[0] in _MAKERS:
        return _SEQUENCE
    if kind is gast.BinOp and _SEQUENCE in (_kind_of(node.left), _kind_of(node.right)):
        return _SEQUENCE
    is_number = kind is gast.Subscript and _called(node.value)[0] == "range"
    return _OTHER if is_number or kind in _OTHER_NODES or _called(node)[0] in _CONVERTERS else ""


def _called(node: gast.AST) -> tuple[str, list[gast.AST]]:
    """Return the name of the function or method that an expression calls, with its object and arguments."""
    function: Any = getattr(node, "func", None)
    if operator_name(function) == "callee":
        function = function.args[0]
    if isinstance(function, gast.Attribute):
        is_method = not (isinstance(function.value, gast.Name) and function.value.id == "heapq")
        return function.attr, [*([function.value] if is_method else []), *node.args]
    return (function.id, node.args) if isinstance(function, gast.Name) else ("", [])


def _source(node: gast.AST) -> str:
    """Return the name of the container that an expression takes an item of, or ""."""
    name, args = _called(node)
    if operator_name(node) == "get_item":
        source: Any = node.args[0]
    elif isinstance(node, gast.Subscript):
        source = node.value
    else:
        source = args[0] if name in _TAKERS and args else None
    return source.id if isinstance(source, gast.Name) else ""


def _nested(node: gast.AST) -> Iterator[str]:
    """Yield the names of the containers that a node shows to have tuples or lists as items."""
    name, args = _called(node)
    if (
        name in _ADDERS
        and len(args) > 1
        and isinstance(args[0], gast.Name)
        and _kind_of(args[-1]) == _SEQUENCE
    ):
        yield args[0].id
    for target, value in _bindings(node):
        if isinstance(target, gast.Name) and any(_kind_of(item) == _SEQUENCE for item in _items(value)):
            yield target.id


def _items(node: gast.AST) -> list[gast.AST]:
    """Return expressions of the items of a display, a comprehension, or what is made of one."""
    if isinstance(node, (gast.ListComp, gast.SetComp, gast.GeneratorExp)):
        return [node.elt]
    _, args = _called(node)
    return getattr(node, "elts", []) if not args else _items(args[0])


def _bindings(node: gast.AST) -> Iterator[tuple[gast.AST, gast.AST]]:
    """Yield the targets that a node binds, with the values, or expressions of their kind."""
    kind = type(node)
    if kind is gast.Assign:
        for target in node.targets:
            yield from _assigned(target, node.value)
    elif kind in (gast.AnnAssign, gast.NamedExpr) and node.value is not None:
        yield node.target, node.value
    elif kind in (gast.For, gast.comprehension):
        yield node.target, gast.Subscript(node.iter, constant(0), node.target.ctx)


def _assigned(target: gast.AST, value: gast.AST) -> Iterator[tuple[gast.AST, gast.AST]]:
    both = (target, value)
    if all(isinstance(part, (gast.Tuple, gast.List)) for part in both):
        for part, item in zip(target.elts, value.elts, strict=False):
            yield from _assigned(part, item)
    else:
        yield target, value


def _copy(node: gast.AST) -> gast.AST:
    return load(node.id) if isinstance(node, gast.Name) else gast.Constant(node.value, node.kind)


def _can_move(node: gast.AST) -> bool:
    return not any(map(blocks_thunk, walk_scope(node)))
