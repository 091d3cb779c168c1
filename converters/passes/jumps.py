"""Lowering of `break`, `continue` and `return` to structured control flow.

The *rest* is the code after a statement that may jump. If one branch of an `if` always jumps, the rest moves
to the other branch, and no flag is needed. Otherwise the jump sets a *flag* that guards the rest. A loop that
may exit early tests its flags: `while` in its test, `for` in `ag__.until(iterable, lambda: test)`. Flags that
nothing reads are removed. Beyond `MAX_NESTING` levels, guards follow each other instead of nesting, so that
a hundred early returns or an `elif` chain with two hundred branches stay shallow.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import ClassVar

import gast

from ..analysis import Facts, activity, can_complete, declarations, jumps_out
from ..trees.builders import (
    ATTEMPTS,
    DEFINITIONS,
    LOOPS,
    RETURN_VALUE,
    TRIES,
    assign,
    at,
    blocks,
    children,
    constant,
    docstring_length,
    first_line,
    is_endless,
    lambda_,
    load,
    negation,
    operator,
    walk_scope,
)
from .base import Context, Pass, frame_nodes
from .loop_returns import ReturnSinking
from .templates import loop_options

MAX_NESTING = 8


@dataclass
class _Loop:
    """Flags of the `break` and `continue` statements of a lowered loop."""

    broken: str
    continued: str


class LowerJumps(Pass):
    """Lowers jumps out of code that will become closures."""

    follows: ClassVar = ("Normalise", "LowerMatch")

    def __init__(self, context: Context):
        super().__init__(context)
        self.loops: list[_Loop | None] = []
        self.lowered: dict[gast.AST, _Loop] = {}
        self.sunk_returns: dict[gast.AST, str] = {}
        self.flags: set[str] = set()
        self.unreachable: list[gast.AST] = []

    def run(self, function: gast.AST) -> None:
        if isinstance(function, gast.Lambda):
            return
        facts = Facts(function, can_have_pinned=self.context.can_have_pinned)
        self.unconverted = facts.unconverted
        sinking = ReturnSinking(facts, self.new_flag)
        sinking.block(function.body)
        self.sunk_returns = sinking.flags
        self.returned = self.value = ""
        start = docstring_length(function.body)
        head, body = function.body[:start], function.body[start:]
        if _return_in_control_flow(body, self.unconverted):
            self.returned = self.new_flag("returned")
            if any(isinstance(n, gast.Return) and n.value is not None for n in frame_nodes(function)):
                self.value = self.context.namer.fresh(RETURN_VALUE)
                if can_complete(body):
                    body = [*body, at(gast.Return(constant(None)), first_line(body[-1]))]
        location = first_line((body or head)[0])
        body = self.block(body, 0, tail=True)
        if self.returned:
            body = [_set(self.returned, False, location), *body]
        if self.value:
            body.append(at(gast.Return(load(self.value)), location))
        function.body = [*head, *(_remove_unread_flags(body, self.flags) if self.flags else body)]
        if self.unreachable:
            self.keep_unreachable_names(function, start)

    def keep_unreachable_names(self, function: gast.AST, start: int) -> None:
        """Keep the local and free variables that only unreachable code mentions."""
        dropped = activity(self.unreachable)
        self.declare(function, dropped.bindings | dropped.deletions)
        read = sorted((dropped.uses | dropped.captures).difference(*declarations(function.body)))
        if read and self.context.namer.may_contain("locals", "vars", "dir"):
            location = first_line(function.body[start])
            never = gast.If(constant(False), [at(gast.Expr(load(name)), location) for name in read], [])
            function.body.insert(start, at(never, location))

    def new_flag(self, stem: str) -> str:
        name = self.context.namer.fresh(stem)
        self.flags.add(name)
        return name

    def block(self, statements: list[gast.AST], depth: int, *, tail: bool = False) -> list[gast.AST]:
        """Lower a block; in `tail` position nothing runs after it, so a `return` there needs no flag."""
        out: list[gast.AST] = []
        rest = deque(statements)
        while rest:
            statement = rest.popleft()
            if self.is_lowered_jump(statement):
                out.extend(self.jump(statement, tail))
                self.unreachable += rest
                break
            if isinstance(statement, gast.If) and _chain_length(statement) > MAX_NESTING:
                rest.extendleft(reversed(self.split_elif_chain(statement)))
                continue
            is_loop = isinstance(statement, LOOPS)
            if is_loop and statement not in self.unconverted and statement not in self.lowered:
                rest.extendleft(reversed(self.prepare_loop(statement)))
                continue
            jumps = self.jumps_out_of(statement)
            if jumps and rest and isinstance(statement, gast.If) and depth < MAX_NESTING:
                side = statement.orelse if not can_complete(statement.body) else statement.body
                if side is statement.orelse or not can_complete(statement.orelse):
                    side.extend(rest)
                    rest.clear()
            out.extend(self.statement(statement, depth, tail and not rest))
            if jumps and rest:
                out.extend(self.guarded(jumps, list(rest), depth, tail, first_line(statement)))
                break
        return out or [gast.Pass()]

    def is_lowered_jump(self, statement: gast.AST) -> bool:
        if isinstance(statement, gast.Return):
            return bool(self.returned)
        return isinstance(statement, (gast.Break, gast.Continue)) and self.loops[-1] is not None

    def jump(self, statement: gast.AST, tail: bool) -> list[gast.AST]:
        if isinstance(statement, gast.Return):
            out = [] if tail else [assign(self.returned, constant(True))]
            if self.value:
                value = constant(None) if statement.value is None else statement.value
                out.insert(0, assign(self.value, value))
            elif statement.value is not None:
                out.insert(0, gast.Expr(statement.value))
        else:
            out = [assign(self.flag_of(statement), constant(True))]
        return [at(s, statement) for s in out or [gast.Pass()]]

    def flag_of(self, jump: gast.AST) -> str:
        """Return the flag that a jump of the innermost loop sets, or "" if the loop is not lowered."""
        loop = self.loops[-1] if self.loops else None
        if loop is None:
            return ""
        return loop.continued if isinstance(jump, gast.Continue) else self.sunk_returns.get(jump, loop.broken)

    def jumps_out_of(self, *statements: gast.AST) -> list[str]:
        """Return the flags of the lowered jumps that leave any of the statements."""
        jumps = jumps_out(statements)
        flags = dict.fromkeys(self.returned if type(j) is gast.Return else self.flag_of(j) for j in jumps)
        return [flag for flag in flags if flag]

    def guarded(
        self, flags: list[str], rest: list[gast.AST], depth: int, tail: bool, location: gast.AST
    ) -> list[gast.AST]:
        """Return the rest, guarded by flags, at the location of the statement that jumps."""
        if depth < MAX_NESTING:
            return [self.guard(flags, rest, depth, tail, location)]
        out: list[gast.AST] = []
        chunk: list[gast.AST] = []
        for i, statement in enumerate(rest):
            chunk.append(statement)
            jumps = self.jumps_out_of(statement)
            if jumps or i == len(rest) - 1:
                out.append(self.guard(flags, chunk, depth, tail and i == len(rest) - 1, location))
                flags, chunk = list(dict.fromkeys([*flags, *jumps])), []
        return out

    def guard(
        self, flags: Iterable[str], block: list[gast.AST], depth: int, tail: bool, location: gast.AST
    ) -> gast.AST:
        return _unless(flags, self.block(block, depth + 1, tail=tail), location)

    def statement(self, statement: gast.AST, depth: int, tail: bool) -> list[gast.AST]:
        if isinstance(statement, DEFINITIONS):
            return [statement]
        if isinstance(statement, LOOPS):
            return self.loop(statement, depth)
        if isinstance(statement, gast.Try) and statement not in self.unconverted:
            _split_finally(statement)
        if isinstance(statement, TRIES) and statement.orelse:
            jumps = self.jumps_out_of(*statement.body)
            if jumps:
                statement.orelse = [self.guard(jumps, statement.orelse, depth, False, first_line(statement))]
        if isinstance(statement, gast.With) and statement.items[1:] and self.jumps_out_of(statement):
            inner = at(gast.With(statement.items[1:], statement.body, None), first_line(statement))
            statement.items, statement.body = statement.items[:1], [inner]
        replaceable = self.replaceable_jumps(statement)
        for block in blocks(statement):
            if block:
                block[:] = self.block(block, depth + 1, tail=tail and isinstance(statement, gast.If))
        if replaceable and isinstance(statement, gast.With):
            return self.clear_if_swallowed(statement, replaceable)
        for handler in statement.handlers if replaceable else ():
            location = first_line(handler.body[0])
            handler.body[:0] = [_set(flag, False, location) for flag in replaceable]
        return [statement]

    def replaceable_jumps(self, statement: gast.AST) -> list[str]:
        """Return the flags of jumps that an exception from a `finally` or `__exit__` may cancel."""
        if not getattr(statement, "handlers", None) and not isinstance(statement, gast.With):
            return []
        inner = [n for s in statement.body for n in walk_scope(s)]
        interceptors = [n for n in inner if getattr(n, "finalbody", None) or isinstance(n, gast.With)]
        return self.jumps_out_of(*interceptors)

    def clear_if_swallowed(self, statement: gast.With, flags: list[str]) -> list[gast.AST]:
        """Clear the flags of jumps replaced by an exception that the `__exit__` of a `with` swallowed."""
        location = first_line(statement)
        completed = self.context.namer.fresh("completed")
        statement.body.append(_set(completed, True, location))
        undo = [_set(flag, False, location) for flag in flags]
        return [_set(completed, False, location), statement, _unless([completed], undo, location)]

    def prepare_loop(self, statement: gast.AST) -> list[gast.AST]:
        """Create the flags of a loop, and move its `else` block after it."""
        loop = _Loop(self.new_flag("broken"), self.new_flag("continued"))
        self.lowered[statement] = loop
        self.loops.append(loop)
        jumps = self.jumps_out_of(*statement.body)
        exit_flags = [flag for flag in jumps if flag not in (loop.continued, self.returned)]
        self.loops.pop()
        location = first_line(statement)
        after, statement.orelse = statement.orelse, []
        if after and exit_flags:
            after = [_unless(exit_flags, after, location)]
        return [*(_set(flag, False, location) for flag in exit_flags), statement, *after]

    def loop(self, statement: gast.AST, depth: int) -> list[gast.AST]:
        loop = self.lowered.get(statement)
        self.loops.append(loop)
        options = [s for s in statement.body if loop_options(s) is not None]
        if options:  # before any jump; an unconverted loop ignores them
            rest = [s for s in statement.body if s not in options]
            statement.body = [*(options if loop else []), *rest] or [at(gast.Pass(), options[0])]
        jumps = self.jumps_out_of(*statement.body)
        body = self.block(statement.body, 0)
        self.loops.pop()
        if statement.orelse:
            statement.orelse = self.block(statement.orelse, depth + 1)
        if loop is None:
            statement.body = body
            return [statement]
        location = first_line(statement.body[0])
        exit_flags = [flag for flag in jumps if flag != loop.continued]
        # each iteration starts with False flags; assigning them here keeps them out of the loop state
        start = [_set(flag, False, location) for flag in (loop.continued, *exit_flags)]
        statement.body = [*start, *body]
        if exit_flags:
            _add_loop_test(statement, exit_flags)
        return [statement]

    def split_elif_chain(self, statement: gast.If) -> list[gast.AST]:
        """Split a long `if`/`elif`/`else` chain into a sequence of short ones."""
        unmatched, location = self.context.namer.fresh("unmatched"), first_line(statement)
        out: list[gast.AST] = [_set(unmatched, False, location)]
        part: list[gast.AST] = [statement]
        while True:
            first = arm = part[0]
            for _ in range(MAX_NESTING - 1):
                if not _has_elif(arm):
                    break
                arm = arm.orelse[0]
            rest = arm.orelse if _has_elif(arm) else []
            if rest:
                arm.orelse = [_set(unmatched, True, first_line(arm))]
            if first is not statement:
                part = [_set(unmatched, False, first_line(first)), *part]
                part = [at(gast.If(at(load(unmatched), location), part, []), location)]
            out.extend(part)
            if not rest:
                return out
            part = rest


def _split_finally(statement: gast.Try) -> None:
    """Nest `try`-`except` in `try`-`finally`, so that each statement deals with exceptions once."""
    if statement.handlers and statement.finalbody:
        inner = at(gast.Try(statement.body, statement.handlers, statement.orelse, []), statement)
        statement.body, statement.handlers, statement.orelse = [inner], [], []


def _set(flag: str, value: bool, location: gast.AST) -> gast.AST:
    return at(assign(flag, constant(value)), location)


def _unless(flags: Iterable[str], block: list[gast.AST], location: gast.AST) -> gast.AST:
    return at(gast.If(at(negation(flags), location), block, []), location)


def _chain_length(statement: gast.If) -> int:
    length = 1
    while _has_elif(statement):
        statement, length = statement.orelse[0], length + 1
    return length


def _has_elif(statement: gast.If) -> bool:
    return len(statement.orelse) == 1 and isinstance(statement.orelse[0], gast.If)


def _add_loop_test(loop: gast.AST, flags: list[str]) -> None:
    test = at(negation(flags), first_line(loop))
    if isinstance(loop, gast.For):
        loop.iter = at(operator("until", loop.iter, lambda_(test)), loop.iter)
    elif is_endless(loop):
        loop.test = test
    else:
        loop.test = at(gast.BoolOp(gast.And(), [test, loop.test]), loop.test)


def _return_in_control_flow(
    statements: list[gast.AST], unconverted: Container[gast.AST], inside: bool = False
) -> bool:
    """Return whether code that will become a closure contains a `return`."""
    for statement in statements:
        if isinstance(statement, gast.Return):
            if inside:
                return True
        elif not isinstance(statement, DEFINITIONS):
            moved = isinstance(statement, (*LOOPS, *ATTEMPTS, gast.If)) and statement not in unconverted
            for block in blocks(statement):
                if _return_in_control_flow(block, unconverted, inside or moved):
                    return True
    return False


def _remove_unread_flags(body: list[gast.AST], flags: set[str]) -> list[gast.AST]:
    """Remove assignments to flags that nothing reads, leaving a `pass` on the line of each jump."""
    unread, stack = set(flags), list(body)
    while stack:
        node = stack.pop()
        if type(node) is gast.Name and type(node.ctx) is gast.Load:
            unread.discard(node.id)
        stack += children(node)
    return (_remove_assignments(body, unread) if unread else body) or [gast.Pass()]


def _remove_assignments(block: list[gast.AST], unread: set[str]) -> list[gast.AST]:
    out = []
    for statement in block:
        if isinstance(statement, gast.Assign):
            target = statement.targets[0]
            if isinstance(target, gast.Name) and target.id in unread:
                if statement.value.value is True:
                    out.append(at(gast.Pass(), statement))
                continue
        elif not isinstance(statement, DEFINITIONS):
            for inner in blocks(statement):
                if inner:
                    inner[:] = _remove_assignments(inner, unread) or [at(gast.Pass(), inner[0])]
        out.append(statement)
    return out
