"""One owner of hygiene: the names that converted code adds are readable and never clash."""

from __future__ import annotations

from collections.abc import Iterable, Set

import gast


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


def names_in(tree: gast.AST) -> set[str]:
    """Every name that stands in a tree in any role, so that a new one can keep clear of it."""
    found: set[str] = set()
    stack = [tree]
    while stack:
        node = stack.pop()
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, str):
                found.add(value)
            elif isinstance(value, list):
                for item in value:
                    if isinstance(item, gast.AST):
                        stack.append(item)
                    elif isinstance(item, str):
                        found.add(item)
            elif isinstance(value, gast.AST):
                stack.append(value)
    return found
