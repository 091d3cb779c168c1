"""What each statement was: the static report, and what was noted at the sites of its text."""

from __future__ import annotations

import functools
import types
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from autograph_rs.converters.wording import AS_IT_IS, OPERATORS

from ..reports import FunctionReport, StatementReport
from .calls import UNKNOWN, judged, named, resolved
from .report import Call, Statement, What, times
from .sites import Site
from .watching import STATEMENTS, Watching

_KINDS = {"if_stmt": "condition", "while_stmt": "loop", "for_stmt": "loop"}
_COMPOUND = ("If", "While", "For")


@dataclass
class _Noted:
    """A statement of the text, the sites in it, and the statement around it."""

    static: StatementReport
    left: str
    depth: int
    above: _Noted | None
    sites: list[Site] = field(default_factory=list)
    inner: list[_Noted] = field(default_factory=list)
    what: What = "plain"

    @property
    def own(self) -> list[Site]:
        """The sites of the condition or loop that the statement itself is."""
        found = [s for s in self.sites if s.operator in (*STATEMENTS, *_COMPOUND) and s.is_own]
        return [s for s in found if s.operator in STATEMENTS] or found

    @property
    def ran(self) -> int | None:
        """How often it was begun; None where the conversion left nothing of it."""
        if self.is_control:
            return sum(s.passed for s in self.own)
        counts = [s.passed for s in self.sites if s.operator == "" and s.span.start == self.start]
        return max(counts) if counts else None

    @property
    def is_control(self) -> bool:
        return bool(self.own) and self.static.text.startswith(("if", "elif", "while", "for", "match"))

    @property
    def start(self) -> tuple[int, int]:
        return self.static.start

    def staged(self) -> Counter[str]:
        return sum((s.staged for s in self.sites), Counter())

    def has_staged(self) -> bool:
        return any(s.staged for s in self.sites) or any(inner.has_staged() for inner in self.inner)


def statements(
    functions: Sequence[FunctionReport], sites: Sequence[Site], *, has_run: bool
) -> tuple[Statement, ...]:
    """What became of the statements of a function and of those inside it, in the order of the text."""
    noted = _laid_out(functions)
    for site in sites:
        holder = _innermost(noted, site)
        if holder is not None:
            holder.sites.append(site)
    judge = _observed if has_run else _expected
    return tuple(judge(n) for n in noted)


def _laid_out(functions: Sequence[FunctionReport]) -> list[_Noted]:
    found = [(s, f.left) for f in functions for s in f.statements]
    found.sort(key=lambda pair: (pair[0].start, [-place for place in pair[0].end]))
    noted: list[_Noted] = []
    stack: list[_Noted] = []
    for static, left in found:
        while stack and stack[-1].static.end <= static.start:
            stack.pop()
        above = stack[-1] if stack else None
        depth = 0 if above is None else above.depth + (not static.text.startswith("elif"))
        one = _Noted(static, left, depth, above)
        if above is not None:
            above.inner.append(one)
        noted.append(one)
        stack.append(one)
    return noted


def _innermost(noted: Sequence[_Noted], site: Site) -> _Noted | None:
    at = site.span.start
    return next((n for n in reversed(noted) if n.start <= at < n.static.end), None)


def _made(n: _Noted, what: What, why: Sequence[str], **more: object) -> Statement:
    n.what = what
    s = n.static
    return Statement(s.line, s.end_line, n.depth, s.text, what, why=tuple(why), findings=s.findings, **more)  # type: ignore[arg-type]


def _expected(n: _Noted) -> Statement:
    """Without a run: what the conversion made of it."""
    why = [w for w in n.static.becomes if w != AS_IT_IS]
    if n.left:
        return _made(n, "left", [n.left, *why])
    if n.static.findings:
        return _made(n, "left", why)
    own = [s for s in n.own if s.operator in STATEMENTS]
    others = [s for s in n.sites if s.operator in OPERATORS and s.operator != "keep"]
    for site in (own or others)[:1]:
        return _made(n, "converted", why, operator=site.operator, state=site.state)
    return _made(n, "plain", why)


