"""What a pass is: one rewriting of one function, which says what it removes."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import ClassVar

import gast

from ..analysis import activity, declarations
from ..names import Namer
from ..trees import COMPREHENSIONS, FUNCTIONS, at, children, constant, docstring_length, parameters, store


@dataclass
class Context:
    """What the passes over one function share.

    `functions` are the names of the functions that passes added: they are no variables of the user. Where the
    function holds nothing that `may_anchor`, nothing in it has to stay as it is.
    """

    namer: Namer
    functions: set[str] = field(default_factory=set)
    may_anchor: bool = True

    def function_name(self, stem: str) -> str:
        name = self.namer.fresh(stem)
        self.functions.add(name)
        return name


class Pass:
    """Rewrites the body of one function in place; nested `def`s have been through it before.

    `removes` are the kinds of nodes that it leaves none of, `needs` the passes that must have run before it,
    `follows` those that must not come after it.
    """

    removes: ClassVar[tuple[type, ...]] = ()
    needs: ClassVar[tuple[str, ...]] = ()
    follows: ClassVar[tuple[str, ...]] = ()

    def __init__(self, context: Context):
        self.context = context

    def run(self, function: gast.AST) -> None:
        raise TypeError(f"{type(self).__name__} does not say how it runs")

    @staticmethod
    def declare(function: gast.AST, names: Collection[str]) -> None:
        """Make `names`, which only closures bind now, variables of the function all the same: `x: ...`"""
        if not names:
            return
        nonlocal_, global_ = declarations(function.body)
        own = activity(function.body, captures=False)
        known = own.binds | own.declares | nonlocal_ | global_ | {p.id for p in parameters(function)}
        start = docstring_length(function.body)
        function.body[start:start] = [
            at(gast.AnnAssign(store(name), constant(...), None, 1), function.body[0])
            for name in sorted(set(names) - known)
        ]

    def leftovers(self, function: gast.AST) -> Iterator[gast.AST]:
        """Nodes that the pass promised to remove and that are still there."""
        if self.removes:
            yield from (n for n in own_nodes(function) if isinstance(n, self.removes))


def own_nodes(function: gast.AST) -> Iterator[gast.AST]:
    """The nodes of a function's body that run in its own frame, or in thunks of it."""
    stack = list(function.body) if isinstance(function.body, list) else [function.body]
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, (*FUNCTIONS, gast.ClassDef, *COMPREHENSIONS)):
            stack.extend(children(node))
