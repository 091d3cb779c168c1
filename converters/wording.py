"""What becomes of a statement, in words: a line for each operator at its place, and for what stays."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

import gast

from .analysis import dotted
from .places import Place, Span
from .trees import FUNCTIONS, TRIES, operator_name


@dataclass
class Draft:
    """A statement: what the passes made at its place, what they kept there, and what cannot be staged.

    `span` begins with the first decorator, `place` with the statement itself.
    """

    span: Span
    place: Span
    kind: type
    depth: int
    above: int | None
    is_of_class: bool
    made: list[tuple[str, tuple[int, int], gast.AST]] = field(default_factory=list)
    kept: list[tuple[tuple[int, int], gast.AST]] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)


AS_IT_IS = "as it is"

STATEMENTS = {
    "if_stmt": "a condition where its test is staged",
    "while_stmt": "a loop where its test is staged",
    "for_stmt": "a loop where what it iterates is staged",
}
OPERATORS = {
    "and_": "'and' is a condition where an operand is staged",
    "or_": "'or' is a condition where an operand is staged",
    "not_": "'not' of a staged value is staged",
    "if_exp": "'if else' is a condition where its test is staged",
    "in_": "'in' is staged where an operand is",
    "not_in": "'not in' is staged where an operand is",
    "list_comp": "a map over what is iterated, where that is staged",
    "keep": "the condition in it may be staged",
    "get_item": "an item, also of a staged index",
    "set_item": "an item is written, also at a staged index",
    "text": "text of the run, where a value in it is staged",
    "assert_stmt": "checked when the graph runs, where the test is staged",
    "visible": "the names of the function, without those that were added",
    "framed": "sees no frames but the user's",
    "caller": "passes over frames that are not the user's",
}
KEPT: dict[type, str] = {
    gast.SetComp: "a set comprehension stays: Python iterates",
    gast.DictComp: "a dict comprehension stays: Python iterates",
    gast.GeneratorExp: "a generator expression stays: Python iterates",
    gast.ListComp: "a list comprehension of this form stays: Python iterates",
    **dict.fromkeys((gast.Yield, gast.YieldFrom, gast.Await), "suspends the function"),
}
KINDS: dict[type, str] = {
    **dict.fromkeys(FUNCTIONS, "a function of its own"),
    **dict.fromkeys(TRIES, "stays, and its parts are converted; it does not catch what the graph raises"),
    gast.ClassDef: "methods are converted; the body is run by Python",
    gast.With: "stays, and what is inside is converted; the exit method runs when the trace does",
    gast.AsyncWith: "stays, and what is inside is converted",
    gast.AsyncFor: "stays, and its body is converted",
    gast.Raise: "as it is; under a staged condition, raised when the graph runs",
}


def describe(draft: Draft, added: Collection[str]) -> tuple[str, ...]:
    """What becomes of a statement; `added` are the names that the passes added to its function."""
    if draft.is_of_class and draft.kind not in FUNCTIONS:
        lines = ["in the body of a class, which is run by Python"]
    else:
        lines = [*_statement(draft, added), *dict.fromkeys(_expressions(draft))]
    return (*(lines or [AS_IT_IS]), *refused(draft.places))


def refused(places: list[Place]) -> tuple[str, ...]:
    return tuple(f"{place.reason}; {place.rule.remedy}" for place in places)


def _statement(draft: Draft, added: Collection[str]) -> Iterator[str]:
    kind = draft.kind
    own = [n for at, n in draft.kept if at == draft.place.start and type(n) is kind]
    if kind in (gast.If, gast.While, gast.For, gast.Match):
        calls = [
            (name, call) for name, at, call in draft.made if name in STATEMENTS and _is_own(draft, at, call)
        ]
        for name, call in calls:
            carried = [c.value for c in call.args[-2].elts if c.value not in added]
            carries = f"; carries {', '.join(carried)}" if carried else ""
            yield f"ag__.{name}: {STATEMENTS[name]}{carries}"
        if not calls and not own:
            yield "never runs" if kind is not gast.Match else "a case that always matches: its body alone"
        elif not calls:
            yield "stays" if draft.places else "stays: its test is plain, whatever is staged"
    elif kind is gast.Return and not own:
        yield (
            "the value is carried out of the branches and loops around it"
            if draft.depth
            else "what is returned where nothing has been before"
        )
    elif kind is gast.Break and not own:
        yield "a flag, which the loop tests"
    elif kind is gast.Continue and not own:
        yield "the rest of the loop's body becomes a branch"
    elif kind in KINDS:
        yield KINDS[kind]


def _is_own(draft: Draft, at: tuple[int, int], call: gast.AST) -> bool:
    """Whether an operator call is the statement itself, and no test of a flag that a jump in it set."""
    if draft.kind is gast.Match:
        return at != draft.place.start
    test = call.args[0]
    is_flag = getattr(test, "lineno", None) == at[0] and test.col_offset == at[1]
    return at == draft.place.start and not is_flag


def _expressions(draft: Draft) -> Iterator[str]:
    is_compound = draft.kind not in (gast.Expr, gast.Assign, gast.AugAssign, gast.AnnAssign, gast.Assert)
    called: list[str] = []
    for name, at, call in draft.made:
        if name == "callee":
            called.append(_callee(call.args[0]))
        elif name in OPERATORS and not (is_compound and at == draft.place.start):
            yield f"ag__.{name}: {OPERATORS[name]}"
    named = [name for name in dict.fromkeys(called) if name not in ("", "print")]
    if named or "" in called:
        yield f"ag__.callee: converted when called, or staged: {', '.join(named) or 'what it calls'}"
    if "print" in called:
        yield "ag__.callee: print prints when the graph runs, where what it prints is staged"
    maps = {at for name, at, _ in draft.made if name == "list_comp"}
    for at, node in draft.kept:
        if type(node) in KEPT and not (type(node) is gast.ListComp and at in maps):
            yield KEPT[type(node)]


def _callee(function: gast.AST) -> str:
    if operator_name(function) == "framed":
        function = function.args[0]
    return dotted(function) or ""
