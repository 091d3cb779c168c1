"""Reading and writing items, where the index or the container may be staged.

`x[i]` becomes `ag__.get_item(x, i)`. `x[i] = v` becomes `x = ag__.set_item(x, i, v)` where x is a
variable of the function, so that a system without writing in place can give it a new value; the
value is evaluated first, as Python does.
"""

from __future__ import annotations

import gast

from ..trees import LOAD, STORE, assign, at, constant, load, operator, store
from .expressions import Rewriter


class Subscripts(Rewriter):
    """Items, as operators."""

    rewrites = {
        gast.Subscript: "read",
        gast.Assign: "change",
        gast.AugAssign: "change",
    }

    def is_variable(self, name: str) -> bool:
        return name in self.walk.facts.locals

    def may_be_missing(self, node: gast.AST, statement: gast.AST) -> bool:
        """Whether reading a name may be an error, which comes before those of the statement's target."""
        if not isinstance(node, gast.Name) or node.id in self.walk.context.namer.added:
            return False
        return not self.is_variable(node.id) or node.id in self.walk.facts.before(statement).unbound

    def may_change(self, base: gast.AST, statement: gast.AST) -> bool:
        """Whether what a statement writes to may be another thing once its index and value are known."""
        is_known = isinstance(base, gast.Name) and statement in self.walk.facts.graph.steps
        if not is_known or self.may_be_missing(base, statement):
            return True
        inside = [n.target.id for n in gast.walk(statement) if isinstance(n, gast.NamedExpr)]
        return base.id in inside or base.id in self.walk.facts.body.rebinds

    def read(self, node: gast.Subscript) -> gast.AST:
        if not isinstance(node.ctx, gast.Load) or _is_constant(node.slice) or _has_star(node.slice):
            return node
        return operator("get_item", node.value, _key(node.slice))

    def change(self, node: gast.Assign | gast.AugAssign) -> list[gast.AST]:
        """A statement without item writes; the names that it needs are its own."""
        mark = self.walk.context.namer.mark()
        if isinstance(node, gast.AugAssign):
            statements = self.update(node)
        else:
            statements = [made for single in self.singly(node) for made in self.write(single)]
        self.walk.context.namer.release(mark)
        return statements

    def singly(self, node: gast.Assign) -> list[gast.Assign]:
        """An assignment with items among several targets as one for each, in Python's order."""
        is_single = len(node.targets) == 1 and isinstance(node.targets[0], gast.Subscript)
        if is_single or not any(map(_has_item, node.targets)):
            return [node]
        made: list[gast.Assign] = []
        values = [node.value]
        if len(node.targets) > 1:
            name = self.walk.context.namer.fresh("value")
            made.append(at(assign(name, node.value), node))
            values = [load(name) for _ in node.targets]
        for target, value in zip(node.targets, values, strict=True):
            later: list[gast.Assign] = []
            whole = target if isinstance(target, gast.Subscript) else self.unpacked(target, later, node)
            made += [at(gast.Assign([whole], value, None), node), *later]
        return made

    def unpacked(self, target: gast.AST, later: list[gast.Assign], place: gast.AST) -> gast.AST:
        """A target in which the first item, and all that comes after it, has a name; `later` fills them."""
        if isinstance(target, (gast.Tuple, gast.List)):
            elements = [self.unpacked(element, later, place) for element in target.elts]
            return at(type(target)(elements, STORE), target)
        if isinstance(target, gast.Starred):
            return at(gast.Starred(self.unpacked(target.value, later, place), STORE), target)
        if not later and not isinstance(target, gast.Subscript):
            return target
        name = self.walk.context.namer.fresh("value")
        later.append(at(gast.Assign([target], load(name), None), place))
        return at(store(name), target)

    def write(self, node: gast.Assign) -> list[gast.AST]:
        target = node.targets[0]
        if len(node.targets) != 1 or not isinstance(target, gast.Subscript) or _has_star(target.slice):
            return [node]
        before: list[gast.AST] = []
        simple = _is_simple(target.slice)
        always = not simple or self.may_be_missing(node.value, node)
        value = self.once(node.value, "value", before, node, always=always)
        base, key = target.value, _key(target.slice)
        if not simple:
            base = self.once(base, "base", before, node, always=self.may_change(base, node))
            key = self.once(key, "key", before, node)
        return [*before, *self.set_item(node, target.value, base, key, value)]

    def update(self, node: gast.AugAssign) -> list[gast.AST]:
        target = node.target
        if not isinstance(target, gast.Subscript) or _has_star(target.slice):
            return [node]
        before: list[gast.AST] = []
        simple = _is_simple(node.value)
        always = not simple or not _is_simple(target.slice)
        always = always and self.may_change(target.value, node)
        base = self.once(target.value, "base", before, node, always=always)
        key = self.once(_key(target.slice), "key", before, node, always=not simple)
        item = self.walk.context.namer.fresh("element")
        read = gast.Subscript(base, key, LOAD) if _is_constant(key) else operator("get_item", base, key)
        before.append(at(assign(item, at(read, target)), node))
        before.append(at(gast.AugAssign(store(item), node.op, node.value), node))
        return [*before, *self.set_item(node, target.value, _copy(base), _copy(key), load(item))]

    def once(
        self, node: gast.AST, stem: str, before: list[gast.AST], place: gast.AST, *, always: bool = False
    ) -> gast.AST:
        """The value of `node`, kept under a name unless it is a constant, or a name that nothing rebinds."""
        if isinstance(node, gast.Constant):
            return node
        if isinstance(node, gast.Name) and (not always or node.id in self.walk.context.namer.added):
            return node
        name = self.walk.context.namer.fresh(stem)
        before.append(at(assign(name, node), place))
        return load(name)

    def set_item(
        self, place: gast.AST, target: gast.AST, base: gast.AST, key: gast.AST, value: gast.AST
    ) -> list[gast.AST]:
        """`base[key] = value`, where `base` is what the expression `target` was."""
        call = at(operator("set_item", base, key, value), place)
        if not isinstance(target, gast.Name) or not self.is_variable(target.id):
            return [at(gast.Expr(call), place)]
        if base is target or base.id == target.id:
            return [at(assign(target.id, call), place)]
        updated = self.walk.context.namer.fresh("updated")
        is_new = gast.Compare(load(updated), [gast.IsNot()], [load(base.id)])
        rebind = gast.If(is_new, [assign(target.id, load(updated))], [])
        return [at(assign(updated, call), place), at(rebind, place)]


