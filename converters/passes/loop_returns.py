"""A `return` in a loop that gives what is still there behind the loop is made there.

    while steps < 100:                while steps < 100:
        x = refined(x)                    x = refined(x)
        if is_good(x):                    if is_good(x):
            return x                          returned = True; break
                                      if returned:
                                          return x

A staged loop then carries a flag, and no second copy of `x`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import gast

from ..analysis import Facts, activity, breaks, completes
from ..trees import FUNCTIONS, LOOPS, at, blocks, header, is_endless, load


def postpone_returns(function: gast.AST, facts: Facts, flag: Callable[[str], str]) -> dict[gast.AST, str]:
    """Replace the returns of such loops by `break`s; the flag that each of these sets."""
    postponing = _Postponing(facts, flag)
    postponing.block(function.body)
    return postponing.flags


class _Postponing:
    def __init__(self, facts: Facts, flag: Callable[[str], str]):
        self.facts, self.flag = facts, flag
        self.flags: dict[gast.AST, str] = {}

    def block(self, block: list[gast.AST]) -> None:
        for i in reversed(range(len(block))):
            statement = block[i]
            if isinstance(statement, (*FUNCTIONS, gast.ClassDef)):
                continue
            for inner in blocks(statement):
                self.block(inner)
            if isinstance(statement, LOOPS) and statement not in self.facts.staying:
                block[i + 1 : i + 1] = self.loop(statement, block[i + 1 : i + 2])

    def loop(self, loop: gast.AST, following: list[gast.AST]) -> list[gast.AST]:
        """What is to stand behind the loop instead of its returns."""
        found = list(_returns(loop.body))
        if not found or not all(places and _is_lasting(r, loop, self.facts) for places, r in found):
            return []
        first = found[0][1]
        if any(gast.dump(r.value) != gast.dump(first.value) for _, r in found):
            return []
        falls_through = not is_endless(loop) and completes(loop.orelse)
        is_only_end = not falls_through and not breaks(loop.body)
        is_repeated = not loop.orelse and gast.dump(first) in map(gast.dump, following)
        name = self.flag("returned")
        for places, made in found:
            jump = at(gast.Break(), made)
            self.flags[jump] = name
            places[places.index(made)] = jump
        if is_only_end:
            return [first]
        return [] if is_repeated else [at(gast.If(at(load(name), header(loop)), [first], []), header(loop))]


def _returns(block: list[gast.AST]) -> Iterator[tuple[list[gast.AST], gast.AST]]:
    """The returns in a block, with the list that each stands in; none below anything but an `if`."""
    for statement in block:
        if isinstance(statement, gast.Return):
            yield block, statement
        elif isinstance(statement, gast.If):
            for inner in blocks(statement):
                yield from _returns(inner)
        elif not isinstance(statement, (*FUNCTIONS, gast.ClassDef)):
            for inner in blocks(statement):
                yield from (([], made) for _, made in _returns(inner))


def _is_lasting(made: gast.AST, loop: gast.AST, facts: Facts) -> bool:
    """Whether what a return gives is a constant, or a variable that the loop carries or leaves alone."""
    if isinstance(made.value, gast.Constant):
        return True
    if not isinstance(made.value, gast.Name):
        return False
    name = made.value.id
    if name not in facts.locals or name in facts.always_live or name in facts.entry(loop).unbound:
        return False
    return name in facts.head(loop).live or name not in activity([loop]).binds
