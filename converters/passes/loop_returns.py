"""Sinking of `return` statements out of loops.

A `return` in a loop moves after the loop if its value is still available there:

    while steps < 100:                while steps < 100:
        x = refined(x)                    x = refined(x)
        if is_good(x):                    if is_good(x):
            return x                          returned = True; break
                                      if returned:
                                          return x

A staged loop then carries a flag instead of a second copy of `x`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import gast

from ..analysis import Facts, activity, can_complete, has_break
from ..trees.builders import DEFINITIONS, LOOPS, at, blocks, first_line, is_endless, load


class ReturnSinking:
    """Replaces returns in loops with `break`s where possible; `flags` maps each `break` to its flag."""

    def __init__(self, facts: Facts, new_flag: Callable[[str], str]):
        self.facts, self.new_flag = facts, new_flag
        self.flags: dict[gast.AST, str] = {}

    def block(self, block: list[gast.AST]) -> None:
        for i in reversed(range(len(block))):
            statement = block[i]
            if isinstance(statement, DEFINITIONS):
                continue
            for inner in blocks(statement):
                self.block(inner)
            if isinstance(statement, LOOPS) and statement not in self.facts.unconverted:
                block[i + 1 : i + 1] = self.loop(statement, block[i + 1 : i + 2])

    def loop(self, loop: gast.AST, following: list[gast.AST]) -> list[gast.AST]:
        """Return the statements to insert after the loop in place of its returns."""
        returns = list(_returns(loop.body))
        if not returns or not all(block and _is_available_after(r, loop, self.facts) for block, r in returns):
            return []
        first = returns[0][1]
        if any(gast.dump(r.value) != gast.dump(first.value) for _, r in returns):
            return []
        falls_through = not is_endless(loop) and can_complete(loop.orelse)
        is_only_exit = not falls_through and not has_break(loop.body)
        is_repeated = not loop.orelse and gast.dump(first) in map(gast.dump, following)
        name = self.new_flag("returned")
        for block, statement in returns:
            jump = at(gast.Break(), statement)
            self.flags[jump] = name
            block[block.index(statement)] = jump
        if is_only_exit:
            return [first]
        location = first_line(loop)
        return [] if is_repeated else [at(gast.If(at(load(name), location), [first], []), location)]


def _returns(block: list[gast.AST]) -> Iterator[tuple[list[gast.AST], gast.AST]]:
    """Yield each `return` with its block, or with [] if a compound statement other than `if` contains it."""
    for statement in block:
        if isinstance(statement, gast.Return):
            yield block, statement
        elif isinstance(statement, gast.If):
            for inner in blocks(statement):
                yield from _returns(inner)
        elif not isinstance(statement, DEFINITIONS):
            for inner in blocks(statement):
                yield from (([], found) for _, found in _returns(inner))


def _is_available_after(statement: gast.Return, loop: gast.AST, facts: Facts) -> bool:
    """Return whether a loop's `return` can move after the loop because its value is still available there.

    That holds for a constant, for a local that the loop carries, and for a local that it does not bind.
    """
    if isinstance(statement.value, gast.Constant):
        return True
    if not isinstance(statement.value, gast.Name):
        return False
    name = statement.value.id
    if name not in facts.locals or name in facts.always_live or name in facts.entry(loop).unbound:
        return False
    return name in facts.head(loop).live or name not in activity([loop]).bindings