def _observed(n: _Noted) -> Statement:
    """After a run: what happened."""
    refused = [w for w in n.static.becomes if n.static.findings and w != AS_IT_IS]
    ran = n.ran
    if n.left:
        return _made(n, "left", [n.left, *refused], times=ran or 0)
    if ran == 0 or (ran is None and n.above is not None and n.above.what == "not run"):
        return _made(n, "not run", refused)
    count = ran or 0
    own = n.own
    for site in own:
        if site.staged and site.operator in STATEMENTS:
            before = _rounds(site)
            why = [f"{_spoken(before)} before its test was staged"] if before else []
            return _made(
                n, "staged", [*why, *_expressions(n), *refused], backend=site.staged.most_common(1)[0][0],
                operator=site.operator, state=site.state, times=before or count,
            )  # fmt: skip
    loops = [s for s in own if s.rounds]
    if loops and n.static.text.startswith(("for", "while")):
        rounds = max(map(_rounds, loops))
        if any(inner.has_staged() for inner in n.inner) and rounds:
            why = ["what it iterates is plain" if n.static.text.startswith("for") else "its test is plain"]
            return _made(n, "unrolled", [*why, *_expressions(n), *refused], times=rounds)
        return _made(
            n,
            "left" if n.static.findings else "plain",
            [_spoken(rounds), *_expressions(n), *refused],
            times=rounds,
        )
    why = [*_truths(n, own), *_expressions(n), *refused]
    if n.static.findings and not n.staged():
        return _made(n, "left", why, times=count)
    for site in sorted(n.sites, key=lambda s: s.operator == "keep"):
        if site.staged and site.operator in OPERATORS:
            backend = site.staged.most_common(1)[0][0]
            return _made(n, "staged", why, backend=backend, operator=site.operator, times=count)
    if n.staged() and not n.is_control:
        return _made(n, "staged", why, backend=n.staged().most_common(1)[0][0], times=count)
    return _made(n, "plain", why, times=count)


def _rounds(site: Site) -> int:
    return max(site.rounds, default=0)


def _spoken(rounds: int) -> str:
    return "no round" if not rounds else "one round" if rounds == 1 else f"{rounds} rounds"


def _truths(n: _Noted, own: Sequence[Site]) -> Iterator[str]:
    """How the plain test of a condition turned out; how often, where no staged statement is around it."""
    true, false = sum(s.true for s in own), sum(s.false for s in own)
    if not n.static.text.startswith(("if", "elif")) or not true + false:
        return
    if _is_retraced(n):
        yield f"its test is plain: {'true and false' if true and false else 'true' if true else 'false'}"
    else:
        parts = [f"{word} {times(count)}" for word, count in (("true", true), ("false", false)) if count]
        yield f"its test is plain: {', '.join(parts)}"


def _is_retraced(n: _Noted) -> bool:
    """Whether it is part of a staged statement, whose body may be traced more than once."""
    above = n.above
    while above is not None:
        if above.what == "staged":
            return True
        above = above.above
    return False


def _expressions(n: _Noted) -> Iterator[str]:
    """The operators of a statement's expressions that were staged."""
    seen = dict.fromkeys(s.operator for s in n.sites if s.staged and s.operator in OPERATORS)
    yield from (f"{operator}: {OPERATORS[operator]}" for operator in seen)


def calls(
    sites: Sequence[Site], function: types.FunctionType, transpiler: Watching, *, has_run: bool
) -> tuple[Call, ...]:
    """The calls in a function, in the order of the text: those that ran as what they called."""
    found: dict[Call, None] = {}
    for site in sorted((s for s in sites if s.operator == "callee"), key=lambda s: s.span.start):
        make: Callable[..., Call] = functools.partial(Call, site.span.line)
        shown = site.text or "what is called"
        for called, off in site.callees.values():
            in_block = False, "the call is in a do_not_convert() block"
            found[make(named(called), *(in_block if off else judged(transpiler, called)))] = None
        if has_run and not site.callees:
            found[make(shown, None, "it was not reached")] = None
        elif not has_run:
            called = resolved(site.text, function)
            found[make(shown, *((None, UNKNOWN) if called is None else judged(transpiler, called)))] = None
    return tuple(found)
