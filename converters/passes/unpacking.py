"""What is unpacked may be staged, in a system whose tensors Python cannot iterate.

`a, b = x` becomes `a, b = ag__.unpacked(x)`, and `[*x]` becomes `[*ag__.unpacked(x)]`.
"""

from __future__ import annotations

import gast

from ..trees import at, operator
from .expressions import Rewriter

_KNOWN = (gast.Tuple, gast.List, gast.Constant, gast.JoinedStr, gast.ListComp, gast.GeneratorExp)


class Unpacking(Rewriter):
    """Values that are taken apart."""

    rewrites = {gast.Assign: "assignment", gast.Starred: "star"}

    def assignment(self, node: gast.Assign) -> list[gast.AST]:
        if any(isinstance(target, (gast.Tuple, gast.List)) for target in node.targets):
            node.value = _unpacked(node.value)
        return [node]

    def star(self, node: gast.Starred) -> gast.AST:
        if isinstance(node.ctx, gast.Load):
            node.value = _unpacked(node.value)
        return node


def _unpacked(value: gast.AST) -> gast.AST:
    return value if isinstance(value, _KNOWN) else at(operator("unpacked", value), value)
