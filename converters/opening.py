"""Operators of statements, opened: what they do on plain values stands in the place of their call.

`if_stmt(test, ...)` becomes a `match` that runs the branch itself where the test is `True` or `False`, and calls the
operator, over closures that are made only then, where it is anything else. So a plain run makes few
closures and few calls, and a staged one is the operators' as ever.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Set
from typing import Any

import gast

from .trees import FUNCTIONS, OPERATORS, at, children, header, load, operator, operator_name, store

TEST = "ag__test"
ITEMS = "ag__items"
MAX_NESTED = 3
Closures = dict[str, gast.FunctionDef]


def opened(tree: gast.AST, added: Set[str]) -> gast.AST:
    """A new tree of a converted function, which shares what is the same in both."""
    if type(tree) not in FUNCTIONS:
        return tree
    return _Opening(added).function(tree)


class _Opening:
    def __init__(self, added: Set[str]):
        self.added = added

    def function(self, node: Any) -> gast.AST:
        return _with(node, body=self.block(node.body, {}, 0))

    def block(self, statements: list[Any], known: Closures, depth: int) -> list[gast.AST]:
        """Statements; `known` are the closures that are made by then, `depth` counts branches around."""
        out: list[gast.AST] = []
        known = dict(known)
        pending: Closures = {}
        sunk: set[str] = set()  # those among them that are made where an operator is called
        for statement in statements:
            kind = type(statement)
            if kind is gast.FunctionDef and statement.name in self.added:
                pending[statement.name] = known[statement.name] = statement
                sunk.discard(statement.name)
                continue
            name = operator_name(statement.value) if kind is gast.Expr else None
            if name == "if_stmt" and depth < MAX_NESTED:
                used = {arg.id for arg in statement.value.args[1:] if type(arg) is gast.Name}
                if pending.keys() - used - sunk:
                    self.make(pending, [statement.value.args[0]], sunk, out)
                out.append(self.if_(statement, known, {n: c for n, c in pending.items() if n in used}, depth))
                sunk |= pending.keys() & used
                continue
            if pending:
                self.make(pending, [statement], sunk, out)
            if name in _LOOPS:
                out.append(_LOOPS[name](self, statement, known) or statement)
            else:
                out.append(self.inside(statement, known, depth))
        return out or [gast.Pass()]

    def make(self, pending: Closures, users: list[gast.AST], sunk: set[str], out: list[gast.AST]) -> None:
        """Make the closures here that something refers to, by itself or by others."""
        wanted: Closures = {}
        while users:
            found = _mentioned(users, pending)
            users = []
            for name in found:
                closure = wanted[name] = pending.pop(name)
                users.append(closure)
        out += wanted.values()

    def inside(self, statement: Any, known: Closures, depth: int) -> gast.AST:
        """A statement that is no operator, with those that it holds opened."""
        kind = type(statement)
        if kind in FUNCTIONS:
            return self.function(statement)
        if kind is gast.ClassDef:
            return _with(statement, body=[self.inside(s, {}, 0) for s in statement.body])
        changed: dict[str, Any] = {}
        for field in ("body", "orelse", "finalbody"):
            block = getattr(statement, field, None)
            if isinstance(block, list) and block:
                changed[field] = self.block(block, known, depth)
        for field in ("handlers", "cases"):
            parts = getattr(statement, field, None)
            if parts:
                changed[field] = [_with(part, body=self.block(part.body, known, depth)) for part in parts]
        return _with(statement, **changed) if changed else statement

    def run(self, closure: gast.AST, known: Closures, depth: int) -> list[gast.AST]:
        """What a closure does, in its place."""
        if type(closure) is gast.Attribute:  # ag__.nothing
            return [gast.Pass()]
        return self.block(_own(known[closure.id]), known, depth)

    def if_(self, statement: gast.Expr, known: Closures, pending: Closures, depth: int) -> gast.AST:
        call = statement.value
        test, body, orelse, *rest = call.args
        inner = depth + 1 if pending else depth
        then, other = self.run(body, known, inner), self.run(orelse, known, inner)
        return _match(
            statement,
            test,
            then,
            other,
            lambda value: [*pending.values(), operator("if_stmt", value, body, orelse, *rest)],
        )

    def while_(self, statement: gast.Expr, known: Closures) -> gast.AST | None:
        call = statement.value
        test, body, *rest = call.args
        found = known.get(test.id)
        if rest[-1].keys or found is None:
            return None
        [*_, returned] = _own(found)
        inner = _match(
            statement,
            returned.value,
            self.run(body, known, 0),
            [gast.Break()],
            lambda value: [operator("while_rest", value, test, body, *rest), gast.Break()],
        )
        return at(gast.While(gast.Constant(True, None), [inner], []), header(statement))

    def for_(self, statement: gast.Expr, known: Closures) -> gast.AST | None:
        call = statement.value
        _, until, body, *rest = call.args
        found = known.get(body.id)
        if len(rest[-1].keys) != 1 or found is None:
            return None
        bind, *statements = _own(found)
        run = self.block(statements, known, 0)
        items: gast.AST = at(gast.Call(_attribute("for_items"), call.args, []), call)
        if type(until) is gast.Name:
            [*_, returned] = _own(known[until.id])
            items = at(gast.NamedExpr(store(ITEMS), items), items)
            run.append(
                _match(
                    statement,
                    returned.value,
                    [gast.Pass()],
                    [gast.Break()],
                    lambda value: [operator("for_rest", value, load(ITEMS), *call.args[1:-1]), gast.Break()],
                )
            )
        return at(gast.For(bind.targets[0], items, run, [], None), header(statement))


_LOOPS = {"while_stmt": _Opening.while_, "for_stmt": _Opening.for_}


def _match(
    place: gast.AST,
    subject: gast.AST,
    true: list[gast.AST],
    false: list[gast.AST],
    other: Callable[[gast.AST], list[gast.AST]],
) -> gast.AST:
    """What is done for `True`, for `False` and for any other value, which `other` is told how to read."""
    value: gast.AST = load(TEST)
    while operator_name(subject) == "not_":
        subject, value = subject.args[0], at(operator("not_", value), subject)
        true, false = false, true
    head = header(place)
    rest = [
        at(gast.Expr(part), place)
        if isinstance(part, gast.Call)
        else at(part, head)
        if isinstance(part, gast.Break)
        else part
        for part in other(value)
    ]
    cases = [
        gast.match_case(at(gast.MatchSingleton(True), head), None, true),
        gast.match_case(at(gast.MatchSingleton(False), head), None, false),
        gast.match_case(at(gast.MatchAs(None, TEST), head), None, rest),
    ]
    return at(gast.Match(subject, cases), head)


def _own(closure: gast.FunctionDef) -> list[Any]:
    """The statements of a closure without its declarations."""
    return [s for s in closure.body if type(s) not in (gast.Nonlocal, gast.Global)]


def _attribute(name: str) -> gast.AST:
    return gast.Attribute(load(OPERATORS), name, gast.Load())


def _with(node: gast.AST, **changed: Any) -> gast.AST:
    """A node like another, but for some fields."""
    made = type(node).__new__(type(node))
    made.__dict__.update(node.__dict__, **changed)
    return made


def _mentioned(trees: list[gast.AST], names: Container[str]) -> set[str]:
    """Which of some names trees hold."""
    found = set()
    stack = list(trees)
    while stack:
        node = stack.pop()
        if type(node) is gast.Name and node.id in names:
            found.add(node.id)
        stack += children(node)
    return found
