"""The push form of a generator function: instead of yielding an item, it calls the body of a loop with it.

    for x in xs:                     for x in xs:
        if x > 0:                        if x > 0:
            yield x                          ag__consumer(x)
                                             if not ag__going():
                                                 return

As no `yield` is left, the statements around the call can be staged. `ag__going()` is false once the loop has
ended early. A function has no push form if a `yield` is part of an expression, if an exception from the
loop's body would reach a handler or `__exit__` of the generator, or if it reads its own frame.
"""

from __future__ import annotations

from typing import Any

import gast

from ..analysis.pinning import FRAME_READERS
from ..trees.builders import (
    DEFINITIONS,
    SUSPENSIONS,
    TRIES,
    at,
    attribute,
    blocks,
    constant,
    contains,
    first_line,
    load,
    new_node,
    parameters,
    store,
    walk_scope,
)

CONSUMER, GOING = "ag__consumer", "ag__going"
_ITEM = "ag__item"


def to_push_form(function: gast.AST, *, ends: bool) -> bool:
    """Rewrite a generator function in place; return False if it has no push form.

    `ends` tells whether the loop that consumes the items may end early.
    """
    if not isinstance(function, gast.FunctionDef) or any(map(_prevents, walk_scope(function.body))):
        return False
    function.body = _block(function.body, ends)
    names = [gast.Name(name, gast.Param(), None, None) for name in (CONSUMER, GOING)]
    function.args.kwonlyargs += [at(name, function) for name in names]
    function.args.kw_defaults += [None, None]
    return not contains(function.body, SUSPENSIONS)


def consuming_statements(function: gast.AST) -> frozenset[gast.AST]:
    """Return the branches and loops of a push form that contain a call to the body of the consuming loop."""
    if all(parameter.id != CONSUMER for parameter in parameters(function)):
        return frozenset()
    kinds = (gast.If, gast.For, gast.While)
    return frozenset(
        statement
        for statement in walk_scope(function.body)
        if isinstance(statement, kinds)
        and any(isinstance(n, gast.Name) and n.id == CONSUMER for n in walk_scope(statement))
    )


def with_consumer_state(arguments: list[gast.AST]) -> list[gast.AST]:
    """Add the state of the consuming loop to the state arguments of a statement, one by one.

    No tuple of arguments may refer to the iterable of a `for`, which can be driven only if nothing else does.
    """
    methods = "getter", "setter", "with_names", "outputs"
    return [
        new_node(gast.Call, func=attribute(load(CONSUMER), name), args=[argument], keywords=[])
        for name, argument in zip(methods, arguments, strict=False)
    ]


def _prevents(node: gast.AST) -> bool:
    """Return whether a node reads the frame, or would see an exception that the consumer raises."""
    if isinstance(node, gast.Name):
        return node.id in FRAME_READERS
    if isinstance(node, gast.With):
        return contains(node.body, SUSPENSIONS)
    if not isinstance(node, TRIES):
        return False
    parts = [node.finalbody]
    if node.handlers:
        parts += blocks(node)
    return any(contains(part, SUSPENSIONS) for part in parts)


def _block(statements: list[gast.AST], ends: bool) -> list[gast.AST]:
    out: list[gast.AST] = []
    for statement in statements:
        value: Any = getattr(statement, "value", None)
        if isinstance(statement, gast.Return):
            if value is not None:
                out.append(at(gast.Expr(value), statement))
            out.append(at(gast.Return(None), statement))
        elif isinstance(statement, (gast.Expr, gast.Assign)) and type(value) is gast.Yield:
            out += _consume(value.value or constant(None), value, ends)
            if isinstance(statement, gast.Assign):
                statement.value = at(constant(None), value)
                out.append(statement)
        elif isinstance(statement, gast.Expr) and type(value) is gast.YieldFrom:
            body = _consume(load(_ITEM), value, ends)
            out.append(at(gast.For(at(store(_ITEM), value), value.value, body, [], None), statement))
        else:
            if not isinstance(statement, DEFINITIONS):
                for block in blocks(statement):
                    if block:
                        block[:] = _block(block, ends)
            out.append(statement)
    return out


def _consume(item: gast.AST, location: gast.AST, ends: bool) -> list[gast.AST]:
    call = at(gast.Expr(at(_call(CONSUMER, item), location)), location)
    if not ends:
        return [call]
    ended = at(gast.UnaryOp(gast.Not(), at(_call(GOING), location)), location)
    after = first_line(location)
    return [call, at(gast.If(ended, [at(gast.Return(None), after)], []), after)]


def _call(name: str, *args: gast.AST) -> gast.Call:
    return new_node(gast.Call, func=load(name), args=list(args), keywords=[])
