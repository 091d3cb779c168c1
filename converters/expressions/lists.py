"""Rewriting of lists for backends with a list type of their own.

    ag__.new_list([a])                                   # [a]
    xs = ag__.list_append(xs, x)                         # xs.append(x)
    ((xs := ag__.list_pop(xs, i))[1], (xs := xs[0]))[0]  # xs.pop(i)
    ag__.list_stack(xs, ag__.callee(np.stack))           # np.stack(xs)

A method may replace the list with a new one, so the list must be a variable that the function can bind. A
call on anything else, or inside a lambda or comprehension, is left unchanged.
"""

from __future__ import annotations

from typing import ClassVar

import gast

from ..passes.expressions import Rewriter
from ..trees.builders import LOAD, OPERATORS, assign, at, constant, load, operator, operator_name, store


class Lists(Rewriter):
    """Rewrites list displays and method calls for which `operators` has an operator."""

    operators: ClassVar = frozenset(("new_list", "list_append", "list_pop", "list_stack"))
    rewrites = {gast.List: "display", gast.Call: "call", gast.Expr: "statement"}

    def display(self, node: gast.List) -> gast.AST:
        if "new_list" not in self.operators or not isinstance(node.ctx, gast.Load):
            return node
        return operator("new_list", node)

    def call(self, node: gast.Call) -> gast.AST:
        if "list_stack" in self.operators and _method(node) == "stack" and len(node.args) == 1:
            return operator("list_stack", node.args[0], node.func)
        if "list_pop" in self.operators and _method(node) == "pop" and len(node.args) < 2:
            name = self.variable(node)
            if name is not None and not self.can_bind(node, name):
                return self.pop(name, node)
        return node

    def pop(self, name: str, node: gast.Call) -> gast.AST:
        """Return an expression that pops an item; it briefly binds the variable to a (list, item) pair."""
        popped = operator("list_pop", load(name), *(node.args or [constant(None)]))
        pair, rest = gast.NamedExpr(store(name), popped), gast.NamedExpr(store(name), _item(load(name), 0))
        return _item(gast.Tuple([_item(pair, 1), rest], LOAD), 0)

    def statement(self, node: gast.Expr) -> list[gast.AST]:
        call = node.value
        is_call = "list_append" in self.operators and isinstance(call, gast.Call)
        name = self.variable(call) if is_call and _method(call) == "append" and len(call.args) == 1 else None
        if name is None:
            return [node]
        before, [value] = [], call.args
        if self.can_bind(call, name):  # evaluate the value before the variable is read
            temporary = self.walk.context.namer.parameter(f"{OPERATORS}value")
            before, value = [at(assign(temporary, value), node)], load(temporary)
        return [*before, at(assign(name, at(operator("list_append", load(name), value), call)), node)]

    def variable(self, node: gast.Call) -> str | None:
        """Return the variable whose method is called, or None if it cannot be bound here."""
        base = _callee(node).value
        is_bound = isinstance(base, gast.Name) and base.id in self.walk.facts.variables
        return base.id if is_bound and not self.walk.scope_depth else None

    def can_bind(self, node: gast.Call, name: str) -> bool:
        """Return whether the arguments of a call may bind a variable, here or in an added function."""
        inside = [inner for argument in node.args for inner in gast.walk(argument)]
        added = {inner.id for inner in inside if isinstance(inner, gast.Name)} & self.walk.context.functions
        return bool(added) or name in [n.target.id for n in inside if isinstance(n, gast.NamedExpr)]


def _item(pair: gast.AST, index: int) -> gast.Subscript:
    return gast.Subscript(pair, constant(index), LOAD)


def _callee(node: gast.Call) -> gast.AST:
    return node.func.args[0] if operator_name(node.func) == "callee" else node.func


def _method(node: gast.Call) -> str | None:
    """Return the name of the method called, or None if not all arguments are positional."""
    if node.keywords or any(isinstance(arg, gast.Starred) for arg in node.args):
        return None
    return getattr(_callee(node), "attr", None)
