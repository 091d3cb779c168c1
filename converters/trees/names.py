"""One owner of hygiene: the names that converted code adds are readable and never clash."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass

import gast

from .trees import FUNCTIONS


class Namer:
    """Hands out names that are not taken.

    >>> names = Namer({"loop_body", "x"})
    >>> names.fresh("loop_test"), names.fresh("loop_body"), names.fresh("loop_body")
    ('loop_test', 'loop_body_1', 'loop_body_2')

    A name that no later code reads can be given again: the fewer names stand around a closure, the
    faster Python compiles it.

    >>> mark = names.mark()
    >>> names.fresh("loop_test"), names.fresh("if_body")
    ('loop_test_1', 'if_body')
    >>> names.release(mark, keep=["if_body"])
    >>> names.fresh("loop_test"), names.fresh("if_body")
    ('loop_test_1', 'if_body_1')
    """

    def __init__(self, taken: Set[str]):
        self._taken = taken  # shared by the namers of a module's functions
        self._next: dict[str, int] = {}
        self._live: dict[str, None] = {}
        self.added: set[str] = set()

    def may_hold(self, *names: str) -> bool:
        """Whether one of some names may stand in the code."""
        return any(name in self._taken for name in names)

    def fresh(self, stem: str) -> str:
        name = self._name(stem)
        while name in self._taken or name in self._live:
            self._next[stem] = self._next.get(stem, 0) + 1
            name = self._name(stem)
        self._live[name] = None
        self.added.add(name)
        return name

    def _name(self, stem: str) -> str:
        number = self._next.get(stem, 0)
        return f"{stem}_{number}" if number else stem

    def parameter(self, stem: str) -> str:
        """A name of a closure's parameter, which may hide one of another closure."""
        mark = self.mark()
        name = self.fresh(stem)
        self.release(mark)
        return name

    def mark(self) -> tuple[int, dict[str, int]]:
        """A point to which `release` goes back."""
        return len(self._live), dict(self._next)

    def release(self, mark: tuple[int, dict[str, int]], keep: Iterable[str] = ()) -> None:
        """Let the names that were given since `mark` be given again, but for those to keep."""
        count, self._next = mark[0], dict(mark[1])
        while len(self._live) > count:
            self._live.popitem()
        self._live.update(dict.fromkeys(keep))


@dataclass(frozen=True)
class Survey:
    """What a tree holds: names in any role, each `def`, the innermost first, and the kinds of its nodes."""

    names: set[str]
    functions: list[gast.AST]
    kinds: set[type]


def survey(tree: gast.AST) -> Survey:
    names: set[str] = set()
    kinds: set[type] = set()
    functions: list[gast.AST] = []
    stack = [tree]
    while stack:
        node = stack.pop()
        kind = type(node)
        kinds.add(kind)
        if kind in FUNCTIONS:
            functions.append(node)
        values = node.__dict__
        for field in kind._fields:
            value = values.get(field)
            kind_of_value = type(value)
            if kind_of_value is str:
                names.add(value)
            elif kind_of_value is list:
                for item in value:
                    if isinstance(item, gast.AST):
                        stack.append(item)
                    elif isinstance(item, str):
                        names.add(item)
            elif isinstance(value, gast.AST):
                stack.append(value)
    return Survey(names, functions[::-1], kinds)
