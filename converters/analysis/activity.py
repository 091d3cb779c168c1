"""Names that a piece of code uses, binds and deletes, and names that its nested functions capture."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import gast

from ..trees.builders import (
    COMPREHENSIONS,
    DEFINITIONS,
    FUNCTIONS,
    blocks,
    children,
    evaluated_at_definition,
    parameters,
    takes_thunks,
    walk_scope,
)

ARGUMENT_MUTATORS = frozenset(
    ("heappush", "heappop", "heapify", "heapreplace", "heappushpop", "insort", "insort_left", "insort_right")
)
"""The functions of `heapq` and `bisect` that change their first argument."""
LIST_MUTATORS = frozenset(
    (
        "append", "pop", "extend", "insert", "clear", "remove", "sort", "reverse",
        "appendleft", "popleft", "extendleft", "rotate",
    )
)  # fmt: skip


@dataclass(slots=True)
class Activity:
    """How a piece of code uses names.

    Attributes:
        uses: names that are read.
        bindings: names that are bound.
        deletions: names that are deleted.
        captures: names that a nested function or class reads or binds, possibly after this code has run.
        nonlocal_bindings: captured names that a nested function binds.
        mutations: names of objects on which a list-changing method is called.
        declared: names with an annotation and no value (`x: int`).
        attributes: attributes that are assigned, as text (`self.x`, `a.b.c`).
        conditional_bindings: names bound in a part of an expression that may be skipped.
        has_inner_scopes: whether the code contains a function, class or comprehension.
    """

    uses: set[str] = field(default_factory=set)
    bindings: set[str] = field(default_factory=set)
    deletions: set[str] = field(default_factory=set)
    captures: set[str] = field(default_factory=set)
    nonlocal_bindings: set[str] = field(default_factory=set)
    mutations: set[str] = field(default_factory=set)
    declared: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    conditional_bindings: set[str] = field(default_factory=set)
    has_inner_scopes: bool = False


def activity(roots: gast.AST | Iterable[gast.AST], *, captures: bool = True) -> Activity:
    """Return the combined activity of trees; without `captures`, ignore the bodies of nested scopes."""
    result = Activity()
    _scan([roots] if isinstance(roots, gast.AST) else list(roots), result, captures=captures)
    return result


def _scan(stack: list[gast.AST], result: Activity, *, captures: bool = True) -> None:
    searched: set[gast.AST] = set()  # skippable nodes inside a node whose skippable parts were searched
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is gast.Name:
            context = type(node.ctx)
            if context is gast.Load:
                result.uses.add(node.id)
            elif context is gast.Store:
                result.bindings.add(node.id)
            elif context is gast.Del:
                result.uses.add(node.id)
                result.deletions.add(node.id)
        elif kind not in _SPECIAL:
            stack += children(node)
        elif kind is gast.Constant or kind is gast.Global or kind is gast.Nonlocal:
            pass
        elif kind in FUNCTIONS or kind is gast.Lambda:
            result.has_inner_scopes = True
            if kind is not gast.Lambda:
                result.bindings.add(node.name)
            stack.extend(evaluated_at_definition(node))
            if captures:
                free, rebound = free_names(node)
                result.captures |= free
                result.nonlocal_bindings |= rebound
        elif kind is gast.ClassDef:
            result.has_inner_scopes = True
            result.bindings.add(node.name)
            stack.extend((*node.decorator_list, *node.bases, *node.keywords))
            if not captures:
                continue
            inner = activity(node.body)
            outer = declarations(node.body)[0] & inner.bindings
            result.captures |= inner.uses | inner.captures | outer
            result.nonlocal_bindings |= inner.nonlocal_bindings | outer
        elif kind in COMPREHENSIONS:
            _comprehension(node, result)
        elif kind is gast.Call and takes_thunks(node):
            stack.extend(arg.body if type(arg) is gast.Lambda else arg for arg in node.args)
        else:
            if kind is gast.Call:
                _mutated_argument(node, result)
            elif kind is gast.Attribute:
                _attribute(node, result)
            elif kind is gast.Subscript and type(node.ctx) is gast.Del and type(node.value) is gast.Name:
                result.mutations.add(node.value.id)
            elif kind is gast.AnnAssign and node.value is None:
                if type(node.target) is gast.Name:
                    result.declared.add(node.target.id)
                    continue
            elif kind in _SKIPPABLE:
                if node not in searched:
                    for part in walk_scope(_SKIPPABLE[kind](node)):
                        if type(part) is gast.NamedExpr:
                            result.conditional_bindings.add(part.target.id)
                        elif type(part) in _SKIPPABLE:
                            searched.add(part)
            elif kind is gast.AugAssign and type(node.target) is gast.Name:
                result.uses.add(node.target.id)
            elif kind is gast.Import or kind is gast.ImportFrom:
                result.bindings.update(a.asname or a.name.partition(".")[0] for a in node.names)
            elif kind is gast.MatchAs or kind is gast.MatchStar:
                if node.name:
                    result.bindings.add(node.name)
            elif kind is gast.MatchMapping and node.rest:
                result.bindings.add(node.rest)
            elif kind is gast.ExceptHandler and node.name is not None:
                result.deletions.add(node.name.id)
            stack += children(node)


_SPECIAL = frozenset((
    gast.Constant, gast.Global, gast.Nonlocal, *FUNCTIONS, gast.Lambda, gast.ClassDef, *COMPREHENSIONS,
    gast.Call, gast.Attribute, gast.Subscript, gast.AnnAssign, gast.BoolOp, gast.Compare, gast.IfExp,
    gast.AugAssign, gast.Import, gast.ImportFrom, gast.MatchAs, gast.MatchStar, gast.MatchMapping,
    gast.ExceptHandler,
))  # fmt: skip
"""Kinds of nodes that `_scan` does not treat by simply visiting all children."""
_SKIPPABLE: dict[type, Callable[[gast.AST], list[gast.AST]]] = {
    gast.BoolOp: lambda node: node.values[1:],
    gast.Compare: lambda node: node.comparators[1:],
    gast.IfExp: lambda node: [node.body, node.orelse],
}
"""For each kind of expression, the operands that Python may skip."""


def _attribute(node: gast.Attribute, result: Activity) -> None:
    if type(node.ctx) is not gast.Load:
        text = dotted_name(node)
        if text is not None:
            result.attributes.add(text)
    elif node.attr in LIST_MUTATORS and type(node.value) is gast.Name:
        result.mutations.add(node.value.id)


def _mutated_argument(call: gast.Call, result: Activity) -> None:
    """Note the variable that a call such as `heapq.heappush(queue, x)` passes to be changed."""
    function = call.func
    if type(function) is gast.Call and len(function.args) == 1:  # `ag__.callee(heapq.heappush)`
        function = function.args[0]
    name = function.id if type(function) is gast.Name else getattr(function, "attr", None)
    if name in ARGUMENT_MUTATORS and call.args and type(call.args[0]) is gast.Name:
        result.mutations.add(call.args[0].id)


def dotted_name(node: gast.AST) -> str | None:
    """Return `a.b.c` as text, or None if its base is not a name."""
    parts = []
    while type(node) is gast.Attribute:
        parts.append(node.attr)
        node = node.value
    return ".".join((node.id, *reversed(parts))) if type(node) is gast.Name else None


def free_names(function: gast.AST) -> tuple[frozenset[str], frozenset[str]]:
    """Return the free names of a nested function, and those among them that it binds."""
    body = [function.body] if type(function) is gast.Lambda else function.body
    inner = activity(body)
    declared_nonlocal, declared_global = declarations(body)
    mentioned = inner.uses | inner.bindings | inner.deletions | inner.captures
    bound = inner.bindings | inner.deletions | inner.declared
    local = (bound | {p.id for p in parameters(function)}) - declared_nonlocal
    free = (mentioned - local - declared_global) | (declared_nonlocal & mentioned)
    rebound = (declared_nonlocal & (inner.bindings | inner.deletions)) | (inner.nonlocal_bindings - local)
    return frozenset(free), frozenset(rebound)


def declarations(body: Iterable[gast.AST]) -> tuple[set[str], set[str]]:
    """Return the names that a function declares `nonlocal` and those that it declares `global`."""
    nonlocals: set[str] = set()
    globals_: set[str] = set()
    stack = list(body)
    while stack:
        node = stack.pop()
        if type(node) is gast.Nonlocal:
            nonlocals.update(node.names)
        elif type(node) is gast.Global:
            globals_.update(node.names)
        elif not isinstance(node, DEFINITIONS):
            for block in blocks(node):
                stack += block
    return nonlocals, globals_


def _comprehension(node: gast.AST, result: Activity) -> None:
    result.has_inner_scopes = True
    first = node.generators[0]
    _scan([first.iter], result)
    elements = [node.key, node.value] if type(node) is gast.DictComp else [node.elt]
    inner, local = Activity(), Activity()
    for generator in node.generators:
        _scan([generator.target], local)
        elements += [*generator.ifs, *([] if generator is first else [generator.iter])]
    _scan(elements, inner)
    result.uses |= inner.uses - local.bindings | local.uses
    result.captures |= inner.captures - local.bindings
    result.nonlocal_bindings |= inner.nonlocal_bindings - local.bindings
    result.mutations |= inner.mutations - local.bindings
    result.attributes |= inner.attributes
    result.bindings |= inner.bindings
    result.conditional_bindings |= inner.bindings
    if type(node) is gast.GeneratorExp:
        result.captures |= inner.uses - local.bindings
