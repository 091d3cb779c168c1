"""`break`, `continue` and `return` become the structure of the code around them.

What follows a statement that may jump is its *rest*. Where one side of an `if` always jumps, the
rest moves to the other side and no flag is needed. Where that does not do, the jump sets a *flag*
and the rest is guarded by it; a loop that is left early tests its flags: `while` in its test, `for`
in `ag__.until(iterated, lambda: test)`. Flags that nobody reads are taken out again. Below
`MAX_NESTING` rests are guarded one after the other instead of nested, so that a hundred early
returns, or an `elif` of two hundred arms, stay shallow.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import ClassVar

import gast

from ..analysis import Facts, activity, completes, declarations
from ..trees import (
    FUNCTIONS,
    LOOPS,
    TRIES,
    assign,
    at,
    blocks,
    children,
    constant,
    docstring_length,
    header,
    is_endless,
    lambda_,
    load,
    negation,
    operator,
    within,
)
from .base import Context, Pass, own_nodes
from .returns import postpone_returns
from .spelling import directive

MAX_NESTING = 8
_FLAT = (gast.Assign, gast.Expr, gast.AugAssign, gast.AnnAssign, gast.ClassDef, *FUNCTIONS)
"""Statements without blocks, or whose blocks are scopes of their own."""


@dataclass
class _Loop:
    """The jumps that aim at one loop that is lowered."""

    broken: str
    continued: str


class LowerJumps(Pass):
    """Jumps out of what will become closures."""

    follows: ClassVar = ("Normalise", "LowerMatch")

    def __init__(self, context: Context):
        super().__init__(context)
        self.loops: list[_Loop | None] = []
        self.lowered: dict[gast.AST, _Loop] = {}
        self.left: dict[gast.AST, str] = {}
        self.flags: set[str] = set()
        self.unreached: list[gast.AST] = []

    def run(self, function: gast.AST) -> None:
        if isinstance(function, gast.Lambda):
            return
        facts = Facts(function, may_anchor=self.context.may_anchor)
        self.staying = facts.staying
        self.left = postpone_returns(function, facts, self.flag)
        self.returned = self.value = ""
        start = docstring_length(function.body)
        head, body = function.body[:start], function.body[start:]
        if _return_in_control_flow(body, self.staying):
            self.returned = self.flag("returned")
            if any(isinstance(n, gast.Return) and n.value is not None for n in own_nodes(function)):
                self.value = self.context.namer.fresh("return_value")
                if completes(body):
                    body = [*body, at(gast.Return(constant(None)), header(body[-1]))]
        place = header((body or head)[0])
        body = self.block(body, 0, tail=True)
        if self.returned:
            body = [at(assign(self.returned, constant(False)), place), *body]
        if self.value:
            body.append(at(gast.Return(load(self.value)), place))
        function.body = [*head, *(_without_unread(body, self.flags) if self.flags else body)]
        if self.unreached:
            self.remember(function, start)

    def remember(self, function: gast.AST, start: int) -> None:
        """Keep the variables that only unreachable code binds, and those around that only it reads."""
        found = activity(self.unreached)
        self.declare(function, found.binds | found.deletes)
        read = sorted((found.reads | found.captures).difference(*declarations(function.body)))
        if read and self.context.namer.may_hold("locals", "vars", "dir"):
            place = header(function.body[start])
            never = gast.If(constant(False), [at(gast.Expr(load(name)), place) for name in read], [])
            function.body.insert(start, at(never, place))

    def flag(self, stem: str) -> str:
        name = self.context.namer.fresh(stem)
        self.flags.add(name)
        return name

    def block(self, statements: list[gast.AST], depth: int, *, tail: bool = False) -> list[gast.AST]:
        """Lower a block; nothing runs after one in `tail` position, so a `return` there needs no flag."""
        out: list[gast.AST] = []
        rest = deque(statements)
        while rest:
            statement = rest.popleft()
            if self.is_lowered_jump(statement):
                out.extend(self.jump(statement, tail))
                self.unreached += rest
                break
            if isinstance(statement, gast.If) and _chain_length(statement) > MAX_NESTING:
                rest.extendleft(reversed(self.cut_chain(statement)))
                continue
            if (
                isinstance(statement, LOOPS)
                and statement not in self.staying
                and statement not in self.lowered
            ):
                rest.extendleft(reversed(self.open_loop(statement)))
                continue
            jumps = self.jumps_out_of(statement)
            if jumps and rest and isinstance(statement, gast.If) and depth < MAX_NESTING:
                side = statement.orelse if not completes(statement.body) else statement.body
                if side is statement.orelse or not completes(statement.orelse):
                    side.extend(rest)
                    rest.clear()
            out.extend(self.statement(statement, depth, tail and not rest))
            if jumps and rest:
                out.extend(self.guarded(jumps, list(rest), depth, tail, header(statement)))
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
        """The flag that a `break` or `continue` of the innermost loop sets; none where the loop stays."""
        loop = self.loops[-1] if self.loops else None
        if loop is None:
            return ""
        return loop.continued if isinstance(jump, gast.Continue) else self.left.get(jump, loop.broken)

    def jumps_out_of(self, statement: gast.AST) -> list[str]:
        """The flags of the jumps that lead out of a statement to a lowered target."""
        flags: dict[str, None] = {}
        stack = [(statement, False)]
        while stack:
            node, in_loop = stack.pop()
            kind = type(node)
            if kind is gast.Return:
                flags[self.returned] = None
            elif kind is gast.Break or kind is gast.Continue:
                if not in_loop:
                    flags[self.flag_of(node)] = None
            elif kind not in _FLAT:
                inner = [
                    (child, in_loop or (kind in LOOPS and block is node.body))
                    for block in blocks(node)
                    for child in block
                ]
                stack += reversed(inner)
        return [flag for flag in flags if flag]

    def guarded(
        self, flags: list[str], rest: list[gast.AST], depth: int, tail: bool, place: gast.AST
    ) -> list[gast.AST]:
        """The rest, guarded by flags. The guard stands at the statement that jumps, which has run."""
        if depth < MAX_NESTING:
            return [self.guard(flags, rest, depth, tail, place)]
        out: list[gast.AST] = []
        chunk: list[gast.AST] = []
        for i, statement in enumerate(rest):
            chunk.append(statement)
            jumps = self.jumps_out_of(statement)
            if jumps or i == len(rest) - 1:
                out.append(self.guard(flags, chunk, depth, tail and i == len(rest) - 1, place))
                flags, chunk = list(dict.fromkeys([*flags, *jumps])), []
        return out

    def guard(
        self, flags: Iterable[str], block: list[gast.AST], depth: int, tail: bool, place: gast.AST
    ) -> gast.AST:
        test = at(negation(flags), place)
        return at(gast.If(test, self.block(block, depth + 1, tail=tail), []), place)

    def statement(self, statement: gast.AST, depth: int, tail: bool) -> list[gast.AST]:
        if isinstance(statement, (*FUNCTIONS, gast.ClassDef)):
            return [statement]
        if isinstance(statement, LOOPS):
            return self.loop(statement, depth)
        if isinstance(statement, TRIES) and statement.orelse:
            jumps = [f for s in statement.body for f in self.jumps_out_of(s)]
            if jumps:
                place = header(statement)
                statement.orelse = [self.guard(dict.fromkeys(jumps), statement.orelse, depth, False, place)]
        if isinstance(statement, gast.With) and statement.items[1:] and self.jumps_out_of(statement):
            inner = at(gast.With(statement.items[1:], statement.body, None), header(statement))
            statement.items, statement.body = statement.items[:1], [inner]
        undone = self.undone_jumps(statement)
        for block in blocks(statement):
            if block:
                block[:] = self.block(block, depth + 1, tail=tail and isinstance(statement, gast.If))
        if undone and isinstance(statement, gast.With):
            return self.unless_swallowed(statement, undone)
        for handler in statement.handlers if undone else ():
            place = header(handler.body[0])
            handler.body[:0] = [at(assign(flag, constant(False)), place) for flag in undone]
        return [statement]

    def undone_jumps(self, statement: gast.AST) -> list[str]:
        """Flags of jumps that a `finally` or `__exit__` on their way may turn into a caught exception."""
        if not getattr(statement, "handlers", None) and not isinstance(statement, gast.With):
            return []
        inner = [n for s in statement.body for n in within(s)]
        left = [n for n in inner if getattr(n, "finalbody", None) or isinstance(n, gast.With)]
        return list(dict.fromkeys(f for n in left for f in self.jumps_out_of(n)))

    def unless_swallowed(self, statement: gast.With, flags: list[str]) -> list[gast.AST]:
        """The `with`, and behind it a test whether its `__exit__` swallowed what undid the jumps."""
        place = header(statement)
        completed = self.context.namer.fresh("completed")
        statement.body.append(at(assign(completed, constant(True)), place))
        undo = [at(assign(flag, constant(False)), place) for flag in flags]
        after = gast.If(at(negation([completed]), place), undo, [])
        return [at(assign(completed, constant(False)), place), statement, at(after, place)]

    def open_loop(self, statement: gast.AST) -> list[gast.AST]:
        """Give the loop its flags and put its `else` behind it."""
        loop = _Loop(self.flag("broken"), self.flag("continued"))
        self.lowered[statement] = loop
        after: list[gast.AST] = []
        self.loops.append(loop)
        jumps = dict.fromkeys(flag for child in statement.body for flag in self.jumps_out_of(child))
        leaving = [flag for flag in jumps if flag not in (loop.continued, self.returned)]
        self.loops.pop()
        if statement.orelse:
            after = statement.orelse
            if leaving:
                test = at(negation(leaving), header(statement))
                after = [at(gast.If(test, after, []), header(statement))]
            statement.orelse = []
        before = [at(assign(flag, constant(False)), header(statement)) for flag in leaving]
        return [*before, statement, *after]

    def loop(self, statement: gast.AST, depth: int) -> list[gast.AST]:
        loop = self.lowered.get(statement)
        self.loops.append(loop)
        options = [s for s in statement.body if directive(s) is not None]
        if options:  # where no jump comes before them; a loop that stays has no use for them
            rest = [s for s in statement.body if s not in options]
            statement.body = [*(options if loop else []), *rest] or [at(gast.Pass(), options[0])]
        jumps = list(dict.fromkeys(f for child in statement.body for f in self.jumps_out_of(child)))
        body = self.block(statement.body, 0)
        self.loops.pop()
        if statement.orelse:
            statement.orelse = self.block(statement.orelse, depth + 1)
        if loop is None:
            statement.body = body
            return [statement]
        place = header(statement.body[0])
        leaving = [flag for flag in jumps if flag != loop.continued]
        # flags that end the loop are down in each round: said here, so that none is carried into the next
        start = [at(assign(flag, constant(False)), place) for flag in (loop.continued, *leaving)]
        statement.body = [*start, *body]
        if leaving:
            _test_also(statement, leaving)
        return [statement]

    def cut_chain(self, statement: gast.If) -> list[gast.AST]:
        """A long `if/elif/else` as several short ones in a row."""
        more = self.context.namer.fresh("unmatched")
        out: list[gast.AST] = [at(assign(more, constant(False)), header(statement))]
        part: list[gast.AST] = [statement]
        while True:
            first = arm = part[0]
            for _ in range(MAX_NESTING - 1):
                if not _continues(arm):
                    break
                arm = arm.orelse[0]
            rest = arm.orelse if _continues(arm) else []
            if rest:
                arm.orelse = [at(assign(more, constant(True)), header(arm))]
            if first is not statement:
                part = [at(assign(more, constant(False)), header(first)), *part]
                part = [at(gast.If(at(load(more), header(statement)), part, []), header(statement))]
            out.extend(part)
            if not rest:
                return out
            part = rest


def _chain_length(statement: gast.If) -> int:
    length = 1
    while _continues(statement):
        statement = statement.orelse[0]
        length += 1
    return length


def _continues(statement: gast.If) -> bool:
    return len(statement.orelse) == 1 and isinstance(statement.orelse[0], gast.If)


def _test_also(loop: gast.AST, flags: list[str]) -> None:
    test = at(negation(flags), header(loop))
    if isinstance(loop, gast.For):
        loop.iter = at(operator("until", loop.iter, lambda_(test)), loop.iter)
    elif is_endless(loop):
        loop.test = test
    else:
        loop.test = at(gast.BoolOp(gast.And(), [test, loop.test]), loop.test)


def _return_in_control_flow(
    statements: list[gast.AST], staying: Container[gast.AST], inside: bool = False
) -> bool:
    """Whether a `return` stands in what will become a closure."""
    for statement in statements:
        if isinstance(statement, gast.Return):
            if inside:
                return True
        elif not isinstance(statement, (*FUNCTIONS, gast.ClassDef)):
            moved = isinstance(statement, (*LOOPS, gast.If)) and statement not in staying
            for block in blocks(statement):
                if _return_in_control_flow(block, staying, inside or moved):
                    return True
    return False


def _without_unread(body: list[gast.AST], flags: set[str]) -> list[gast.AST]:
    """The body without assignments to flags that nothing tests; a jump's line is still a line that runs."""
    unread = set(flags)
    stack = list(body) if flags else []
    while stack:
        node = stack.pop()
        if type(node) is gast.Name and type(node.ctx) is gast.Load:
            unread.discard(node.id)
        stack += children(node)
    return (_cleaned(body, unread) if unread else body) or [gast.Pass()]


def _cleaned(block: list[gast.AST], unread: set[str]) -> list[gast.AST]:
    kept = []
    for statement in block:
        if isinstance(statement, gast.Assign):
            target = statement.targets[0]
            if isinstance(target, gast.Name) and target.id in unread:
                if statement.value.value is True:
                    kept.append(at(gast.Pass(), statement))
                continue
        elif type(statement) not in _FLAT:
            for inner in blocks(statement):
                if inner:
                    inner[:] = _cleaned(inner, unread) or [at(gast.Pass(), inner[0])]
        kept.append(statement)
    return kept
