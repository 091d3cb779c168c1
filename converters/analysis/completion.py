"""Decide whether control can fall through to the end of a block."""

from __future__ import annotations

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
    """Return whether a loop body holds a `break` of its own loop."""
    for statement in block:
        if isinstance(statement, gast.Break):
            return True
        if isinstance(statement, LOOPS):
            if has_break(statement.orelse):
                return True
        elif not isinstance(statement, DEFINITIONS):
            for inner in blocks(statement):
                if has_break(inner):
                    return True
    return False
