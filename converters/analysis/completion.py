"""Whether control may come out at the end of statements."""

from __future__ import annotations

import gast

from ..trees import FUNCTIONS, LOOPS, TRIES, blocks, is_endless


def completes(block: list[gast.AST]) -> bool:
    """Whether control may come out at the end of a block."""
    for statement in block:  # noqa: SIM110 - since 3.12 a call through C, as of `all`, may not nest as deeply
        if not _may_complete(statement):
            return False
    return True


def _may_complete(statement: gast.AST) -> bool:
    if isinstance(statement, (gast.Return, gast.Raise, gast.Break, gast.Continue)):
        return False
    if isinstance(statement, gast.If):
        return completes(statement.body) or completes(statement.orelse)
    if isinstance(statement, gast.While):
        return not is_endless(statement) or breaks(statement.body)
    if isinstance(statement, TRIES):
        if not completes(statement.finalbody):
            return False
        normal = completes(statement.body) and completes(statement.orelse)
        return normal or any(completes(handler.body) for handler in statement.handlers)
    return True


def breaks(block: list[gast.AST]) -> bool:
    """Whether a block holds a `break` of the loop whose body it is."""
    for statement in block:
        if isinstance(statement, gast.Break):
            return True
        if isinstance(statement, LOOPS):
            if breaks(statement.orelse):
                return True
        elif not isinstance(statement, (*FUNCTIONS, gast.ClassDef)):
            for inner in blocks(statement):
                if breaks(inner):
                    return True
    return False
