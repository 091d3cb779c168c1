"""Item writes whose result is stored where the container came from, for operators that return new containers.

`o.q[i] = v` becomes

    base = o.q
    updated = ag__.set_item(base, i, v)
    if updated is not base:
        o.q = updated

and `xs[k][i] = v` stores the new item in `xs` likewise.
"""

from __future__ import annotations

import gast

from ..trees.builders import LOAD, STORE, assign, at, constant, load, operator
from .subscripts import Subscripts, _key


class StoredItems(Subscripts):
    """Rewrites reads and writes of items, for a transpiler that has a `set_item` of its own."""

    def write(self, node: gast.Assign) -> list[gast.AST]:
        target = node.targets[0]
        if not isinstance(target, gast.Subscript) or not _is_place(target.value):
            return super().write(node)
        before: list[gast.AST] = []
        node.value = self.evaluate_once(node.value, "value", before, node, always=True)
        target.value = self.place(target.value, before, node)
        return [*before, *super().write(node)]

    def update(self, node: gast.AugAssign) -> list[gast.AST]:
        before: list[gast.AST] = []
        if isinstance(node.target, gast.Subscript) and _is_place(node.target.value):
            node.target.value = self.place(node.target.value, before, node)
        return [*before, *super().update(node)]

    def place(self, node: gast.AST, before: list[gast.AST], location: gast.AST) -> gast.AST:
        """Return an attribute or item whose owner and key are evaluated once."""
        if isinstance(node, gast.Attribute):
            return at(gast.Attribute(self.owner(node.value, before, location), node.attr, LOAD), node)
        owner, key = _parts(node)
        owner = self.owner(owner, before, location)
        return at(gast.Subscript(owner, self.evaluate_once(key, "key", before, location), LOAD), node)

    def owner(self, node: gast.AST, before: list[gast.AST], location: gast.AST) -> gast.AST:
        """Return a name for the owner of an attribute or item, and note where the owner came from."""
        place = self.place(node, before, location) if _is_place(node) else None
        name = self.evaluate_once(node if place is None else place, "owner", before, location)
        if place is not None:
            name.place = place
        return name

    def set_item(
        self, location: gast.AST, target: gast.AST, base: gast.AST, key: gast.AST, value: gast.AST
    ) -> list[gast.AST]:
        place = getattr(target, "place", target)
        if not _is_place(place):
            return super().set_item(location, target, base, key, value)
        before: list[gast.AST] = []
        base = self.evaluate_once(base, "base", before, location)
        updated = self.temporary("updated")
        before.append(at(assign(updated, operator("set_item", base, key, value)), location))
        if isinstance(place, gast.Attribute):
            stored = gast.Attribute(_copy(place.value), place.attr, STORE)
            store = [at(gast.Assign([stored], load(updated), None), location)]
        else:
            store = self.set_item(
                location, place.value, _copy(place.value), _copy(place.slice), load(updated)
            )
        is_new = gast.Compare(load(updated), [gast.IsNot()], [_copy(base)])
        return [*before, at(gast.If(is_new, store, []), location)]


def _copy(node: gast.AST) -> gast.AST:
    return load(node.id) if isinstance(node, gast.Name) else constant(node.value)


def _is_item_read(node: gast.AST) -> bool:
    return isinstance(node, gast.Call) and getattr(node.func, "attr", "") == "get_item"


def _is_place(node: gast.AST) -> bool:
    """Return whether a value is an attribute or item, in which another value can be stored."""
    return isinstance(node, (gast.Attribute, gast.Subscript)) or _is_item_read(node)


def _parts(node: gast.AST) -> tuple[gast.AST, gast.AST]:
    return (node.value, _key(node.slice)) if isinstance(node, gast.Subscript) else tuple(node.args)
