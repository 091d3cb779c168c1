"""Exits of a block: the jumps out of it, and whether control can reach its end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import gast

from ..trees.builders import DEFINITIONS, LOOPS, TRIES, blocks, is_endless


def can_complete(block: list[gast.AST]) -> bool:
    for statement in block:  # noqa: SIM110 - since 3.12 calls through C, such as `all`, nest less deeply
        if not _can_complete(statement):
            return False
    return True


def _can_complete(statement: gast.AST) -> bool:
    if isinstance(statement, (gast.Return, gast.Raise, gast.Break, gast.Continue)):
        return False
    if isinstance(statement, gast.If):
        return can_complete(statement.body) or can_complete(statement.orelse)
    if isinstance(statement, gast.While):
        return not is_endless(statement) or has_break(statement.body)
    if isinstance(statement, TRIES):
        if not can_complete(statement.finalbody):
            return False
        normal = can_complete(statement.body) and can_complete(statement.orelse)
        return normal or any(can_complete(handler.body) for handler in statement.handlers)
    return True


def has_break(block: list[gast.AST]) -> bool:
    """Return whether a loop body contains a `break` of its own loop."""
    return any(type(jump) is gast.Break for jump in jumps_out(block))


_FLAT = (gast.Assign, gast.Expr, gast.AugAssign, gast.AnnAssign, *DEFINITIONS)
"""Statements without blocks, or whose blocks are separate scopes."""


def jumps_out(block: Iterable[gast.AST]) -> Iterator[gast.AST]:
    """Yield the jumps in a block whose targets are outside it, in source order."""
    stack = [(statement, False) for statement in block][::-1]
    while stack:
        node, in_loop = stack.pop()
        kind = type(node)
        if kind is gast.Return or (kind in (gast.Break, gast.Continue) and not in_loop):
            yield node
        elif kind not in _FLAT:
            for inner in [*blocks(node)][::-1]:
                inside = in_loop or (kind in LOOPS and inner is node.body)
                stack += [(child, inside) for child in reversed(inner)]
