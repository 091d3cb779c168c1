"""Fresh names for converted code, and summaries of trees, which contain the names that are taken."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass

import gast

from .builders import FUNCTIONS


class Namer:
    """Generator of names that are not taken.

    >>> names = Namer({"loop_body", "x"})
    >>> names.fresh("loop_test"), names.fresh("loop_body"), names.fresh("loop_body")
    ('loop_test', 'loop_body_1', 'loop_body_2')

    Names that no later code reads are reused, because Python compiles a closure faster if fewer names
    surround it.

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

    def may_contain(self, *names: str) -> bool:
        """Return whether the user's code may mention any of the names."""
        return any(name in self._taken for name in names)

    def fresh(self, stem: str) -> str:
        """Return an unused name: the stem, with a number if it is taken."""
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
        """Return a name for a closure's parameter; closures may use the same name."""
        mark = self.mark()
        name = self.fresh(stem)
        self.release(mark)
        return name

    def mark(self) -> tuple[int, dict[str, int]]:
        return len(self._live), dict(self._next)

    def release(self, mark: tuple[int, dict[str, int]], keep: Iterable[str] = ()) -> None:
        """Make the names created since `mark` available again, except those in `keep`."""
        count, self._next = mark[0], dict(mark[1])
        while len(self._live) > count:
            self._live.popitem()
        self._live.update(dict.fromkeys(keep))


@dataclass(frozen=True)
class TreeSummary:
    """All names in a tree, its functions with the innermost first, and the kinds of its nodes."""

    names: set[str]
    functions: list[gast.AST]
    kinds: set[type]


def summarize(tree: gast.AST) -> TreeSummary:
    """Collect the names, functions and node kinds of a tree in one walk."""
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
    return TreeSummary(names, functions[::-1], kinds)
