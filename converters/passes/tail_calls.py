"""Rewriting of a tail-recursive function as a loop, for systems that cannot call a function from itself.

A *tail call* is `return f(...)` in the body of `f`, or `return self.f(...)` if `f` is a method. It becomes an
assignment to the parameters, and the next iteration of a loop around the body:

    def gcd(a, b):                  def gcd(a, b):
        if b == 0:                      while True:
            return a                        if b == 0:
        return gcd(b, a % b)                    return a
                                            a, b = b, a % b
                                            continue

A function is rewritten only if each use of its name is a tail call with one argument for each parameter, and
no variable may be read before it is assigned: an iteration would find the value of the previous one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast

from ..analysis.facts import Facts
from ..trees.builders import (
    LOAD,
    SCOPES,
    STORE,
    SUSPENSIONS,
    at,
    constant,
    docstring_length,
    parameters,
    store,
)


def loop_tail_calls(function: gast.AST, *, is_method: bool) -> bool:
    """Rewrite a function in place, and return True if it is tail-recursive; otherwise leave it unchanged."""
    if not isinstance(function, gast.FunctionDef) or function.args.vararg or function.args.kwarg:
        return False
    step = _TailCalls(function, is_method)
    nodes = [n for statement in function.body for n in gast.walk(statement)]
    calls = list(step.tail_calls(function.body))
    if not calls or any(isinstance(n, (gast.Lambda, *SCOPES, *SUSPENSIONS)) for n in nodes):
        return False
    if sum(map(step.is_own_name, nodes)) != len(calls) or None in map(step.arguments, calls):
        return False
    start = docstring_length(function.body)
    facts = Facts(function)
    own = facts.locals - {p.id for p in parameters(function)}
    if facts.start(function.body[start:]).live.select(own):
        return False
    body = step.block(function.body[start:])
    if not isinstance(body[-1], (gast.Return, gast.Raise, gast.Continue)):
        body.append(at(gast.Return(constant(None)), body[-1]))
    function.body[start:] = [at(gast.While(constant(True), body, []), body[0])]
    return True


class _TailCalls:
    """The tail calls of one function."""

    def __init__(self, function: gast.FunctionDef, is_method: bool):
        names = [p.id for p in parameters(function)]
        self.name, self.receiver = function.name, names[0] if is_method and names else ""
        args = function.args
        positional = [p.id for p in (*args.posonlyargs, *args.args)]
        self.positional = positional[1:] if self.receiver else positional
        self.names = names[1:] if self.receiver else names
        defaults = dict(zip(reversed(positional), reversed(args.defaults), strict=False))
        defaults.update(zip((p.id for p in args.kwonlyargs), args.kw_defaults, strict=True))
        self.defaults = {name: d for name, d in defaults.items() if isinstance(d, gast.Constant)}

    def is_own_name(self, node: gast.AST) -> bool:
        """Return whether a node refers to the function, or assigns its name or that of the receiver."""
        if self.receiver:
            is_receiver = isinstance(node, gast.Name) and node.id == self.receiver
            is_assigned = is_receiver and isinstance(node.ctx, gast.Store)
            return is_assigned or (isinstance(node, gast.Attribute) and node.attr == self.name)
        return isinstance(node, gast.Name) and node.id == self.name

    def is_call(self, node: gast.AST) -> bool:
        if not isinstance(node, gast.Call) or not self.is_own_name(node.func):
            return False
        owner: Any = getattr(node.func, "value", None)
        return not self.receiver or (isinstance(owner, gast.Name) and owner.id == self.receiver)

    def tail_calls(self, statements: list[gast.AST]) -> Iterator[gast.Call]:
        for statement in statements:
            if isinstance(statement, gast.Return) and statement.value is not None:
                yield from self._returned_calls(statement.value)
            elif isinstance(statement, gast.If):
                yield from self.tail_calls(statement.body)
                yield from self.tail_calls(statement.orelse)

    def _returned_calls(self, value: gast.AST) -> Iterator[gast.Call]:
        if isinstance(value, gast.IfExp):
            yield from self._returned_calls(value.body)
            yield from self._returned_calls(value.orelse)
        elif self.is_call(value):
            yield value

    def arguments(self, call: gast.Call) -> list[tuple[str, gast.AST]] | None:
        """Return each parameter with its argument, or None if the call does not name each of them."""
        if len(call.args) > len(self.positional) or any(isinstance(a, gast.Starred) for a in call.args):
            return None
        given = dict(zip(self.positional, call.args, strict=False))
        for keyword in call.keywords:
            if keyword.arg not in self.names or keyword.arg in given:
                return None
            given[keyword.arg] = keyword.value
        values = {**self.defaults, **given}
        if any(name not in values for name in self.names):
            return None
        return [(name, values[name]) for name in self.names]

    def block(self, statements: list[gast.AST]) -> list[gast.AST]:
        out: list[gast.AST] = []
        for statement in statements:
            if isinstance(statement, gast.Return) and statement.value is not None:
                out += self._return(statement.value, statement)
                continue
            if isinstance(statement, gast.If):
                statement.body, statement.orelse = self.block(statement.body), self.block(statement.orelse)
            out.append(statement)
        return out

    def _return(self, value: gast.AST, statement: gast.AST) -> list[gast.AST]:
        if isinstance(value, gast.IfExp) and any(self._returned_calls(value)):
            sides = self._return(value.body, value.body), self._return(value.orelse, value.orelse)
            return [at(gast.If(value.test, *sides), statement)]
        if not self.is_call(value):
            return [at(gast.Return(value), statement)]
        pairs = self.arguments(value) or []
        changed = [(n, v) for n, v in pairs if not (isinstance(v, gast.Name) and v.id == n)]
        out = []
        if len(changed) == 1:
            out.append(gast.Assign([store(changed[0][0])], changed[0][1], None))
        elif changed:
            targets = gast.Tuple([store(name) for name, _ in changed], STORE)
            out.append(gast.Assign([targets], gast.Tuple([v for _, v in changed], LOAD), None))
        return [at(node, statement) for node in (*out, gast.Continue())]
