"""Base class of passes: a pass rewrites one function and declares the nodes that it removes."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import ClassVar

import gast

from ..analysis import activity, declarations
from ..trees.builders import SCOPES, at, children, constant, docstring_length, parameters, store
from ..trees.names import Namer


@dataclass
class Context:
    """State shared by the passes over one function.

    `functions` contains the names of functions that passes added, as opposed to the user's variables.
    `displays` contains the names of variables that passes added for tuples, lists and dicts.
    `can_have_pinned` is true if the function may contain nodes that must run in its own frame.
    """

    namer: Namer
    functions: set[str] = field(default_factory=set)
    displays: set[str] = field(default_factory=set)
    can_have_pinned: bool = True

    def function_name(self, stem: str) -> str:
        name = self.namer.fresh(stem)
        self.functions.add(name)
        return name


class Pass:
    """Rewrites the body of one function in place, after the functions nested in it.

    Attributes:
        removes: kinds of nodes that the tree no longer contains after the pass.
        needs: names of passes that must run before it.
        follows: names of passes that must not run after it.
    """

    removes: ClassVar[tuple[type, ...]] = ()
    needs: ClassVar[tuple[str, ...]] = ()
    follows: ClassVar[tuple[str, ...]] = ()

    def __init__(self, context: Context):
        self.context = context

    def run(self, function: gast.AST) -> None:
        raise TypeError(f"{type(self).__name__} does not define run()")

    @staticmethod
    def declare(function: gast.AST, names: Collection[str]) -> None:
        """Add a declaration, as in `x: ...`, for each of the names that the function itself does not bind."""
        if not names:
            return
        nonlocals, globals_ = declarations(function.body)
        own = activity(function.body, captures=False)
        known = own.bindings | own.declared | nonlocals | globals_ | {p.id for p in parameters(function)}
        start = docstring_length(function.body)
        function.body[start:start] = [
            at(gast.AnnAssign(store(name), constant(...), None, 1), function.body[0])
            for name in sorted(set(names) - known)
        ]

    def remaining_nodes(self, function: gast.AST) -> Iterator[gast.AST]:
        """Yield the nodes of the kinds in `removes` that the function still contains."""
        if self.removes:
            yield from (n for n in frame_nodes(function) if isinstance(n, self.removes))


def frame_nodes(function: gast.AST) -> Iterator[gast.AST]:
    """Yield the nodes of a function that run in its own frame or in its lambdas."""
    stack = list(function.body) if isinstance(function.body, list) else [function.body]
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, SCOPES):
            stack.extend(children(node))
