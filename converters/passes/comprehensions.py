"""A list comprehension over something staged is a staged map.

`[f(x) for x in xs if c]` becomes `ag__.list_comp(xs, lambda items: [f(x) for x in items if ag__.keep(c)])`:
on plain values the operator calls the lambda on `xs`, so that Python's own comprehension runs; on a
staged `xs` it calls it on one staged element, and from the first staged `c` on, on each plain element. One
that awaits, binds a name or reads the frame, stays as it is.
"""

from __future__ import annotations

import gast

from ..analysis import is_anchored
from ..trees import COMPREHENSIONS, at, children, lambda_, load, operator
from .expressions import Rewriter, guard, is_plain


class Comprehensions(Rewriter):
    """List comprehensions over what may be staged, and the conditions of the others."""

    rewrites = dict.fromkeys(COMPREHENSIONS, "comprehension")

    def comprehension(self, node: gast.AST) -> gast.AST:
        staged = isinstance(node, gast.ListComp) and len(node.generators) == 1 and not _stays(node)
        if not staged:
            for generator in node.generators:
                generator.ifs = [
                    c if is_plain(c) else guard(c, "if in a comprehension", "AG005") for c in generator.ifs
                ]
            return node
        [generator] = node.generators
        if generator.ifs:
            *firsts, cond = generator.ifs
            for first in reversed(firsts):
                cond = at(operator("and_", lambda_(first), lambda_(cond)), first)
            generator.ifs = [at(operator("keep", cond), cond)]
        items = self.walk.context.namer.parameter("items")
        source, generator.iter = generator.iter, at(load(items), generator.iter)
        return operator("list_comp", source, at(lambda_(node, items), node))


def _stays(node: gast.AST) -> bool:
    stack = [node]
    while stack:
        inner = stack.pop()
        if isinstance(inner, gast.NamedExpr) or is_anchored(inner):
            return True
        stack.extend(children(inner))
    return False
