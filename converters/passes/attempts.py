"""Conversion of `try` and `with` to operator calls.

    try:                          def try_body():
        y = f(x)                      nonlocal y
    except ValueError:                try:
        y = 0.0                           ag__.attempt()
                                          y = ag__.callee(f)(x)
                                      except ValueError:
                                          y = 0.0
                                  ag__.try_stmt(try_body, lambda: (ValueError,), ...)

If the body raises under a staged condition, the statement runs again, and `ag__.attempt()` raises the
exception.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import gast

from ..trees.builders import LOAD, at, constant, first_line, lambda_, load, operator
from .templates import closure, statement_call


def convert_attempt(self: Any, statement: gast.AST, point: Any, closures: list[gast.AST]) -> gast.AST:
    """Convert a `try` or `with` in the pass `ControlFlow`."""
    facts = self.facts
    changes, before, handled = facts.changes(statement), facts.entry(statement), facts.head(statement).live
    caught = handled.select(self.changed(changes))
    state = self.state(changes, facts.exit(statement).live, handled | before.live, before.unbound)
    self.convert_in_place(statement, replace(point, in_closure=True), closures)
    kinds = [
        load("BaseException") if handler.type is None else copy.deepcopy(handler.type)
        for handler in getattr(statement, "handlers", ())
    ]
    for item in getattr(statement, "items", ()):
        item.context_expr = at(operator("manager", lambda_(item.context_expr)), item.context_expr)
    statement.body.insert(0, at(gast.Expr(operator("attempt")), first_line(statement)))
    name = self.context.function_name("try_body")
    declarations = self.declarations(self.bound([statement]))
    closures.append(closure(point.loop or statement, name, [*declarations, statement]))
    return statement_call(
        statement, "try_stmt", load(name), lambda_(gast.Tuple(kinds, LOAD)),
        gast.Tuple([constant(name) for name in sorted(caught)], LOAD),
        *self.state_arguments(state, point, closures, statement, constant(len(state.outputs))),
    )  # fmt: skip
