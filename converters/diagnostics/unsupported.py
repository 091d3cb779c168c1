"""Places that cannot be staged, and why: each raises where what decides there is a staged value.

A *rule* is one reason, under a code that stays what it is; a *place* is one construct that a rule is about.
A *detail* says what in the code the reason is, `yield (line 7)`; `about` is what it may be.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import gast

from .anchors import rule_of
from .passes.expressions import is_plain
from .trees import COMPREHENSIONS, FUNCTIONS, children, operator_name


@dataclass(frozen=True)
class Rule:
    """A reason for which a construct cannot be staged, and what to write instead."""

    code: str
    name: str
    reason: str
    remedy: str
    about: str = ""

    @property
    def summary(self) -> str:
        """The reason, of no place in particular."""
        return self.reason.format(detail=self.about)


_RULES = (
    Rule(
        "AG001",
        "suspends",
        "it holds {detail}, and only the function itself can be suspended",
        "collect in a list what it yields, and return that; or decide in a function of its own",
        "'yield', 'await', 'async for' or 'async with'",
    ),
    Rule(
        "AG002",
        "reads-the-frame",
        "it holds {detail}, which reads the function's own frame",
        "name the values that are needed",
        "locals(), vars(), dir(), eval() or exec()",
    ),
    Rule(
        "AG003",
        "leaves-a-finally",
        "a jump leaves the 'finally' of {detail}",
        "jump behind the 'try' statement",
        "a 'try'",
    ),
    Rule(
        "AG004",
        "matches-a-structure",
        "a sequence, mapping or class pattern is matched by Python",
        "use 'if', or patterns that are values",
    ),
    Rule(
        "AG005",
        "condition-in-a-comprehension",
        "of comprehensions only that of a list, over one iterable and without ':=' or 'await', is staged",
        "write such a list comprehension, or a loop",
    ),
    Rule(
        "AG006",
        "binds-in-an-expression",
        "{detail} binds a name in a part of an expression that a staged value may skip",
        "assign the name in a statement before",
        "':='",
    ),
    Rule(
        "AG007",
        "class-body",
        "the body of a class is run by Python",
        "decide before the class, or in a method",
    ),
    Rule(
        "AG008",
        "called-by-python",
        "Python itself calls {detail}, unconverted",
        "decide in a method of another name, and call that, or compute with np.where",
        "special methods and properties",
    ),
    Rule(
        "AG009",
        "raises-in-a-try",
        "the 'try' {detail} has an 'except', and has ended when the graph raises",
        "test the condition instead of catching the exception",
        "around it",
    ),
    Rule(
        "AG010",
        "none-on-one-path",
        "the function returns None on one path and a value on the other",
        "return values of one type on each path",
    ),
    Rule(
        "AG011",
        "member-of-a-set",
        "the members of a set have to be known while the graph is built",
        "use an array or a list",
    ),
    Rule(
        "AG012",
        "width-in-an-f-string",
        "a width or precision has to be plain",
        "use a plain number",
    ),
    Rule(
        "AG013",
        "changes-a-staged-list",
        "the length of {detail} then depends on staged values, and such a list has no insert, remove or sort",
        "use append, extend, pop, del or an index, or an array",
        "the list",
    ),
)
RULES = {rule.code: rule for rule in _RULES}


@dataclass(frozen=True)
class Span:
    """Where a node stands: lines from 1, columns in bytes from 0, as trees have them."""

    line: int
    column: int
    end_line: int
    end_column: int

    @classmethod
    def of(cls, node: gast.AST) -> Span:
        return cls(node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)

    @property
    def start(self) -> tuple[int, int]:
        return self.line, self.column

    @property
    def end(self) -> tuple[int, int]:
        return self.end_line, self.end_column


@dataclass(frozen=True)
class Place:
    """A construct that cannot be staged."""

    span: Span
    code: str
    construct: str
    detail: str = ""

    @property
    def rule(self) -> Rule:
        return RULES[self.code]

    @property
    def reason(self) -> str:
        reason = self.rule.reason.format(detail=self.detail)
        return f"'{self.construct}' cannot be staged: {reason}"


def kept_by(node: gast.AST, anchor: gast.AST, construct: str) -> Place:
    """The place of what stays in Python on account of another node, its anchor."""
    code, what = rule_of(anchor)
    detail = what if code == "AG002" else f"'{what}'"
    if code == "AG003":
        detail = f"the {detail}"
    if code != "AG006":
        at = anchor.target if type(anchor) is gast.comprehension else anchor
        detail += f" (line {at.lineno})"
    return Place(Span.of(node), code, construct, detail)


PLAIN_CALLS = frozenset(("isinstance", "issubclass", "callable"))


def decides_nothing(test: gast.AST) -> bool:
    """Whether a test is plain whatever it is about, as written or converted."""
    if is_plain(test):
        return True
    name = operator_name(test)
    if name in ("and_", "or_", "not_"):
        return all(decides_nothing(a.body if type(a) is gast.Lambda else a) for a in test.args)
    if type(test) is gast.Call:
        func = test.func.args[0] if operator_name(test.func) == "callee" else test.func
        return type(func) is gast.Name and func.id in PLAIN_CALLS
    if type(test) is gast.UnaryOp:
        return type(test.op) is gast.Not and decides_nothing(test.operand)
    return type(test) is gast.BoolOp and all(map(decides_nothing, test.values))


def decisions(body: list[gast.AST]) -> Iterator[tuple[str, gast.AST]]:
    """What Python itself decides in code that is not converted: the construct, and what it tests."""
    stack, tested = body[::-1], set()
    while stack:
        node = stack.pop()
        if node in tested or isinstance(node, (*FUNCTIONS, gast.Lambda, gast.ClassDef)):
            continue
        for construct, test in _tests(node):
            tested.add(test)
            if not decides_nothing(test):
                yield construct, test
        if node not in tested:
            stack.extend([*children(node)][::-1])


def _tests(node: gast.AST) -> Iterator[tuple[str, gast.AST]]:
    kind = type(node)
    if kind in (gast.If, gast.While, gast.Assert):
        yield kind.__name__.lower(), node.test
    elif kind is gast.IfExp:
        yield "if else", node.test
    elif kind is gast.BoolOp:
        yield type(node.op).__name__.lower(), node
    elif kind is gast.UnaryOp and type(node.op) is gast.Not:
        yield "not", node
    elif kind is gast.Compare and len(node.ops) > 1:
        yield "comparison", node
    elif kind in COMPREHENSIONS:
        for generator in node.generators:
            for condition in generator.ifs:
                yield "if in a comprehension", condition
    elif kind is gast.Match:
        yield "match", node.subject
