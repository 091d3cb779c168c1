"""Descriptions of how a statement is converted, one line per operator."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

import gast

from ..analysis import dotted_name
from ..trees.builders import FUNCTIONS, operator_name
from .unsupported import Span, UnsupportedConstruct


@dataclass
class Statement:
    """How one statement is converted.

    `span` includes decorators, and `own_span` does not. `parent` is the index of the enclosing statement.
    `becomes` describes the result.
    """

    span: Span
    own_span: Span
    kind: type
    depth: int
    parent: int | None
    in_class_body: bool
    operator_calls: list[tuple[str, tuple[int, int], gast.AST]] = field(default_factory=list)
    python_nodes: list[tuple[tuple[int, int], gast.AST]] = field(default_factory=list)
    unsupported: list[UnsupportedConstruct] = field(default_factory=list)
    becomes: tuple[str, ...] = ()


UNCHANGED = "unchanged"

STATEMENTS = {
    "if_stmt": "a staged conditional if its test is staged",
    "while_stmt": "a staged loop if its test is staged",
    "for_stmt": "a staged loop if its iterable is staged",
}
OPERATORS = {
    "and_": "'and' becomes a conditional if an operand is staged",
    "or_": "'or' becomes a conditional if an operand is staged",
    "not_": "'not' is staged if its operand is",
    "if_exp": "'if else' becomes a conditional if its test is staged",
    "in_": "'in' is staged if an operand is",
    "not_in": "'not in' is staged if an operand is",
    "compare": "compared item by item if the operands are tuples or lists with staged items",
    "is_none": "'is None' is staged if its operand may be None when the graph runs",
    "is_": "'is' is refused for objects that stand for items of a staged list, or that a condition selects",
    "list_comp": "a staged map if its iterable is staged",
    "generated": "part of the loop or builtin that consumes its items",
    "keep": "its condition may be staged",
    "get_item": "the index may be staged",
    "set_item": "assigns an item; the index may be staged",
    "text": "formatted when the graph runs, if a value in it is staged",
    "assert_stmt": "checked when the graph runs, if its test is staged",
    "visible": "the names of the function, without those that conversion added",
    "framed": "sees only the user's frames",
    "caller": "skips frames that are not the user's",
}
PYTHON_NODES: dict[type, str] = {
    gast.SetComp: "a set comprehension stays in Python",
    gast.DictComp: "a dict comprehension stays in Python",
    gast.GeneratorExp: "a generator expression stays in Python",
    gast.ListComp: "a list comprehension of this form stays in Python",
    **dict.fromkeys((gast.Yield, gast.YieldFrom, gast.Await), "suspends the function"),
}
STATEMENT_KINDS: dict[type, str] = {
    **dict.fromkeys(FUNCTIONS, "a function, converted separately"),
    gast.Try: "its parts are converted; handlers are conditions on what is raised",
    gast.TryStar: "its parts are converted; it does not catch errors that the graph raises",
    gast.ClassDef: "methods are converted; Python runs the body",
    gast.With: "its body is converted; the exit method runs during tracing, once more for each exception",
    gast.AsyncWith: "stays in Python, and its body is converted",
    gast.AsyncFor: "stays in Python, and its body is converted",
    gast.Raise: "unchanged; under a staged condition, raised when the graph runs",
}


def describe(statement: Statement, added: Collection[str]) -> tuple[str, ...]:
    """Describe how a statement is converted. `added` contains the names that passes added to its function."""
    if statement.in_class_body and statement.kind not in FUNCTIONS:
        lines = ["in a class body, which Python runs"]
    else:
        expressions = dict.fromkeys(_describe_expressions(statement, added))
        lines = [*_describe_control(statement, added), *expressions]
    return (*(lines or [UNCHANGED]), *describe_unsupported(statement.unsupported))


def describe_unsupported(unsupported: list[UnsupportedConstruct]) -> tuple[str, ...]:
    return tuple(f"{construct.reason}; {construct.rule.remedy}" for construct in unsupported)


def _describe_control(statement: Statement, added: Collection[str]) -> Iterator[str]:
    kind = statement.kind
    own = [n for at, n in statement.python_nodes if at == statement.own_span.start and type(n) is kind]
    if kind in (gast.If, gast.While, gast.For, gast.Match):
        calls = [c for c in statement.operator_calls if c[0] in STATEMENTS and _is_own(statement, *c[1:])]
        for name, _, call in calls:
            carried = [c.value for c in call.args[-2].elts if c.value not in added]
            carries = f"; carries {', '.join(carried)}" if carried else ""
            yield f"ag__.{name}: {STATEMENTS[name]}{carries}"
        if not calls and not own:
            yield "never runs" if kind is not gast.Match else "its case always matches: only its body remains"
        elif not calls:
            yield "stays in Python" if statement.unsupported else "stays in Python: its test is always plain"
    elif kind is gast.Return and not own:
        yield (
            "the value is carried out of the branches and loops around it"
            if statement.depth
            else "returns, unless a branch or loop has returned"
        )
    elif kind is gast.Break and not own:
        yield "a flag that the loop tests"
    elif kind is gast.Continue and not own:
        yield "the rest of the loop's body becomes a branch"
    elif kind in STATEMENT_KINDS:
        yield STATEMENT_KINDS[kind]


def _is_own(statement: Statement, at: tuple[int, int], call: gast.AST) -> bool:
    """Return whether an operator call replaces the statement itself, rather than testing a jump's flag."""
    if statement.kind is gast.Match:
        return at != statement.own_span.start
    test = call.args[0]
    is_flag = getattr(test, "lineno", None) == at[0] and test.col_offset == at[1]
    return at == statement.own_span.start and not is_flag


def tests_flag(call: gast.AST, added: Collection[str]) -> bool:
    """Return whether an operator call tests the flag of a jump: `not_(broken)`, or `and_` of such a test."""
    name = operator_name(call)
    operand = call.args[0] if name in ("and_", "not_") else None
    if isinstance(operand, gast.Lambda):
        return tests_flag(operand.body, added)
    return name == "not_" and isinstance(operand, gast.Name) and operand.id in added


def _describe_expressions(statement: Statement, added: Collection[str]) -> Iterator[str]:
    is_compound = statement.kind not in (gast.Expr, gast.Assign, gast.AugAssign, gast.AnnAssign, gast.Assert)
    called: list[str] = []
    for name, at, call in statement.operator_calls:
        if name == "callee":
            function = call.args[0]
            is_framed = operator_name(function) == "framed"
            called.append(dotted_name(function.args[0] if is_framed else function) or "")
        elif name in OPERATORS and not (
            (is_compound and at == statement.own_span.start) or tests_flag(call, added)
        ):
            yield f"ag__.{name}: {OPERATORS[name]}"
    named = [name for name in dict.fromkeys(called) if name not in ("", "print")]
    if named or "" in called:
        yield f"ag__.callee: converted or staged when called: {', '.join(named) or 'its callee'}"
    if "print" in called:
        yield "ag__.callee: print runs with the graph if an argument is staged"
    maps = {at for name, at, _ in statement.operator_calls if name == "list_comp"}
    for at, node in statement.python_nodes:
        if type(node) in PYTHON_NODES and not (type(node) is gast.ListComp and at in maps):
            yield PYTHON_NODES[type(node)]
