"""`f(x)` becomes `ag__.callee(f)(x)`: the operator says which function runs, the call stays Python's.

`locals()`, `vars()` and `dir()` do not show the names that the passes add; the last pass knows them.
Functions that may look at the stack, going by their names, go through `ag__.framed`, and `f.f_back` becomes
`ag__.caller(f)`, so that they see no frames but the user's.

So arguments of every form are passed as they are written, in their order, and the called function
is called from the user's own frame.
"""

from __future__ import annotations

import gast

from ..trees import LOAD, at, header, operator, operator_name
from .expressions import Rewriter

NATIVE = frozenset(("super", "locals", "globals", "vars", "dir", "eval", "exec", "issubclass"))
STACK_READERS = frozenset(("warn", "_getframe", "currentframe", "text_encoding", "settrace", "gettrace"))


class Calls(Rewriter):
    """Every call that is not one of ours; the way from a frame to its caller's."""

    rewrites = {gast.Call: "call", gast.Attribute: "attribute"}

    def attribute(self, node: gast.Attribute) -> gast.AST:
        if node.attr != "f_back" or not isinstance(node.ctx, gast.Load):
            return node
        return at(operator("caller", node.value), node)

    def call(self, node: gast.Call) -> gast.AST:
        func = node.func
        if isinstance(func, gast.Name) and func.id in ("locals", "vars", "dir") and not node.args:
            return operator("visible", node, gast.Tuple([], LOAD))
        if operator_name(node) or (isinstance(func, gast.Name) and func.id in NATIVE):
            return node
        if operator_name(func) == "callee":
            return node
        if isinstance(func, gast.Attribute) and isinstance(func.value, (gast.Constant, gast.JoinedStr)):
            return node
        if isinstance(func, gast.Attribute) and func.end_lineno != node.lineno:
            # Python too says that a method is called where its name stands.
            node.lineno, node.col_offset = func.end_lineno, func.end_col_offset - len(func.attr)
        place = header(func)
        place.lineno = place.end_lineno = node.lineno
        place.col_offset, place.end_col_offset = node.col_offset, func.end_col_offset
        name = func.id if isinstance(func, gast.Name) else getattr(func, "attr", None)
        if name in STACK_READERS:
            func = at(operator("framed", func), place)
            at(func.func, place)
        made = at(operator("callee", func), place)
        at(made.func, place)
        node.func = made
        return node
