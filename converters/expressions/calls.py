"""Rewriting of calls: `f(x)` becomes `ag__.callee(f)(x)`.

The operator returns the function to run, and Python makes the call. Arguments therefore keep their form and
order, and the function is called from the user's own frame.

`locals()`, `vars()` and `dir()` hide the names that passes add; the last pass inserts these names. Functions
whose names suggest that they read the stack go through `ag__.framed`, and `f.f_back` becomes
`ag__.caller(f)`, so that both see only the user's frames.
"""

from __future__ import annotations

import gast

from ..passes.expressions import Rewriter
from ..passes.generators import CONSUMER, GOING
from ..trees.builders import LOAD, at, constant, first_line, operator, operator_name

NATIVE = frozenset(
    ("super", "locals", "globals", "vars", "dir", "eval", "exec", "issubclass", CONSUMER, GOING)
)
WITH_TEXT = frozenset(("format", "format_map", "join", "index", "find", "count", "startswith", "endswith"))
"""The methods of strings that build text from their arguments, or search for it."""
STACK_READERS = frozenset(("warn", "_getframe", "currentframe", "text_encoding", "settrace", "gettrace"))


class Calls(Rewriter):
    """Rewrites calls, except operator calls, and reads of `f_back`."""

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
        is_of_text = isinstance(getattr(func, "value", None), (gast.Constant, gast.JoinedStr))
        if is_of_text and func.attr not in WITH_TEXT:
            return node
        if isinstance(func, gast.Attribute) and func.end_lineno != node.lineno:
            # Python reports the line of the method's name as the line of the call.
            node.lineno, node.col_offset = func.end_lineno, func.end_col_offset - len(func.attr)
        location = first_line(func)
        location.lineno = location.end_lineno = node.lineno
        location.col_offset = node.col_offset
        if func.end_lineno == node.lineno:
            location.end_col_offset = func.end_col_offset
        name = func.id if isinstance(func, gast.Name) else getattr(func, "attr", None)
        if name in STACK_READERS:
            func = at(operator("framed", func), location)
            at(func.func, location)
        node.func = at(operator("callee", func), location)
        at(node.func.func, location)
        return node


class Texts(Rewriter):
    """Rewrites f-strings, and `%` where an operand shows that it formats text."""

    rewrites = {gast.JoinedStr: "joined", gast.BinOp: "percent"}

    def percent(self, node: gast.BinOp) -> gast.AST:
        if not isinstance(node.op, gast.Mod):
            return node
        left = node.left
        is_text = operator_name(left) == "text" or isinstance(getattr(left, "value", None), str)
        if not (
            is_text or isinstance(left, gast.JoinedStr) or isinstance(node.right, (gast.Tuple, gast.Dict))
        ):
            return node
        return operator("interpolate", left, node.right)

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
