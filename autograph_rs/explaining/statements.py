"""The statements and calls of a report, and their one-line summaries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from ..ahead_of_time.reports import Finding

What: TypeAlias = Literal["plain", "staged", "unrolled", "left", "converted", "not run"]


@dataclass(frozen=True)
class Statement:
    """A statement, and how it was staged.

    `what` is one of:

    - "plain": Python ran it;
    - "staged": it became part of the staged program;
    - "unrolled": Python ran the loop, and each iteration was staged;
    - "left": it cannot be staged and stays in Python, for the reasons in `why`;
    - "not run": the trace did not reach it;
    - "converted", if `explain` received no arguments: an operator decides at run time whether to stage it.

    `operator` names the operator that staged the statement, or is "" if a staged operand did, as in `x * 2`.
    `state` lists the variables that the operator carries. `times` is the number of times that the trace ran
    the statement or, for a loop that Python ran, the largest number of iterations in one run of the loop.
    `machine_code` says of a loop in the graph of a `function` whether it may be compiled to machine code, or
    why not; it is "" for other statements, and for engines that compile nothing.
    """

    line: int
    end_line: int
    depth: int
    text: str
    what: What
    backend: str = ""
    operator: str = ""
    state: tuple[str, ...] = ()
    times: int = 0
    why: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    machine_code: str = ""

    @property
    def notes(self) -> tuple[str, ...]:
        """The lines that a report shows below the summary."""
        return (*self.why, self.machine_code) if self.machine_code else self.why


@dataclass(frozen=True)
class Call:
    """A call: its line and callee, whether it is converted, and the rule that decides.

    `converted` is None if this is known only at run time.
    """

    line: int
    callee: str
    converted: bool | None
    rule: str


def summary(statement: Statement) -> str:
    """Summarize how a statement was staged, in one line."""
    s = statement
    if s.what == "staged":
        by = f" by {s.operator}" if s.operator else ""
        carries = f", carries {', '.join(s.state)}" if s.state else ""
        return f"staged: {s.backend}{by}{carries}"
    if s.what == "unrolled":
        return f"unrolled: {format_count(s.times)}"
    return s.what


def call_summary(call: Call) -> str:
    """Summarize whether a call is converted, and why, in one line."""
    verdict = {True: "converted", False: "not converted", None: "unknown"}[call.converted]
    return f"{verdict}: {call.rule}"


def format_count(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
