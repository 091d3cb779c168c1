"""What the passes ask about a function: liveness, unbound names, and what stays as it is.

A name is *live* at a point when its value there may still be read. It is *maybe unbound* when some
path leads there without binding it. A statement *stays* when it cannot be moved into a closure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property

import gast

from ..names import Survey
from ..trees import LOOPS, SUSPENSIONS, TRIES, blocks, parameters, within
from . import cfg
from .activity import Activity, activity, declarations
from .solver import solve

FRAME_SENSITIVE = frozenset(("locals", "vars", "dir", "eval", "exec"))


class Names(Set[str]):
    """Some names of a function, as a bit mask: each step has its own, and there may be thousands of both."""

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

    def of(self, names: Iterable[str]) -> set[str]:
        """Those of some names that are among these."""
        return {name for name in names if name in self} if self.mask else set()


@dataclass(frozen=True)
class Point:
    """What holds between two steps: the names that are live and the variables that may be unbound."""

    live: Names
    unbound: Names


class Facts:
    """The facts of one function, found at the first question.

    Args:
        function: the function.
        may_anchor: whether it may hold what must run in the function itself.
    """

    def __init__(self, function: gast.AST, *, may_anchor: bool = True):
        self.function, self.may_anchor = function, may_anchor

    @cached_property
    def graph(self) -> cfg.Graph:
        return cfg.build(self.function)

    @cached_property
    def body(self) -> Activity:
        return activity(self.function.body)

    @cached_property
    def outer(self) -> tuple[frozenset[str], frozenset[str]]:
        """The names that the function declares `nonlocal` and `global`."""
        nonlocal_, global_ = declarations(self.function.body)
        return frozenset(nonlocal_), frozenset(global_)

    @cached_property
    def locals(self) -> frozenset[str]:
        params = {p.id for p in parameters(self.function)}
        bound = self.body.binds | self.body.deletes | self.body.declares | params
        return frozenset(bound - self.outer[0] - self.outer[1])

    @cached_property
    def variables(self) -> frozenset[str]:
        """The names that the function may bind: its own, and those that it declares."""
        return self.locals | self.outer[0] | self.outer[1]

    @cached_property
    def always_live(self) -> frozenset[str]:
        """Names that others than this function's own steps may read."""
        return frozenset(self.body.captures | self.outer[0] | self.outer[1])

    @cached_property
    def _steps(self) -> list[Activity]:
        return [activity(trees) for trees in self.graph.nodes]

    def step(self, tree: gast.AST) -> Activity | None:
        """The activity of the step that evaluates `tree`, if there is one, as the passes found it."""
        number = self.graph.steps.get(tree)
        return None if number is None else self._steps[number]

    def changes(self, statement: gast.AST, *, without: gast.AST | None = None) -> Activity:
        """What a compound statement changes, but for one of the trees that it evaluates itself."""
        found = Activity()
        steps = self._steps[self.graph.entries[statement] : self.graph.exits[statement] + 1]
        skipped = None if without is None else self.step(without)
        for step in steps:
            if step is not skipped:
                found.binds |= step.binds
                found.deletes |= step.deletes
                found.rebinds |= step.rebinds
                found.mutates |= step.mutates
                found.places |= step.places
        return found

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
        gen = [self._mask(step.reads) for step in self._steps]
        kill = [self._mask(step.binds - step.skips | step.deletes) for step in self._steps]
        return solve(self.graph, gen, kill, start=self._mask(self.always_live), backward=True)

    @cached_property
    def _unbound(self) -> list[int]:
        gen = [self._mask(step.deletes & self.locals) for step in self._steps]
        kill = [self._mask(step.binds - step.skips) for step in self._steps]
        start = self._mask(self.locals - {p.id for p in parameters(self.function)})
        return solve(self.graph, gen, kill, start=start)

    @cached_property
    def _always(self) -> int:
        return self._mask(self.always_live)

    def _point(self, node: int) -> Point:
        live = Names(self._live[node] | self._always, self._bits)
        return Point(live, Names(self._unbound[node], self._bits))

    def entry(self, statement: gast.AST) -> Point:
        return self._point(self.graph.entries[statement])

    def exit(self, statement: gast.AST) -> Point:
        return self._point(self.graph.exits[statement])

    def head(self, loop: gast.AST) -> Point:
        return self._point(self.graph.heads[loop])

    def before(self, tree: gast.AST) -> Point:
        """At the step that evaluates `tree`: a simple statement, a test, a loop's target."""
        return self._point(self.graph.steps[tree])

    def start(self, block: list[gast.AST]) -> Point:
        """Before the first statement of a block."""
        return self.entry(block[0]) if block[0] in self.graph.entries else self.before(block[0])

    def unbound_before(self, tree: gast.AST) -> Names:
        """The variables that may be unbound at the step that evaluates `tree`."""
        return Names(self._unbound[self.graph.steps[tree]], self._bits)

    @cached_property
    def staying(self) -> Mapping[gast.AST, gast.AST]:
        """The compound statements that stay, each with the node on whose account it does."""
        return _staying(self.function) if self.may_anchor else {}


