"""Rewriting of item reads and writes, where the index or the container may be staged.

`x[i]` becomes `ag__.get_item(x, i)`. `x[i] = v` becomes `x = ag__.set_item(x, i, v)` if x is a variable of
the function, so that a backend that cannot write in place can return a new value. The value is evaluated
first, as in Python.
"""

from __future__ import annotations

import gast

from ..passes.expressions import Rewriter
from ..trees.builders import LOAD, OPERATORS, STORE, assign, at, constant, load, operator, store


class Subscripts(Rewriter):
    """Rewrites reads and writes of items."""

    rewrites = {gast.Subscript: "get_item", gast.Assign: "lower", gast.AugAssign: "lower"}

    def is_variable(self, name: str) -> bool:
        return name in self.walk.facts.locals

    def may_be_unbound(self, node: gast.AST, statement: gast.AST) -> bool:
        """Return whether reading a name may raise an error, which must precede any error from the target."""
        if not isinstance(node, gast.Name) or node.id in self.walk.context.namer.added:
            return False
        return not self.is_variable(node.id) or node.id in self.walk.facts.before(statement).unbound

    def may_change(self, base: gast.AST, statement: gast.AST) -> bool:
        """Return whether evaluating a statement's index and value may rebind the base that it writes to."""
        is_known = isinstance(base, gast.Name) and statement in self.walk.facts.graph.steps
        if not is_known or self.may_be_unbound(base, statement):
            return True
        inside = [n.target.id for n in gast.walk(statement) if isinstance(n, gast.NamedExpr)]
        return base.id in inside or base.id in self.walk.facts.body.nonlocal_bindings

    def get_item(self, node: gast.Subscript) -> gast.AST:
        if not isinstance(node.ctx, gast.Load) or _is_constant(node.slice) or _has_star(node.slice):
            return node
        return operator("get_item", node.value, _key(node.slice))

    def lower(self, node: gast.Assign | gast.AugAssign) -> list[gast.AST]:
        """Return the statements that replace an assignment to items, and release their temporaries."""
        mark = self.walk.context.namer.mark()
        if isinstance(node, gast.AugAssign):
            statements = self.update(node)
        else:
            statements = [s for single in self.split_targets(node) for s in self.write(single)]
        self.walk.context.namer.release(mark)
        return statements

    def split_targets(self, node: gast.Assign) -> list[gast.Assign]:
        """Split an assignment to items into one assignment per target, in Python's order."""
        is_single = len(node.targets) == 1 and isinstance(node.targets[0], gast.Subscript)
        if is_single or not any(map(_has_item, node.targets)):
            return [node]
        result: list[gast.Assign] = []
        values = [node.value]
        if len(node.targets) > 1:
            name = self.temporary("value")
            result.append(at(assign(name, node.value), node))
            values = [load(name) for _ in node.targets]
        for target, value in zip(node.targets, values, strict=True):
            later: list[gast.Assign] = []
            whole = target if isinstance(target, gast.Subscript) else self.unpack(target, later, node)
            result += [at(gast.Assign([whole], value, None), node), *later]
        return result

    def unpack(self, target: gast.AST, later: list[gast.Assign], location: gast.AST) -> gast.AST:
        """Replace the first item in a target, and everything after it, with names.

        The assignments from these names to the replaced targets are added to `later`.
        """
        if isinstance(target, (gast.Tuple, gast.List)):
            elements = [self.unpack(element, later, location) for element in target.elts]
            return at(type(target)(elements, STORE), target)
        if isinstance(target, gast.Starred):
            return at(gast.Starred(self.unpack(target.value, later, location), STORE), target)
        if not later and not isinstance(target, gast.Subscript):
            return target
        name = self.temporary("value")
        later.append(at(gast.Assign([target], load(name), None), location))
        return at(store(name), target)

    def write(self, node: gast.Assign) -> list[gast.AST]:
        target = node.targets[0]
        if len(node.targets) != 1 or not isinstance(target, gast.Subscript) or _has_star(target.slice):
            return [node]
        before: list[gast.AST] = []
        simple = _is_simple(target.slice)
        always = not simple or self.may_be_unbound(node.value, node)
        value = self.evaluate_once(node.value, "value", before, node, always=always)
        base, key = target.value, _key(target.slice)
        if not simple:
            base = self.evaluate_once(base, "base", before, node, always=self.may_change(base, node))
            key = self.evaluate_once(key, "key", before, node)
        return [*before, *self.set_item(node, target.value, base, key, value)]

    def update(self, node: gast.AugAssign) -> list[gast.AST]:
        target = node.target
        if not isinstance(target, gast.Subscript) or _has_star(target.slice):
            return [node]
        before: list[gast.AST] = []
        simple = _is_simple(node.value)
        always = not simple or not _is_simple(target.slice)
        always = always and self.may_change(target.value, node)
        base = self.evaluate_once(target.value, "base", before, node, always=always)
        key = self.evaluate_once(_key(target.slice), "key", before, node, always=not simple)
        item = self.temporary("element")
        read = gast.Subscript(base, key, LOAD) if _is_constant(key) else operator("get_item", base, key)
        before.append(at(assign(item, at(read, target)), node))
        before.append(at(gast.AugAssign(store(item), node.op, node.value), node))
        return [*before, *self.set_item(node, target.value, _copy(base), _copy(key), load(item))]

    def temporary(self, stem: str) -> str:
        """Return a name that the runtime can tell from the user's: a temporary is no reference to a value."""
        return self.walk.context.namer.fresh(f"{OPERATORS}{stem}")

    def evaluate_once(
        self, node: gast.AST, stem: str, before: list[gast.AST], location: gast.AST, *, always: bool = False
    ) -> gast.AST:
        """Assign a value to a temporary unless it is a constant or, without `always`, a name."""
        if isinstance(node, gast.Constant):
            return node
        if isinstance(node, gast.Name) and (not always or node.id in self.walk.context.namer.added):
            return node
        name = self.temporary(stem)
        before.append(at(assign(name, node), location))
        return load(name)

    def set_item(
        self, location: gast.AST, target: gast.AST, base: gast.AST, key: gast.AST, value: gast.AST
    ) -> list[gast.AST]:
        """Return statements for `base[key] = value`, where `base` is the value of the expression `target`."""
        call = at(operator("set_item", base, key, value), location)
        if not isinstance(target, gast.Name) or not self.is_variable(target.id):
            return [at(gast.Expr(call), location)]
        if base is target or base.id == target.id:
            return [at(assign(target.id, call), location)]
        updated = self.temporary("updated")
        is_new = gast.Compare(load(updated), [gast.IsNot()], [load(base.id)])
        rebind = gast.If(is_new, [assign(target.id, load(updated))], [])
        return [at(assign(updated, call), location), at(rebind, location)]


def _copy(node: gast.AST) -> gast.AST:
    return load(node.id) if isinstance(node, gast.Name) else constant(node.value)


def _key(node: gast.AST) -> gast.AST:
    """Return a subscript's index as an expression that can stand alone."""
    if isinstance(node, gast.Slice):
        bounds = [b if b is not None else constant(None) for b in (node.lower, node.upper, node.step)]
        return at(operator("slice", *bounds), node)
    if isinstance(node, gast.Tuple):
        return at(gast.Tuple([_key(element) for element in node.elts], LOAD), node)
    return node


def _is_simple(node: gast.AST) -> bool:
    """Return whether an expression contains only names, constants and operators, and so binds no name."""
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
