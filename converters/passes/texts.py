"""An f-string with something staged in it is staged text.

`f'{x!r:>5}'` becomes `ag__.text(f'{ag__.fmt(x, 'r'):>5}')`: Python still formats plain values; `fmt` puts a
mark in the place of a staged one, and `text` makes staged text of a string with marks.
"""

from __future__ import annotations

import gast

from ..trees import at, constant, operator
from .expressions import Rewriter


class Texts(Rewriter):
    """f-strings."""

    rewrites = {gast.JoinedStr: "joined"}

    def joined(self, node: gast.JoinedStr) -> gast.AST:
        values = [v for v in node.values if isinstance(v, gast.FormattedValue)]
        staged = [v for v in values if not isinstance(v.value, gast.Constant)]
        if not staged:
            return node
        for value in staged:
            conversion = [] if value.conversion < 0 else [constant(chr(value.conversion))]
            value.value = at(operator("fmt", value.value, *conversion), value.value)
            value.conversion = -1
        return operator("text", node)