def _copy(node: gast.AST) -> gast.AST:
    return load(node.id) if isinstance(node, gast.Name) else constant(node.value)


def _key(node: gast.AST) -> gast.AST:
    """A subscript's index as an expression of its own."""
    if isinstance(node, gast.Slice):
        bounds = [b if b is not None else constant(None) for b in (node.lower, node.upper, node.step)]
        return at(operator("slice", *bounds), node)
    if isinstance(node, gast.Tuple):
        return at(gast.Tuple([_key(element) for element in node.elts], LOAD), node)
    return node


def _is_simple(node: gast.AST) -> bool:
    """Whether evaluating an expression cannot bind a name: it calls nothing of the user's."""
    kinds = (gast.Name, gast.Constant, gast.Tuple, gast.Slice, gast.BinOp, gast.UnaryOp, gast.expr_context)
    return all(isinstance(inner, (*kinds, gast.operator, gast.unaryop)) for inner in gast.walk(node))


def _is_constant(node: gast.AST) -> bool:
    if isinstance(node, gast.Slice):
        return all(b is None or _is_constant(b) for b in (node.lower, node.upper, node.step))
    if isinstance(node, gast.Tuple):
        return all(map(_is_constant, node.elts))
    if isinstance(node, gast.UnaryOp):
        return isinstance(node.operand, gast.Constant)
    return isinstance(node, gast.Constant)


def _has_item(target: gast.AST) -> bool:
    if isinstance(target, (gast.Tuple, gast.List)):
        return any(map(_has_item, target.elts))
    return isinstance(target.value if isinstance(target, gast.Starred) else target, gast.Subscript)


def _has_star(node: gast.AST) -> bool:
    return any(isinstance(inner, gast.Starred) for inner in gast.walk(node))
