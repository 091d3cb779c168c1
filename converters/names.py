"""One owner of hygiene: the names that converted code adds are readable and never clash."""

from __future__ import annotations

from collections.abc import Set

import gast


class Namer:
    """Hands out names that are not taken.

    >>> names = Namer({"loop_body", "x"})
    >>> names.fresh("loop_test"), names.fresh("loop_body"), names.fresh("loop_body")
    ('loop_test', 'loop_body_1', 'loop_body_2')
    """

    def __init__(self, taken: Set[str]):
        self._taken = taken  # shared by the namers of a module's functions
        self._next: dict[str, int] = {}
        self.added: set[str] = set()

    def may_hold(self, *names: str) -> bool:
        """Whether one of some names may stand in the code."""
        return any(name in self._taken for name in names)

    def fresh(self, stem: str) -> str:
        name = stem
        while name in self._taken or name in self.added:
            number = self._next.get(stem, 0) + 1
            self._next[stem] = number
            name = f"{stem}_{number}"
        self.added.add(name)
        return name


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
