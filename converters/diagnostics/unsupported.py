"""Rules for constructs that cannot be staged, and detection of the tests that Python evaluates.

A *rule* is one reason, identified by a stable code. Its *detail* names the user's code, such as
`'yield' (line 7)`, and `about` is the detail to use where no code is at hand. An unsupported construct raises
an error only if it is run on a staged value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import gast

from ..analysis import rule_for
from ..passes.expressions import is_plain
from ..trees.builders import COMPREHENSIONS, DEFINITIONS, children, operator_name


@dataclass(frozen=True)
class Rule:
    """Reason why a construct cannot be staged, and its remedy."""

    code: str
    name: str
    reason: str
    remedy: str
    about: str = ""

    @property
    def summary(self) -> str:
        """The reason, with the general detail `about`."""
        return self.reason.format(detail=self.about)


_RULES = (
    Rule(
        "AG001",
        "suspends",
        "it contains {detail}, and only the function itself can be suspended",
        "loop directly over the call of a generator function, or move the condition to a separate function",
        "'yield', 'await', 'async for' or 'async with'",
    ),
    Rule(
        "AG002",
        "reads-the-frame",
        "it contains {detail}, which reads the function's own frame",
        "read the variables by name",
        "locals(), vars(), dir(), eval() or exec()",
    ),
    Rule(
        "AG003",
        "leaves-a-finally",
        "a jump leaves the 'finally' of {detail}",
        "jump after the 'try' statement",
        "a 'try'",
    ),
    Rule(
        "AG004",
        "matches-a-structure",
        "Python itself matches the structure of a subject",
        "match a tuple, list or object that holds the staged values",
    ),
    Rule(
        "AG005",
        "condition-in-a-comprehension",
        (
            "only comprehensions, and generator expressions that are consumed at once, can be staged, "
            "without ':=' and 'await', and in a lambda only with one 'for'"
        ),
        "use a list comprehension, as in sum([...]), or a loop",
    ),
    Rule(
        "AG006",
        "binds-in-an-expression",
        "{detail} binds a name in an operand that may be skipped",
        "assign the name in a preceding statement",
        "':='",
    ),
    Rule(
        "AG007",
        "class-body",
        "Python runs the body of a class",
        "test the condition before the class or in a method",
    ),
    Rule(
        "AG008",
        "called-by-python",
        "Python calls {detail} directly, without conversion",
        "move the condition to a method with another name and call it, or use np.where",
        "a special method such as __hash__",
    ),
    Rule(
        "AG012",
        "width-in-an-f-string",
        "a width or precision must be known at trace time",
        "use a plain number",
    ),
)
RULES = {rule.code: rule for rule in _RULES}


@dataclass(frozen=True)
class Span:
    """Source range of a node, with lines from 1 and columns in bytes from 0, as in `ast`."""

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
class UnsupportedConstruct:
    """Construct that cannot be staged, with its rule."""

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


def blocked_construct(node: gast.AST, cause: gast.AST, construct: str) -> UnsupportedConstruct:
    """Describe a node that stays in Python because of the node `cause`."""
    code, description = rule_for(cause)
    detail = description if code == "AG002" else f"'{description}'"
    if code == "AG003":
        detail = f"the {detail}"
    if code != "AG006":
        located = cause.target if type(cause) is gast.comprehension else cause
        detail += f" (line {located.lineno})"
    return UnsupportedConstruct(Span.of(node), code, construct, detail)


PLAIN_CALLS = frozenset(("isinstance", "issubclass", "callable"))


def is_always_plain(test: gast.AST) -> bool:
    """Return whether a test, converted or not, is plain whatever its operands are."""
    if is_plain(test):
        return True
    name = operator_name(test)
    if name in ("and_", "or_", "not_"):
        return all(is_always_plain(a.body if type(a) is gast.Lambda else a) for a in test.args)
    if type(test) is gast.Call:
        func = test.func.args[0] if operator_name(test.func) == "callee" else test.func
        return type(func) is gast.Name and func.id in PLAIN_CALLS
    if type(test) is gast.UnaryOp:
        return type(test.op) is gast.Not and is_always_plain(test.operand)
    return type(test) is gast.BoolOp and all(map(is_always_plain, test.values))


def python_tests(body: list[gast.AST]) -> Iterator[tuple[str, gast.AST]]:
    """Yield the constructs in unconverted code whose tests Python evaluates, each with its test."""
    stack, tested = body[::-1], set()
    while stack:
        node = stack.pop()
        if node in tested or isinstance(node, (*DEFINITIONS, gast.Lambda)):
            continue
        for construct, test in _tests(node):
            tested.add(test)
            if not is_always_plain(test):
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
