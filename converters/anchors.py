"""What keeps a construct in Python: an *anchor*, a node that must run where it stands, and its rule."""

from __future__ import annotations

import gast

from .analysis import is_anchored
from .trees import TRIES, within


def anchor_of(node: gast.AST) -> gast.AST:
    """What keeps an expression in its place: a node that must run there, or one that binds a name."""
    found = [n for n in within(node) if is_anchored(n) or type(n) is gast.NamedExpr]
    return next((n for n in found if type(n) is not gast.NamedExpr), found[0])


def rule_of(anchor: gast.AST) -> tuple[str, str]:
    """The code of the rule about an anchor, and what the anchor is, in no quotes."""
    kind = type(anchor)
    if kind is gast.Call:
        return "AG002", f"{anchor.func.id}()"
    if kind in TRIES:
        return "AG003", "try"
    if kind is gast.NamedExpr:
        return "AG006", f"{anchor.target.id} :="
    return "AG001", _SUSPENDING.get(kind, "yield")


_SUSPENDING = {
    gast.YieldFrom: "yield from",
    gast.Await: "await",
    gast.AsyncFor: "async for",
    gast.AsyncWith: "async with",
    gast.comprehension: "async for",
}
