"""What becomes of each statement of a function, as the passes themselves leave it.

The passes run on the tree as ever, with a look at it before the first and before the last of them. What they
converted is an operator call where the code of the user stands; what they left to Python is guarded there.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Iterator
from dataclasses import dataclass, field, replace

import gast

from . import convert_tree
from .analysis import Facts
from .anchors import anchor_of
from .passes import Pass
from .passes.expressions import is_plain
from .pipeline import Pipeline
from .places import Place, Span, decides_nothing, kept_by
from .refusals import called_by_python, decorators, refusals
from .trees import FUNCTIONS, blocks, children, evaluated_at_definition, operator_name
from .wording import AS_IT_IS, Draft, describe, refused


@dataclass(frozen=True)
class Statement:
    """One statement: where it stands, how deep, what becomes of it, and what of it cannot be staged.

    `span` begins with the first decorator, `place` with the statement itself.
    """

    span: Span
    place: Span
    depth: int
    becomes: tuple[str, ...]
    places: tuple[Place, ...]


@dataclass(frozen=True)
class FunctionReport:
    """One function; `left` says why it is not converted, where it is not."""

    name: str
    span: Span
    left: str
    statements: tuple[Statement, ...]
    places: tuple[Place, ...]


@dataclass
class _Function:
    node: gast.AST
    name: str
    caller: str
    drafts: list[Draft] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    staying: dict[gast.AST, gast.AST] = field(default_factory=dict)
    added: frozenset[str] = frozenset()

    def at(self, place: tuple[int, int]) -> Draft | None:
        """The innermost statement around a place."""
        number: int | None = bisect_right(self.drafts, place, key=lambda draft: draft.span.start) - 1
        while number is not None and number >= 0:
            draft = self.drafts[number]
            if place < draft.span.end:
                return draft
            number = draft.above
        return None


def report(tree: gast.AST) -> list[FunctionReport]:
    """What becomes of the functions in a tree, which are converted in place, in the order of the text.

    Args:
        tree: a module, or anything that holds functions.
    """
    found = {f.node: f for f in _functions(tree)}

    class Before(Pass):
        def run(self, function: gast.AST) -> None:
            mine = found[function]
            _draft(function.body, mine, 0, None, is_of_class=False)
            if not _is_marked(function):
                mine.places += refusals(function, mine.caller)

    class Settled(Pass):
        def run(self, function: gast.AST) -> None:
            found[function].staying = dict(Facts(function).staying)

    class After(Pass):
        def run(self, function: gast.AST) -> None:
            found[function].added = frozenset(self.context.namer.added)

    steps = Pipeline().add(Before, before="Normalise").add(Settled, before="ControlFlow").add(After)
    convert_tree(tree, passes=steps.passes)
    return [_finished(mine, found.keys()) for mine in found.values()]


def _functions(tree: gast.AST) -> Iterator[_Function]:
    """The functions of a tree; those inside another are converted with it, whoever calls them."""
    stack: list[tuple[gast.AST, str, bool, bool]] = [(tree, "", False, False)]
    while stack:
        node, prefix, in_class, is_inner = stack.pop()
        if isinstance(node, FUNCTIONS):
            is_method = in_class and not is_inner
            yield _Function(node, prefix + node.name, called_by_python(node) if is_method else "")
            prefix, in_class, is_inner = f"{prefix}{node.name}.<locals>.", False, True
        elif isinstance(node, gast.ClassDef):
            prefix, in_class = f"{prefix}{node.name}.", True
        stack.extend((child, prefix, in_class, is_inner) for child in reversed([*children(node)]))


def _is_marked(function: gast.AST) -> bool:
    return "do_not_convert" in decorators(function)


def _draft(
    body: list[gast.AST], mine: _Function, depth: int, above: int | None, *, is_of_class: bool
) -> None:
    for statement in body:
        number = len(mine.drafts)
        mine.drafts.append(
            Draft(_span(statement), Span.of(statement), type(statement), depth, above, is_of_class)
        )
        if isinstance(statement, FUNCTIONS):
            continue
        inside = is_of_class or isinstance(statement, gast.ClassDef)
        for block in sorted(filter(None, blocks(statement)), key=lambda block: _span(block[0]).start):
            is_elif = isinstance(block[0], gast.If) and block[0].col_offset == statement.col_offset
            _draft(block, mine, depth if is_elif else depth + 1, number, is_of_class=inside)


def _span(statement: gast.AST) -> Span:
    span = Span.of(statement)
    first = min((Span.of(d).start for d in getattr(statement, "decorator_list", ())), default=span.start)
    return Span(*min(first, span.start), *span.end)


def _finished(mine: _Function, functions: Container[gast.AST]) -> FunctionReport:
    left = ""
    if _is_marked(mine.node):
        left = "it is marked do_not_convert"
    elif mine.caller:
        left = f"Python itself calls {mine.caller}, unconverted"
    else:
        _survey(mine, functions)
    places = sorted({*mine.places}, key=lambda place: (place.span.start, place.code))
    for place in places:
        draft = mine.at(place.span.start)
        if draft is not None:
            draft.places.append(place)
    statements = tuple(
        Statement(d.span, d.place, d.depth, _becomes(d, mine, left), tuple(d.places)) for d in mine.drafts
    )
    return FunctionReport(mine.name, _span(mine.node), left, statements, tuple(places))


def _becomes(draft: Draft, mine: _Function, left: str) -> tuple[str, ...]:
    return (AS_IT_IS, *refused(draft.places)) if left else describe(draft, mine.added)


def _survey(mine: _Function, functions: Container[gast.AST]) -> None:
    """Bring what the passes made and left to the statements where it stands.

    What stands in an f-string has its place, since before Python 3.12 the places in one are not known.
    """
    stack: list[tuple[gast.AST, tuple[int, int], Span | None]]
    stack = [(node, (0, 0), None) for node in reversed(mine.node.body)]
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
        places = _left_at(node, mine)
        mine.places += places if text is None else [replace(place, span=text) for place in places]
        draft = mine.at(at)
        if draft is not None:
            name = operator_name(node)
            if name is not None:
                draft.made.append((name, at, node))
            else:
                draft.kept.append((at, node))
        stack.extend((child, at, text) for child in reversed([*children(node)]))


def _left_at(node: gast.AST, mine: _Function) -> Iterator[Place]:
    """The places of what a node leaves to Python."""
    kind = type(node)
    if kind in (gast.If, gast.While, gast.Assert):
        is_flag = getattr(_operand_of(node.test), "id", None) in mine.added
        if _is_guarded(node.test) and not is_flag:
            yield kept_by(node.test, mine.staying.get(node) or anchor_of(node), kind.__name__.lower())
    elif kind is gast.For:
        yield kept_by(node.iter, mine.staying[node], "for")
    elif kind is gast.Match:
        yield Place(Span.of(node.subject), "AG004", "match")
        for case in node.cases:
            if case.guard is not None and _is_guarded(case.guard):
                yield Place(Span.of(case.guard), "AG004", "case if")
    elif kind is gast.BoolOp or kind is gast.IfExp:
        for operand in node.values if kind is gast.BoolOp else [node.test]:
            if _is_guarded(operand):
                yield kept_by(operand, anchor_of(node), operand.args[1].value)
    elif kind is gast.Compare and len(node.ops) > 1 and not is_plain(node):
        yield kept_by(node, anchor_of(node), "comparison")
    elif kind is gast.comprehension:
        yield from (Place(Span.of(c), "AG005", "if in a comprehension") for c in node.ifs if _is_guarded(c))
    elif kind is gast.FormattedValue and node.format_spec is not None:
        for part in node.format_spec.values:
            if isinstance(part, gast.FormattedValue) and not isinstance(part.value, gast.Constant):
                yield Place(Span.of(part.value), "AG012", "f-string")


def _operand_of(node: gast.AST) -> gast.AST:
    return node.args[0] if operator_name(node) == "guard" else node


def _is_guarded(node: gast.AST) -> bool:
    return operator_name(node) == "guard" and not decides_nothing(node.args[0])
