"""Nodes that must run in the function's own frame, and the statements that stay in Python because of them.

A *pinned* node cannot move into a closure: it suspends the function, reads its frame, or jumps out of a
`finally`.
"""

from __future__ import annotations

from collections.abc import Iterable

import gast

from ..trees.builders import ATTEMPTS, LOOPS, SUSPENSIONS, TRIES, blocks, walk_scope
from ..trees.names import TreeSummary
from . import cfg
from .completion import jumps_out

FRAME_READERS = frozenset(("locals", "vars", "dir", "eval", "exec"))
_PINNED_KINDS = (*SUSPENSIONS, *TRIES, gast.AsyncFunctionDef, gast.GeneratorExp)
"""Kinds of nodes that may be pinned, or may contain an asynchronous comprehension, which is pinned."""


def can_have_pinned(summary: TreeSummary) -> bool:
    has_reader = not summary.names.isdisjoint((*FRAME_READERS, "super"))
    return has_reader or not summary.kinds.isdisjoint(_PINNED_KINDS)


def is_pinned(node: gast.AST) -> bool:
    """Return whether a node must run in the function's own frame."""
    kind = type(node)
    if kind in SUSPENSIONS:
        return True
    if kind is gast.comprehension:
        return bool(node.is_async)
    if kind is gast.Call:
        name = node.func.id if type(node.func) is gast.Name else None
        return name in FRAME_READERS or (name == "super" and not node.args)
    if kind in (gast.Try, gast.TryStar):
        return next(jumps_out(node.finalbody), None) is not None
    return False


def blocks_thunk(node: gast.AST) -> bool:
    """Return whether an operand that contains a node cannot become a lambda: it is pinned or binds a name."""
    return type(node) is gast.NamedExpr or is_pinned(node)


def blocking_node(expression: gast.AST) -> gast.AST:
    """Return the node that keeps an expression in Python, preferably a pinned one."""
    blocking = [node for node in walk_scope(expression) if blocks_thunk(node)]
    return next((node for node in blocking if type(node) is not gast.NamedExpr), blocking[0])


def rule_for(node: gast.AST) -> tuple[str, str]:
    """Return the code of the rule for a blocking node, and a description of the node without quotes."""
    kind = type(node)
    if kind is gast.Call:
        return "AG002", f"{node.func.id}()"
    if kind in TRIES:
        return "AG003", "try"
    if kind is gast.NamedExpr:
        return "AG006", f"{node.target.id} :="
    return "AG001", _SUSPENDING.get(kind, "yield")


_SUSPENDING = {
    gast.YieldFrom: "yield from",
    gast.Await: "await",
    gast.AsyncFor: "async for",
    gast.AsyncWith: "async with",
    gast.comprehension: "async for",
}


def unconverted_statements(function: gast.AST) -> dict[gast.AST, gast.AST]:
    """Map each `if`, loop, `try` and `with` that must stay in Python to the pinned node that keeps it there.

    A `break` or `continue` keeps its loop in Python if it cannot be lowered. A function with a pinned node
    keeps its `return` statements.
    """
    result: dict[gast.AST, gast.AST] = {}
    pinned_returns = _first_pinned(function.body)
    if pinned_returns is None:
        return result

    def visit(statement: gast.AST, enclosing: list[gast.AST]) -> gast.AST | None:
        """Return a statement's pinned node, if any, and record the statements that it keeps in Python."""
        if isinstance(statement, gast.Return):
            return pinned_returns
        if isinstance(statement, (gast.Break, gast.Continue)):
            return loops.get(enclosing[-1]) if enclosing else statement
        if not isinstance(statement, cfg.COMPOUND):
            return _first_pinned(statement)
        is_loop = isinstance(statement, LOOPS)
        if is_loop:
            pinned = _first_pinned(statement, pinned_returns)
            jumps = () if pinned is not None or not enclosing else jumps_out(statement.orelse)
            if any(type(jump) is not gast.Return for jump in jumps):
                pinned = loops.get(enclosing[-1])
            if pinned is not None:
                loops[statement] = pinned
        reason = statement if isinstance(statement, SUSPENSIONS) else None
        reason = reason or _first_pinned(header_expressions(statement))
        for block in blocks(statement):
            inner = [*enclosing, statement] if is_loop and block is statement.body else enclosing
            for child in block:
                pinned = visit(child, inner)
                reason = reason or pinned
        reason = reason or loops.get(statement)
        if isinstance(statement, (*LOOPS, *ATTEMPTS, gast.If)) and reason is not None:
            result[statement] = reason
        return reason

    loops: dict[gast.AST, gast.AST] = {}
    for statement in function.body:
        visit(statement, [])
    return result


def _first_pinned(
    roots: gast.AST | Iterable[gast.AST], pinned_returns: gast.AST | None = None
) -> gast.AST | None:
    """Return the first pinned node, or `pinned_returns` if a `return` comes before it, or None."""
    for node in walk_scope(roots):
        if is_pinned(node):
            return node
        if pinned_returns is not None and type(node) is gast.Return:
            return pinned_returns
    return None


def header_expressions(statement: gast.AST) -> list[gast.AST]:
    """Return the expressions in the header of a compound statement."""
    if isinstance(statement, (gast.If, gast.While)):
        return [statement.test]
    if isinstance(statement, (gast.For, gast.AsyncFor)):
        return [statement.iter, statement.target]
    if isinstance(statement, (gast.With, gast.AsyncWith)):
        return list(statement.items)
    if isinstance(statement, gast.Match):
        guards = [case.guard for case in statement.cases if case.guard is not None]
        return [statement.subject, *guards]
    return [handler.type for handler in statement.handlers if handler.type is not None]
