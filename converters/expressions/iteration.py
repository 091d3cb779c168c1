"""Rewriting of list comprehensions over staged values, which become staged maps.

`[f(x) for x in xs if c]` becomes `ag__.list_comp(xs, lambda items: [f(x) for x in items if ag__.keep(c)])`.
If `xs` is plain, the operator calls the lambda on `xs`, and Python's own comprehension runs. If `xs` is
staged, it calls the lambda on one staged element. If `xs` is plain but `c` is staged for some element, it
calls the lambda separately on that element and on each later one. A comprehension that awaits, binds a name
or reads the frame is unchanged.
"""

from __future__ import annotations

import gast

from ..analysis import blocks_thunk
from ..passes.expressions import Rewriter, guard, is_plain
from ..trees.builders import COMPREHENSIONS, at, lambda_, load, operator


class Comprehensions(Rewriter):
    """Rewrites list comprehensions, and guards the conditions of other comprehensions."""

    rewrites = dict.fromkeys(COMPREHENSIONS, "comprehension")

    def comprehension(self, node: gast.AST) -> gast.AST:
        is_simple = isinstance(node, gast.ListComp) and len(node.generators) == 1
        if not is_simple or any(map(blocks_thunk, gast.walk(node))):
            for generator in node.generators:
                generator.ifs = [
                    c if is_plain(c) else guard(c, "if in a comprehension", "AG005") for c in generator.ifs
                ]
            source = node.generators[0]
            if isinstance(node, gast.GeneratorExp) and not isinstance(source.iter, _NEVER_STAGED):
                source.iter = at(operator("iterated", source.iter), source.iter)
            return node
        [generator] = node.generators
        if generator.ifs:
            *others, condition = generator.ifs
            for other in reversed(others):
                condition = at(operator("and_", lambda_(other), lambda_(condition)), other)
            generator.ifs = [at(operator("keep", condition), condition)]
        items = self.walk.context.namer.parameter("items")
        source, generator.iter = generator.iter, at(load(items), generator.iter)
        return operator("list_comp", source, at(lambda_(node, items), node))


_NEVER_STAGED = (gast.Tuple, gast.List, gast.Constant, gast.JoinedStr, gast.ListComp, gast.GeneratorExp)


class Unpacking(Rewriter):
    """Rewrites the values of unpacking assignments and starred expressions."""

    rewrites = {gast.Assign: "assignment", gast.Starred: "star"}

    def assignment(self, node: gast.Assign) -> list[gast.AST]:
        if any(isinstance(target, (gast.Tuple, gast.List)) for target in node.targets):
            node.value = _unpack(node.value)
        return [node]

    def star(self, node: gast.Starred) -> gast.AST:
        if isinstance(node.ctx, gast.Load):
            node.value = _unpack(node.value)
        return node


def _unpack(value: gast.AST) -> gast.AST:
    return value if isinstance(value, _NEVER_STAGED) else at(operator("unpacked", value), value)
