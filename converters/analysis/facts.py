"""Dataflow facts about a function: live names, possibly unbound names, and statements left in Python.

A name is *live* at a point if its value there may still be read. It is *unbound* there if some path reaches
the point without binding it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from functools import cached_property

import gast

from ..trees.builders import blocks, parameters, walk_scope
from . import cfg
from .activity import Activity, activity, declarations
from .pinning import unconverted_statements
from .solver import solve


class Names(Set[str]):
    """Set of a function's names, stored as a bit mask because a function may have thousands of steps."""

    __slots__ = ("bits", "mask")

    def __init__(self, mask: int, bits: dict[str, int]):
        self.mask, self.bits = mask, bits

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and bool(self.mask & self.bits.get(name, 0))

    def __iter__(self) -> Iterator[str]:
        return (name for name, bit in self.bits.items() if self.mask & bit)

    def __len__(self) -> int:
        return self.mask.bit_count()

    def __bool__(self) -> bool:
        return self.mask != 0

    def __or__(self, other: Names) -> Names:  # type: ignore[override]
        return Names(self.mask | other.mask, self.bits)

    def select(self, names: Iterable[str]) -> set[str]:
        return {name for name in names if name in self} if self.mask else set()


@dataclass(frozen=True)
class Point:
    """Program point between two steps: the live names and the possibly unbound variables."""

    live: Names
    unbound: Names


class Facts:
    """Facts about one function, computed lazily."""

    def __init__(self, function: gast.AST, *, can_have_pinned: bool = True):
        self.function, self.can_have_pinned = function, can_have_pinned

    @cached_property
    def graph(self) -> cfg.Graph:
        return cfg.build(self.function)

    @cached_property
    def body(self) -> Activity:
        return activity(self.function.body)

    @cached_property
    def declarations(self) -> tuple[frozenset[str], frozenset[str]]:
        nonlocals, globals_ = declarations(self.function.body)
        return frozenset(nonlocals), frozenset(globals_)

    @cached_property
    def locals(self) -> frozenset[str]:
        params = {p.id for p in parameters(self.function)}
        bound = self.body.bindings | self.body.deletions | self.body.declared | params
        return frozenset(bound - self.declarations[0] - self.declarations[1])

    @cached_property
    def variables(self) -> frozenset[str]:
        """The names that the function may bind: its locals and those that it declares."""
        return self.locals | self.declarations[0] | self.declarations[1]

    @cached_property
    def always_live(self) -> frozenset[str]:
        """Names that code outside this function's own steps may read."""
        captures = self.body.captures - self._own_captures()
        return frozenset(captures | self.declarations[0] | self.declarations[1])

    def _own_captures(self) -> set[str]:
        """Return the names of nested functions that only the rest of their own block captures.

        Each is bound once, so that its name never refers to another value. This may be a recursive function
        that is defined after an early return.
        """
        if not self.body.captures:
            return set()
        bound = Counter(name for step in self._steps for name in step.bindings)
        captured = Counter(name for step in self._steps for name in step.captures)
        candidates = (self.body.captures & self.locals) - self.body.nonlocal_bindings
        found = set()
        for block in (block for node in walk_scope(self.function.body) for block in blocks(node)):
            for definition in block:
                first = self.graph.steps.get(definition)
                if first is None or not isinstance(definition, gast.FunctionDef):
                    continue
                name, last = definition.name, block[-1]
                end = self.graph.exits.get(last, self.graph.steps.get(last, first - 1)) + 1
                captures = sum(name in step.captures for step in self._steps[first:end])
                if name in candidates and bound[name] == 1 and captures == captured[name]:
                    found.add(name)
        return found

    @cached_property
    def _steps(self) -> list[Activity]:
        return [activity(trees) for trees in self.graph.nodes]

    def step(self, tree: gast.AST) -> Activity | None:
        """Return the activity of the step that evaluates `tree`, or None for nodes that passes added."""
        number = self.graph.steps.get(tree)
        return None if number is None else self._steps[number]

    def changes(self, statement: gast.AST, *, without: gast.AST | None = None) -> Activity:
        """Return the names that a compound statement binds, deletes or mutates outside the step `without`."""
        result = Activity()
        steps = self._steps[self.graph.entries[statement] : self.graph.exits[statement] + 1]
        skipped = None if without is None else self.step(without)
        for step in steps:
            if step is not skipped:
                result.bindings |= step.bindings
                result.deletions |= step.deletions
                result.nonlocal_bindings |= step.nonlocal_bindings
                result.mutations |= step.mutations
                result.attributes |= step.attributes
        return result

    @cached_property
    def _bits(self) -> dict[str, int]:
        return {name: 1 << i for i, name in enumerate(sorted(self.variables))}

    def _mask(self, names: Iterable[str]) -> int:
        bits, mask = self._bits, 0
        for name in names:
            mask |= bits.get(name, 0)
        return mask

    @cached_property
    def _live(self) -> list[int]:
        gen = [self._mask(step.uses) for step in self._steps]
        kill = [
            self._mask(step.bindings - step.conditional_bindings | step.deletions) for step in self._steps
        ]
        return solve(self.graph, gen, kill, start=self._always_live_mask, backward=True)

    @cached_property
    def _always_live_mask(self) -> int:
        return self._mask(self.always_live)

    @cached_property
    def _unbound(self) -> list[int]:
        gen = [self._mask(step.deletions & self.locals) for step in self._steps]
        kill = [self._mask(step.bindings - step.conditional_bindings) for step in self._steps]
        start = self._mask(self.locals - {p.id for p in parameters(self.function)})
        return solve(self.graph, gen, kill, start=start)

    def _point(self, node: int) -> Point:
        live = self._live[node] | self._always_live_mask
        return Point(Names(live, self._bits), Names(self._unbound[node], self._bits))

    def entry(self, statement: gast.AST) -> Point:
        return self._point(self.graph.entries[statement])

    def exit(self, statement: gast.AST) -> Point:
        return self._point(self.graph.exits[statement])

    def head(self, statement: gast.AST) -> Point:
        return self._point(self.graph.heads[statement])

    def before(self, tree: gast.AST) -> Point:
        """Return the point before the step that evaluates `tree`: a simple statement, test or loop target."""
        return self._point(self.graph.steps[tree])

    def start(self, block: list[gast.AST]) -> Point:
        return self.entry(block[0]) if block[0] in self.graph.entries else self.before(block[0])

    def unbound_before(self, tree: gast.AST) -> Names:
        """Return the variables that may be unbound at the step that evaluates `tree`."""
        return Names(self._unbound[self.graph.steps[tree]], self._bits)

    @cached_property
    def unconverted(self) -> dict[gast.AST, gast.AST]:
        """The statements left in Python, each with the pinned node that keeps it there."""
        return unconverted_statements(self.function) if self.can_have_pinned else {}
