"""Which names a piece of a function reads, binds and deletes, and what nested functions take from it.

*captures* are names that a nested function or class reads or binds: it may do so at any later
time. *rebinds* are those among them that a nested function binds through `nonlocal`. *mutates* are
names on which a method that changes a list is called. *places* are attributes that are assigned
(`self.x`, `a.b.c`), by their text. *declares* are names with an annotation and no value (`x: int`).
*skips* are names that a part of an expression binds which Python may skip. *defines* says that there is a
function, class or comprehension.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import gast

from ..trees import (
    COMPREHENSIONS,
    FUNCTIONS,
    blocks,
    children,
    evaluated_at_definition,
    parameters,
    takes_thunks,
    within,
)

MUTATORS = frozenset(("append", "pop", "extend", "insert", "clear", "remove", "sort", "reverse"))


class Activity:
    """What a piece does with names; the words are those above."""

    __slots__ = (
        "binds", "captures", "declares", "defines", "deletes",
        "mutates", "places", "reads", "rebinds", "skips",
    )  # fmt: skip

    def __init__(self) -> None:
        self.reads: set[str] = set()
        self.binds: set[str] = set()
        self.deletes: set[str] = set()
        self.captures: set[str] = set()
        self.rebinds: set[str] = set()
        self.mutates: set[str] = set()
        self.declares: set[str] = set()
        self.places: set[str] = set()
        self.skips: set[str] = set()
        self.defines = False


def activity(roots: gast.AST | Iterable[gast.AST], *, captures: bool = True) -> Activity:
    """The activity of some trees, taken together; what nested functions take is looked for if `captures`."""
    found = Activity()
    _scan([roots] if isinstance(roots, gast.AST) else list(roots), found, captures=captures)
    return found


def _scan(stack: list[gast.AST], found: Activity, *, captures: bool = True) -> None:
    skipped: set[gast.AST] = set()  # all of such a node was searched with the one that may skip it
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is gast.Name:
            context = type(node.ctx)
            if context is gast.Load:
                found.reads.add(node.id)
            elif context is gast.Store:
                found.binds.add(node.id)
            elif context is gast.Del:
                found.reads.add(node.id)
                found.deletes.add(node.id)
        elif kind not in _SPECIAL:
            stack += children(node)
        elif kind is gast.Constant or kind is gast.Global or kind is gast.Nonlocal:
            pass
        elif kind in FUNCTIONS:
            found.defines = True
            found.binds.add(node.name)
            stack.extend(evaluated_at_definition(node))
            if captures:
                _capture(node, found)
        elif kind is gast.Lambda:
            found.defines = True
            stack.extend(evaluated_at_definition(node))
            if captures:
                _capture(node, found)
        elif kind is gast.ClassDef:
            found.defines = True
            found.binds.add(node.name)
            stack.extend((*node.decorator_list, *node.bases, *node.keywords))
            if not captures:
                continue
            inner = activity(node.body)
            outer = declarations(node.body)[0] & inner.binds
            found.captures |= inner.reads | inner.captures | outer
            found.rebinds |= inner.rebinds | outer
        elif kind in COMPREHENSIONS:
            _comprehension(node, found)
        elif kind is gast.Call and takes_thunks(node):
            stack.extend(arg.body if type(arg) is gast.Lambda else arg for arg in node.args)
        else:
            if kind is gast.Attribute:
                _attribute(node, found)
            elif kind is gast.Subscript and type(node.ctx) is gast.Del and type(node.value) is gast.Name:
                found.mutates.add(node.value.id)
            elif kind is gast.AnnAssign and node.value is None:
                if type(node.target) is gast.Name:
                    found.declares.add(node.target.id)
                    continue
            elif kind in _SKIPPING:
                if node not in skipped:
                    for part in within(_SKIPPING[kind](node)):
                        if type(part) is gast.NamedExpr:
                            found.skips.add(part.target.id)
                        elif type(part) in _SKIPPING:
                            skipped.add(part)
            elif kind is gast.AugAssign and type(node.target) is gast.Name:
                found.reads.add(node.target.id)
            elif kind is gast.Import or kind is gast.ImportFrom:
                found.binds.update(a.asname or a.name.partition(".")[0] for a in node.names)
            elif kind is gast.MatchAs or kind is gast.MatchStar:
                if node.name:
                    found.binds.add(node.name)
            elif kind is gast.MatchMapping and node.rest:
                found.binds.add(node.rest)
            elif kind is gast.ExceptHandler and node.name is not None:
                found.deletes.add(node.name.id)
            stack += children(node)


_SPECIAL = frozenset((
    gast.Constant, gast.Global, gast.Nonlocal, *FUNCTIONS, gast.Lambda, gast.ClassDef, *COMPREHENSIONS,
    gast.Call, gast.Attribute, gast.Subscript, gast.AnnAssign, gast.BoolOp, gast.Compare, gast.IfExp,
    gast.AugAssign, gast.Import, gast.ImportFrom, gast.MatchAs, gast.MatchStar, gast.MatchMapping,
    gast.ExceptHandler,
))  # fmt: skip
"""Kinds of which more is to be said than of what they hold, or nothing."""
_SKIPPING: dict[type, Callable[[gast.AST], list[gast.AST]]] = {
    gast.BoolOp: lambda node: node.values[1:],
    gast.Compare: lambda node: node.comparators[1:],
    gast.IfExp: lambda node: [node.body, node.orelse],
}
"""What Python may skip of an expression."""


def _attribute(node: gast.Attribute, found: Activity) -> None:
    if type(node.ctx) is not gast.Load:
        text = dotted(node)
        if text is not None:
            found.places.add(text)
    elif node.attr in MUTATORS and type(node.value) is gast.Name:
        found.mutates.add(node.value.id)


def dotted(node: gast.AST) -> str | None:
    """`a.b.c` as text, if the base is a name."""
    parts = []
    while type(node) is gast.Attribute:
        parts.append(node.attr)
        node = node.value
    return ".".join((node.id, *reversed(parts))) if type(node) is gast.Name else None


def _capture(node: gast.AST, found: Activity) -> None:
    free, rebound = free_names(node)
    found.captures |= free
    found.rebinds |= rebound


def free_names(function: gast.AST) -> tuple[frozenset[str], frozenset[str]]:
    """The names that a nested function takes from around it, and those that it binds there."""
    body = [function.body] if type(function) is gast.Lambda else function.body
    inner = activity(body)
    declared_nonlocal, declared_global = declarations(body)
    touched = inner.reads | inner.binds | inner.deletes | inner.captures
    bound = inner.binds | inner.deletes | inner.declares
    local = (bound | {p.id for p in parameters(function)}) - declared_nonlocal
    free = (touched - local - declared_global) | (declared_nonlocal & touched)
    rebound = (declared_nonlocal & (inner.binds | inner.deletes)) | (inner.rebinds - local)
    return frozenset(free), frozenset(rebound)


def declarations(body: Iterable[gast.AST]) -> tuple[set[str], set[str]]:
    """The names that a function declares `nonlocal`, and those that it declares `global`."""
    declared: tuple[set[str], set[str]] = (set(), set())
    stack = list(body)
    while stack:
        node = stack.pop()
        if type(node) is gast.Nonlocal:
            declared[0].update(node.names)
        elif type(node) is gast.Global:
            declared[1].update(node.names)
        elif not isinstance(node, (*FUNCTIONS, gast.ClassDef)):
            for block in blocks(node):
                stack += block
    return declared


def _comprehension(node: gast.AST, found: Activity) -> None:
    found.defines = True
    first = node.generators[0]
    _scan([first.iter], found)
    elements = [node.key, node.value] if type(node) is gast.DictComp else [node.elt]
    inner, local = Activity(), Activity()
    for generator in node.generators:
        _scan([generator.target], local)
        elements += [*generator.ifs, *([] if generator is first else [generator.iter])]
    _scan(elements, inner)
    found.reads |= inner.reads - local.binds | local.reads
    found.captures |= inner.captures - local.binds
    found.rebinds |= inner.rebinds - local.binds
    found.mutates |= inner.mutates - local.binds
    found.places |= inner.places
    found.binds |= inner.binds
    found.skips |= inner.binds
    if type(node) is gast.GeneratorExp:
        found.captures |= inner.reads - local.binds
