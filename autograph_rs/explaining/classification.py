"""Classify the statements and calls of a function, from the static report and its probes."""

from __future__ import annotations

import types
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from autograph_rs.converters.diagnostics.descriptions import OPERATORS, UNCHANGED

from ..ahead_of_time.reports import FunctionReport, StatementReport
from .calls import UNKNOWN, callee_name, conversion_verdict, resolve_name
from .instrumentation import STATEMENTS, InstrumentingTranspiler
from .probes import Probe
from .statements import Call, Statement, What, format_count

_PYTHON_STATEMENTS = ("If", "While", "For")


@dataclass
class _Node:
    """A node of the statement tree: one statement and the probes that it contains."""

    static: StatementReport
    unconverted: str  # why its function is not converted, or ""
    depth: int
    parent: _Node | None
    probes: list[Probe] = field(default_factory=list)
    children: list[_Node] = field(default_factory=list)
    what: What = "plain"

    @property
    def control_probes(self) -> list[Probe]:
        """The probes of the statement itself, if it is a conditional or loop."""
        probes = [p for p in self.probes if p.is_user_test]
        operators = [p for p in probes if p.operator in STATEMENTS]
        return operators or [p for p in probes if p.operator in _PYTHON_STATEMENTS]

    @property
    def runs(self) -> int | None:
        """The number of times that the statement started, or None if the conversion removed it."""
        if self.is_control_flow:
            return sum(p.runs for p in self.control_probes)
        counts = [p.runs for p in self.probes if p.operator == "" and p.span.start == self.start]
        return max(counts, default=None)

    @property
    def is_control_flow(self) -> bool:
        text = self.static.text
        return bool(self.control_probes) and text.startswith(("if", "elif", "while", "for", "match"))

    @property
    def is_repeated(self) -> bool:
        """Whether a staged statement, whose body may be traced more than once, contains this one."""
        return self.parent is not None and (self.parent.what == "staged" or self.parent.is_repeated)

    @property
    def start(self) -> tuple[int, int]:
        return self.static.start

    def staged(self) -> Counter[str]:
        return sum((p.staged for p in self.probes), Counter())

    def has_staged(self) -> bool:
        return any(p.staged for p in self.probes) or any(child.has_staged() for child in self.children)

    def classify(self, what: What, why: Sequence[str], **attributes: object) -> Statement:
        self.what = what
        s = self.static
        return Statement(
            s.line, s.end_line, self.depth, s.text, what, why=tuple(why), findings=s.findings,
            **attributes,  # type: ignore[arg-type]
        )  # fmt: skip


def statements(
    functions: Sequence[FunctionReport], probes: Sequence[Probe], *, has_run: bool
) -> tuple[Statement, ...]:
    """Classify the statements of a function and of the functions nested in it, in source order."""
    nodes = _statement_tree(functions)
    for probe in probes:
        start = probe.span.start
        innermost = next((n for n in reversed(nodes) if n.start <= start < n.static.end), None)
        if innermost is not None:
            innermost.probes.append(probe)
    classify = _classify_observed if has_run else _classify_static
    return tuple(map(classify, nodes))


def _statement_tree(functions: Sequence[FunctionReport]) -> list[_Node]:
    """Return the statements as linked nodes, in source order."""
    reports = [(s, f.unconverted_reason) for f in functions for s in f.statements]
    reports.sort(key=lambda pair: (pair[0].start, [-position for position in pair[0].end]))
    nodes: list[_Node] = []
    stack: list[_Node] = []
    for static, unconverted in reports:
        while stack and stack[-1].static.end <= static.start:
            stack.pop()
        parent = stack[-1] if stack else None
        depth = 0 if parent is None else parent.depth + (not static.text.startswith("elif"))
        node = _Node(static, unconverted, depth, parent)
        if parent is not None:
            parent.children.append(node)
        nodes.append(node)
        stack.append(node)
    return nodes


def _classify_static(n: _Node) -> Statement:
    """Classify a statement of a function that did not run."""
    why = [w for w in n.static.becomes if w != UNCHANGED]
    if n.unconverted:
        return n.classify("left", [n.unconverted, *why])
    if n.static.findings:
        return n.classify("left", why)
    control = [p for p in n.control_probes if p.operator in STATEMENTS]
    others = [p for p in n.probes if p.operator in OPERATORS and p.operator != "keep"]
    for probe in (control or others)[:1]:
        return n.classify("converted", why, operator=probe.operator, state=probe.state)
    return n.classify("plain", why)


