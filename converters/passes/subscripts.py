"""Reading and writing items, where the index or the container may be staged.

`x[i]` becomes `ag__.get_item(x, i)`. `x[i] = v` becomes `x = ag__.set_item(x, i, v)` where x is a
variable of the function, so that a system without writing in place can give it a new value; the
value is evaluated first, as Python does.
"""

from __future__ import annotations

import gast

from ..analysis import Facts
from ..trees import assign, at, constant, load, operator, store
from .expressions import Expressions, Rewriter


class Subscripts(Rewriter):
    """Items, as operators."""

    rewrites = {
        gast.Subscript: "read",
        gast.Assign: "write",
        gast.AugAssign: "update",
    }

    def __init__(self, walk: Expressions):
        super().__init__(walk)
        self._facts: Facts | None = None

    def is_variable(self, name: str) -> bool:
        if self._facts is None:
            self._facts = Facts(self.walk.function)
        return name in self._facts.locals

    def read(self, node: gast.Subscript) -> gast.AST:
        if not isinstance(node.ctx, gast.Load) or _is_constant(node.slice) or _has_star(node.slice):
            return node
        return operator("get_item", node.value, _key(node.slice))

    def write(self, node: gast.Assign) -> list[gast.AST]:
        target = node.targets[0]
        if len(node.targets) != 1 or not isinstance(target, gast.Subscript) or _has_star(target.slice):
            return [node]
        before: list[gast.AST] = []
        value = node.value
        if not isinstance(value, (gast.Name, gast.Constant)):
            name = self.walk.context.namer.fresh("value")
            before = [at(assign(name, value), node)]
            value = load(name)
        return [*before, self.set_item(node, target, value)]

    def update(self, node: gast.AugAssign) -> list[gast.AST]:
        target = node.target
        if not isinstance(target, gast.Subscript) or _has_star(target.slice):
            return [node]
        before: list[gast.AST] = []
        base = self.once(target.value, "base", before, node)
        key = self.once(_key(target.slice), "key", before, node)
        item = self.walk.context.namer.fresh("item")
        read = (
            gast.Subscript(base, key, gast.Load()) if _is_constant(key) else operator("get_item", base, key)
        )
        before.append(at(assign(item, at(read, target)), node))
        before.append(at(gast.AugAssign(store(item), node.op, node.value), node))
        again = gast.Subscript(_copy(base), _copy(key), gast.Store())
        return [*before, self.set_item(node, again, load(item))]

    def once(self, node: gast.AST, stem: str, before: list[gast.AST], place: gast.AST) -> gast.AST:
        """The value of `node`, kept under a name unless it is a name or constant itself."""
        if isinstance(node, (gast.Name, gast.Constant)):
            return node
        name = self.walk.context.namer.fresh(stem)
        before.append(at(assign(name, node), place))
        return load(name)

    def set_item(self, place: gast.AST, target: gast.Subscript, value: gast.AST) -> gast.AST:
        base = target.value
        call = at(operator("set_item", base, _key(target.slice), value), place)
        if isinstance(base, gast.Name) and self.is_variable(base.id):
            return at(assign(base.id, call), place)
        return at(gast.Expr(call), place)


def _copy(node: gast.AST) -> gast.AST:
    return load(node.id) if isinstance(node, gast.Name) else constant(node.value)


def _key(node: gast.AST) -> gast.AST:
    """A subscript's index as an expression of its own."""
    if isinstance(node, gast.Slice):
        bounds = [b if b is not None else constant(None) for b in (node.lower, node.upper, node.step)]
        return at(gast.Call(gast.Attribute(load("ag__"), "slice", gast.Load()), bounds, []), node)
    if isinstance(node, gast.Tuple):
        return at(gast.Tuple([_key(element) for element in node.elts], gast.Load()), node)
    return node


def _is_constant(node: gast.AST) -> bool:
    if isinstance(node, gast.Slice):
        return all(b is None or _is_constant(b) for b in (node.lower, node.upper, node.step))
    if isinstance(node, gast.Tuple):
        return all(map(_is_constant, node.elts))
    if isinstance(node, gast.UnaryOp):
        return isinstance(node.operand, gast.Constant)
    return isinstance(node, gast.Constant)


def _has_star(node: gast.AST) -> bool:
    return any(isinstance(inner, gast.Starred) for inner in gast.walk(node))