def _staying(function: gast.AST) -> dict[gast.AST, gast.AST]:
    """Compound statements that stay as they are, and with them what jumps to them.

    What suspends the function, looks at its frame, or jumps out of a `finally` must run in the
    function itself; where there is such a thing, `return` stays a `return` too.
    """
    found: dict[gast.AST, gast.AST] = {}
    holds_returns = _anchor_in(function.body)
    if holds_returns is None:
        return found

    def visit(statement: gast.AST, enclosing: list[gast.AST]) -> gast.AST | None:
        """The node on whose account the statement, or one that it holds, must stay."""
        if isinstance(statement, gast.Return):
            return holds_returns
        if isinstance(statement, (gast.Break, gast.Continue)):
            return staying_loops.get(enclosing[-1]) if enclosing else statement
        if not isinstance(statement, cfg.COMPOUND):
            return _anchor_in(statement)
        is_loop = isinstance(statement, LOOPS)
        if is_loop:
            anchor = _anchor_in(statement, holds_returns)
            if anchor is None and enclosing and _jumps_out(statement.orelse, returns=False):
                anchor = staying_loops.get(enclosing[-1])
            if anchor is not None:
                staying_loops[statement] = anchor
        stays = statement if isinstance(statement, SUSPENSIONS) else None
        stays = stays or _anchor_in(headers(statement))
        for block in blocks(statement):
            inner = [*enclosing, statement] if is_loop and block is statement.body else enclosing
            for child in block:
                anchor = visit(child, inner)
                stays = stays or anchor
        stays = stays or staying_loops.get(statement)
        if isinstance(statement, (*LOOPS, gast.If)) and stays is not None:
            found[statement] = stays
        return stays

    staying_loops: dict[gast.AST, gast.AST] = {}
    for statement in function.body:
        visit(statement, [])
    return found


def _anchor_in(
    roots: gast.AST | Iterable[gast.AST], holds_returns: gast.AST | None = None
) -> gast.AST | None:
    """A node that must run in the function itself; `holds_returns` where that makes a `return` one."""
    for node in within(roots):
        if is_anchored(node):
            return node
        if holds_returns is not None and type(node) is gast.Return:
            return holds_returns
    return None


def may_anchor(found: Survey) -> bool:
    """Whether a node of some trees may have to run in the function itself."""
    return not (found.kinds.isdisjoint(_ANCHORS) and found.names.isdisjoint((*FRAME_SENSITIVE, "super")))


_ANCHORS = (*SUSPENSIONS, *TRIES, gast.AsyncFunctionDef, gast.GeneratorExp)
"""Kinds that are `is_anchored`, or hold one that is in a comprehension."""


def is_anchored(node: gast.AST) -> bool:
    """Whether a node must run in the function itself."""
    kind = type(node)
    if kind in SUSPENSIONS:
        return True
    if kind is gast.comprehension:
        return bool(node.is_async)
    if kind is gast.Call:
        name = node.func.id if type(node.func) is gast.Name else None
        return name in FRAME_SENSITIVE or (name == "super" and not node.args)
    if kind in (gast.Try, gast.TryStar):
        return _jumps_out(node.finalbody)
    return False


def _jumps_out(block: list[gast.AST], *, returns: bool = True, in_loop: bool = False) -> bool:
    for statement in block:
        if isinstance(statement, gast.Return) and returns:
            return True
        if isinstance(statement, (gast.Break, gast.Continue)) and not in_loop:
            return True
        if isinstance(statement, cfg.COMPOUND):
            loop = isinstance(statement, LOOPS)
            for inner in blocks(statement):
                inside = in_loop or (loop and inner is statement.body)
                if _jumps_out(inner, returns=returns, in_loop=inside):
                    return True
    return False


def headers(statement: gast.AST) -> list[gast.AST]:
    """The expressions that a compound statement evaluates itself."""
    if isinstance(statement, (gast.If, gast.While)):
        return [statement.test]
    if isinstance(statement, (gast.For, gast.AsyncFor)):
        return [statement.iter, statement.target]
    if isinstance(statement, (gast.With, gast.AsyncWith)):
        return list(statement.items)
    if isinstance(statement, gast.Match):
        guards = [case.guard for case in statement.cases if case.guard is not None]
        return [statement.subject, *guards]
    return [handler.type for handler in statement.handlers if handler.type is not None]