def _classify_observed(n: _Node) -> Statement:
    """Classify a statement of a function that was traced."""
    unsupported = [w for w in n.static.becomes if n.static.findings and w != UNCHANGED]
    runs = n.runs
    if n.unconverted:
        return n.classify("left", [n.unconverted, *unsupported], times=runs or 0)
    if runs == 0 or (runs is None and n.parent is not None and n.parent.what == "not run"):
        return n.classify("not run", unsupported)
    count = runs or 0
    control = n.control_probes
    for probe in control:
        if probe.staged and probe.operator in STATEMENTS:
            before = max(probe.iterations, default=0)
            why = [f"{_format_iterations(before)} before its test was staged"] if before else []
            return n.classify(
                "staged", [*why, *_staged_operators(n), *unsupported], backend=_most_common(probe.staged),
                operator=probe.operator, state=probe.state, times=before or count,
            )  # fmt: skip
    is_for = n.static.text.startswith("for")
    if any(p.iterations for p in control) and (is_for or n.static.text.startswith("while")):
        iterations = max(max(p.iterations, default=0) for p in control)
        if iterations and any(child.has_staged() for child in n.children):
            why = ["its iterable is plain" if is_for else "its test is plain"]
            return n.classify("unrolled", [*why, *_staged_operators(n), *unsupported], times=iterations)
        why = [_format_iterations(iterations), *_staged_operators(n), *unsupported]
        return n.classify("left" if n.static.findings else "plain", why, times=iterations)
    why = [*_plain_tests(n, control), *_staged_operators(n), *unsupported]
    staged = n.staged()
    if n.static.findings and not staged:
        return n.classify("left", why, times=count)
    for probe in sorted(n.probes, key=lambda p: p.operator == "keep"):
        if probe.staged and probe.operator in OPERATORS:
            backend = _most_common(probe.staged)
            return n.classify("staged", why, backend=backend, operator=probe.operator, times=count)
    if staged and not n.is_control_flow:
        return n.classify("staged", why, backend=_most_common(staged), times=count)
    return n.classify("plain", why, times=count)


def _most_common(backends: Counter[str]) -> str:
    return backends.most_common(1)[0][0]


def _format_iterations(count: int) -> str:
    return "no iterations" if not count else "1 iteration" if count == 1 else f"{count} iterations"


def _plain_tests(n: _Node, probes: Sequence[Probe]) -> Iterator[str]:
    """Describe the outcomes of a plain condition, with counts unless its code may be traced repeatedly."""
    outcomes = [("true", sum(p.true for p in probes)), ("false", sum(p.false for p in probes))]
    outcomes = [(word, count) for word, count in outcomes if count]
    if not n.static.text.startswith(("if", "elif")) or not outcomes:
        return
    if n.is_repeated:
        yield f"its test is plain: {' and '.join(word for word, _ in outcomes)}"
    else:
        yield f"its test is plain: {', '.join(f'{word} {format_count(count)}' for word, count in outcomes)}"


def _staged_operators(n: _Node) -> Iterator[str]:
    """Describe the staged operators in a statement's expressions."""
    probes = [p for p in n.probes if p.is_user_test]
    operators = dict.fromkeys(p.operator for p in probes if p.staged and p.operator in OPERATORS)
    yield from (f"{operator}: {OPERATORS[operator]}" for operator in operators)


def calls(
    probes: Sequence[Probe],
    function: types.FunctionType,
    transpiler: InstrumentingTranspiler,
    *,
    has_run: bool,
) -> tuple[Call, ...]:
    """Return the distinct calls in a function, in source order, with the callees that ran."""
    distinct: dict[Call, None] = {}
    for probe in sorted((p for p in probes if p.operator == "callee"), key=lambda p: p.span.start):
        line, text = probe.span.line, probe.text or "a computed callee"
        for callee, is_disabled in probe.callees.values():
            disabled = False, "the call is in a do_not_convert() block"
            verdict = disabled if is_disabled else conversion_verdict(transpiler, callee)
            distinct[Call(line, callee_name(callee), *verdict)] = None
        if has_run and not probe.callees:
            distinct[Call(line, text, None, "it was not reached")] = None
        elif not has_run:
            callee = resolve_name(probe.text, function)
            converted, rule = (None, UNKNOWN) if callee is None else conversion_verdict(transpiler, callee)
            distinct[Call(line, text, converted, rule)] = None
    return tuple(distinct)
