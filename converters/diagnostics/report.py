"""Report of how each statement of a function is converted.

Observer passes run among the ordinary ones. In the converted tree, an operator call at the location of the
user's code shows what was converted, and a guard shows what was left unconverted.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Iterator
from dataclasses import dataclass, field, replace

import gast

from .. import convert_tree
from ..analysis import Facts, blocking_node
from ..passes.base import Pass
from ..passes.expressions import is_plain
from ..pipeline import Pipeline
from ..trees.builders import FUNCTIONS, blocks, children, evaluated_at_definition, operator_name
from .descriptions import UNCHANGED, Statement, describe, describe_unsupported
from .static_checks import called_by_python, decorators, find_unsupported
from .unsupported import Span, UnsupportedConstruct, blocked_construct, is_always_plain


@dataclass
class FunctionReport:
    """How one function is converted.

    `span` includes decorators. `caller` describes a special method or property, and is "" otherwise.
    `unconverted` maps each statement left in Python to the pinned node that keeps it there.
    """

    node: gast.AST
    name: str
    span: Span
    caller: str
    statements: list[Statement] = field(default_factory=list)
    unsupported: list[UnsupportedConstruct] = field(default_factory=list)
    unconverted: dict[gast.AST, gast.AST] = field(default_factory=dict)
    added: frozenset[str] = frozenset()
    unconverted_reason: str = ""

    def at(self, position: tuple[int, int]) -> Statement | None:
        """Return the innermost statement at a position."""
        index: int | None = bisect_right(self.statements, position, key=lambda s: s.span.start) - 1
        while index is not None and index >= 0:
            statement = self.statements[index]
            if position < statement.span.end:
                return statement
            index = statement.parent
        return None


def report(tree: gast.AST) -> list[FunctionReport]:
    """Convert the functions in a tree in place, and report them in source order."""
    functions = {f.node: f for f in _functions(tree)}

    class Statements(Pass):
        def run(self, function: gast.AST) -> None:
            info = functions.get(function)
            if info is None:
                return  # a comprehension
            _add_statements(function.body, info, 0, None, functions.keys())
            if "do_not_convert" not in decorators(function):
                info.unsupported += find_unsupported(function, info.caller)

    class Unconverted(Pass):
        def run(self, function: gast.AST) -> None:
            if function in functions:
                functions[function].unconverted = dict(Facts(function).unconverted)

    class Added(Pass):
        def run(self, function: gast.AST) -> None:
            if function in functions:
                functions[function].added = frozenset(self.context.namer.added)

    steps = Pipeline().add(Statements, before="Normalise").add(Unconverted, before="ControlFlow").add(Added)
    convert_tree(tree, passes=steps.passes)
    for info in functions.values():
        _finish(info, functions.keys())
    return [*functions.values()]


def _functions(tree: gast.AST) -> Iterator[FunctionReport]:
    stack: list[tuple[gast.AST, str, bool, bool]] = [(tree, "", False, False)]
    while stack:
        node, prefix, in_class, is_inner = stack.pop()
        if isinstance(node, FUNCTIONS):
            caller = called_by_python(node) if in_class and not is_inner else ""
            yield FunctionReport(node, prefix + node.name, _span(node), caller)
            prefix, in_class, is_inner = f"{prefix}{node.name}.<locals>.", False, True
        elif isinstance(node, gast.ClassDef):
            prefix, in_class = f"{prefix}{node.name}.", True
        stack.extend((child, prefix, in_class, is_inner) for child in reversed([*children(node)]))


def _add_statements(
    body: list[gast.AST],
    info: FunctionReport,
    depth: int,
    parent: int | None,
    functions: Container[gast.AST],
    *,
    in_class_body: bool = False,
) -> None:
    for statement in body:
        if isinstance(statement, FUNCTIONS) and statement not in functions:
            continue  # a comprehension
        number = len(info.statements)
        info.statements.append(
            Statement(_span(statement), Span.of(statement), type(statement), depth, parent, in_class_body)
        )
        if isinstance(statement, FUNCTIONS):
            continue
        inside = in_class_body or isinstance(statement, gast.ClassDef)
        for block in sorted(filter(None, blocks(statement)), key=lambda block: _span(block[0]).start):
            is_elif = isinstance(block[0], gast.If) and block[0].col_offset == statement.col_offset
            deeper = depth if is_elif else depth + 1
            _add_statements(block, info, deeper, number, functions, in_class_body=inside)


def _span(statement: gast.AST) -> Span:
    span = Span.of(statement)
    first = min((Span.of(d).start for d in getattr(statement, "decorator_list", ())), default=span.start)
    return Span(*min(first, span.start), *span.end)


def _finish(info: FunctionReport, functions: Container[gast.AST]) -> None:
    """Complete the report of a converted function."""
    if "do_not_convert" in decorators(info.node):
        info.unconverted_reason = "it is marked do_not_convert"
    elif info.caller:
        info.unconverted_reason = f"Python calls {info.caller} directly, without conversion"
    else:
        _collect(info, functions)
    constructs = dict.fromkeys(info.unsupported)
    info.unsupported = sorted(constructs, key=lambda found: (found.span.start, found.code))
    for construct in info.unsupported:
        statement = info.at(construct.span.start)
        if statement is not None:
            statement.unsupported.append(construct)
    for statement in info.statements:
        if info.unconverted_reason:
            statement.becomes = (UNCHANGED, *describe_unsupported(statement.unsupported))
        else:
            statement.becomes = describe(statement, info.added)


def _collect(info: FunctionReport, functions: Container[gast.AST]) -> None:
    """Assign the converted nodes of a function to their statements.

    A node in an f-string gets the location of the string, because Python before 3.12 does not record its own.
    """
    stack: list[tuple[gast.AST, tuple[int, int], Span | None]]
    stack = [(node, (0, 0), None) for node in reversed(info.node.body)]
    while stack:
        node, at, text = stack.pop()
        if node in functions:
            stack.extend((part, at, text) for part in evaluated_at_definition(node))
            continue
        if isinstance(node, gast.ClassDef):
            stack.extend((part, at, text) for part in (*node.decorator_list, *node.bases, *node.keywords))
            continue
        if isinstance(node, gast.JoinedStr) and text is None:
            text = Span.of(node)
        if text is not None:
            at = text.start
        elif hasattr(node, "lineno"):
            at = node.lineno, node.col_offset
        unsupported = _unsupported_at(node, info)
        info.unsupported += (found if text is None else replace(found, span=text) for found in unsupported)
        statement = info.at(at)
        if statement is not None:
            name = operator_name(node)
            if name is not None:
                statement.operator_calls.append((name, at, node))
            else:
                statement.python_nodes.append((at, node))
        parts = children(node)
        if operator_name(node) == "generated":
            parts = node.args[1:]  # the function beside a generator expression is what is staged
        stack.extend((child, at, text) for child in reversed(parts))


def _unsupported_at(node: gast.AST, info: FunctionReport) -> Iterator[UnsupportedConstruct]:
    """Yield the unsupported constructs in a node that stays in Python."""
    kind = type(node)
    if kind in (gast.If, gast.While, gast.Assert):
        if _is_guarded(node.test) and getattr(node.test.args[0], "id", None) not in info.added:
            yield blocked_construct(
                node.test, info.unconverted.get(node) or blocking_node(node), kind.__name__.lower()
            )
    elif kind is gast.For:
        yield blocked_construct(node.iter, info.unconverted[node], "for")
    elif kind is gast.Match:
        if _is_guarded(node.subject) and getattr(node.subject.args[0], "id", None) not in info.added:
            yield UnsupportedConstruct(Span.of(node.subject), "AG004", "match")
        for case in node.cases:
            if case.guard is not None and _is_guarded(case.guard):
                yield UnsupportedConstruct(Span.of(case.guard), "AG004", "case if")
    elif kind is gast.BoolOp or kind is gast.IfExp:
        for operand in node.values if kind is gast.BoolOp else [node.test]:
            if _is_guarded(operand):
                yield blocked_construct(operand, blocking_node(node), operand.args[1].value)
    elif kind is gast.Compare and len(node.ops) > 1 and not is_plain(node):
        yield blocked_construct(node, blocking_node(node), "comparison")
    elif kind is gast.comprehension:
        for condition in filter(_is_guarded, node.ifs):
            yield UnsupportedConstruct(Span.of(condition), "AG005", "if in a comprehension")
    elif kind is gast.FormattedValue and node.format_spec is not None:
        for part in node.format_spec.values:
            if isinstance(part, gast.FormattedValue) and not isinstance(part.value, gast.Constant):
                yield UnsupportedConstruct(Span.of(part.value), "AG012", "f-string")


def _is_guarded(node: gast.AST) -> bool:
    return operator_name(node) == "guard" and not is_always_plain(node.args[0])
