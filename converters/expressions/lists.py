"""Lists, for operators that have a kind of their own: `[a]`, `xs.append(x)`, `xs.pop(i)` and `np.stack(xs)`.

    ag__.new_list([a])
    xs = ag__.list_append(xs, x)
    ((xs := ag__.list_pop(xs, i))[1], (xs := xs[0]))[0]
    ag__.list_stack(xs, ag__.callee(np.stack))

A list that grows or shrinks may become another one, so it must be a variable that the function can bind:
what is called on anything else, or inside a lambda or comprehension, stays a call.
"""

from __future__ import annotations

from typing import ClassVar

import gast

from ..trees import LOAD, assign, at, constant, load, operator, operator_name, store
from .expressions import Rewriter


class Lists(Rewriter):
    """List displays and methods, as far as there are `operators` for them."""

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
            if name is not None and not self.binds(node, name):
                return self.pop(name, node)
        return node

    def pop(self, name: str, node: gast.Call) -> gast.AST:
        """The variable holds the pair until both parts are where they belong."""
        popped = operator("list_pop", load(name), *(node.args or [constant(None)]))
        pair, rest = gast.NamedExpr(store(name), popped), gast.NamedExpr(store(name), _part(load(name), 0))
        return _part(gast.Tuple([_part(pair, 1), rest], LOAD), 0)

    def statement(self, node: gast.Expr) -> list[gast.AST]:
        call = node.value
        is_call = "list_append" in self.operators and isinstance(call, gast.Call)
        name = self.variable(call) if is_call and _method(call) == "append" and len(call.args) == 1 else None
        if name is None:
            return [node]
        before, [value] = [], call.args
        if self.binds(call, name):  # then what it is appended to is known only afterwards
            kept = self.walk.context.namer.parameter("value")
            before, value = [at(assign(kept, value), node)], load(kept)
        return [*before, at(assign(name, at(operator("list_append", load(name), value), call)), node)]

    def variable(self, node: gast.Call) -> str | None:
        """The variable whose method is called, if it can be bound here."""
        base = _function(node).value
        is_bound = isinstance(base, gast.Name) and base.id in self.walk.facts.variables
        return base.id if is_bound and not self.walk.scopes else None

    def binds(self, node: gast.Call, name: str) -> bool:
        """Whether the arguments of a call bind a variable, here or in a function before the statement."""
        inside = [inner for argument in node.args for inner in gast.walk(argument)]
        added = {inner.id for inner in inside if isinstance(inner, gast.Name)} & self.walk.context.functions
        return bool(added) or name in [n.target.id for n in inside if isinstance(n, gast.NamedExpr)]


def _part(pair: gast.AST, place: int) -> gast.Subscript:
    return gast.Subscript(pair, constant(place), LOAD)


def _function(node: gast.Call) -> gast.AST:
    """What a call calls, without our operator."""
    return node.func.args[0] if operator_name(node.func) == "callee" else node.func


def _method(node: gast.Call) -> str | None:
    """The method that a call calls, with arguments by position only."""
    if node.keywords or any(isinstance(arg, gast.Starred) for arg in node.args):
        return None
    return getattr(_function(node), "attr", None)
