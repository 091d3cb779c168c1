"""What `explain` gives: inert data, and its text."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, TypeAlias

from autograph_rs.runtime.boundary import public
from autograph_rs.runtime.errors import ArgumentError, told
from autograph_rs.runtime.graph import Graph

from ..reports import Finding

What: TypeAlias = Literal["plain", "staged", "unrolled", "left", "converted", "not run"]
COLOURS = {"staged": "green", "unrolled": "cyan", "left": "yellow", "not run": "dim", "converted": "green"}


@dataclass(frozen=True)
class Statement:
    """A statement, and what became of it.

    `what` is one of: "plain" (Python ran it), "staged" (it became part of what the backend builds),
    "unrolled" (a loop that Python ran, whose rounds were each staged), "left" (it stays in Python, `why`
    says on what account), "not run", and in a report without arguments "converted" (an operator decides
    when it runs).

    `operator` is the operator that staged it, "" where that is the value's own doing, such as `x * 2`.
    `state` is what it carries. `times` is how often the trace ran it; of a loop that Python ran the most
    rounds that one run of it had.
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


@dataclass(frozen=True)
class Call:
    """A call: where it stands, what it calls, whether that is converted, and by which rule.

    `converted` is None for what only a run shows.
    """

    line: int
    callee: str
    converted: bool | None
    rule: str


@dataclass(frozen=True)
class Report:
    """What became of a function, by statements and calls; `report[12]` is the first statement of line 12.

    `converted` is its converted code, `origins` the user's lines that each line of it came from. `backend`
    is that which traced it, "" in a report without arguments; `graph` what the embedded backend made.
    `left` says why a call from converted code would leave the function as it is, "" where it would not.
    `error` is what ended the trace, and `error_line` the line of this function where it did.

    In a notebook a report displays itself.
    """

    name: str
    file: str
    line: int
    source: tuple[str, ...] = field(repr=False)
    converted: str = field(repr=False)
    origins: tuple[tuple[int, ...], ...] = field(repr=False)
    statements: tuple[Statement, ...] = field(repr=False)
    calls: tuple[Call, ...] = field(repr=False)
    backend: str = ""
    left: str = ""
    graph: Graph | None = field(default=None, repr=False, compare=False)
    error: BaseException | None = field(default=None, compare=False)
    error_line: int | None = None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The places that cannot be staged."""
        return tuple(finding for statement in self.statements for finding in statement.findings)

    @public
    def __getitem__(self, line: int) -> Statement:
        """The statement that begins on a line, or the innermost around it.

        Raises:
            ArgumentError: `line` is no number.
            KeyError: no statement is on that line.
        """
        if not isinstance(line, int):
            raise ArgumentError(
                f"a report is asked for a line, not for {told(line)}",
                why="its statements are found by where they stand in the file",
                remedy="give the line's number, or go through the statements: for statement in report",
            )
        first = next((s for s in self.statements if s.line == line), None)
        around = (s for s in reversed(self.statements) if s.line <= line <= s.end_line)
        found = first or next(around, None)
        if found is None:
            raise KeyError(f"{self.name} has no statement on line {line}")
        return found

    def __iter__(self) -> Iterator[Statement]:
        return iter(self.statements)

    def __len__(self) -> int:
        return len(self.statements)

    def __bool__(self) -> bool:
        return True

    # Text

    @property
    def headline(self) -> str:
        by = f"traced by {self.backend}" if self.backend else "not run"
        return f"{self.name} ({os.path.basename(self.file)}:{self.line}), {by}"

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield self.headline
        if self.left:
            yield f"a call of it from converted code leaves it as it is: {self.left}"
        width = len(str(self.line + len(self.source)))
        for s in self.statements:
            indent = "    " * s.depth
            mark = ">" if self.error_line is not None and s is self[self.error_line] else " "
            yield f"{mark} {s.line:{width}}  {indent}{s.text}"
            for number, text in enumerate((summary(s), *s.why)):
                yield (
                    f"  {'':{width}}  {indent}    # {text}"
                    if number == 0
                    else f"  {'':{width}}  {indent}    #   {text}"
                )
        if self.calls:
            yield "calls"
        for call in self.calls:
            yield f"  {call.line:{width}}  {call.callee}: {judgement(call)}"
        if self.error is not None:
            yield f"{type(self.error).__name__}: {self.error}"

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        from rich.padding import Padding  # noqa: PLC0415 - it is there where rich shows a report
        from rich.table import Table  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        table = Table(title=Text(self.headline, "bold"), title_justify="left", expand=True)
        for name, ratio in (("line", None), ("statement", 2), ("what became of it", 3)):
            table.add_column(name, ratio=ratio, overflow="fold", justify="left" if ratio else "right")
        for s in self.statements:
            mark = "reverse" if self.error_line is not None and s is self[self.error_line] else ""
            text = Padding(Text(s.text, mark), (0, 0, 0, 2 * min(s.depth, 8)))
            became = Text("\n".join((summary(s), *s.why)), COLOURS.get(s.what, ""))
            table.add_row(str(s.line), text, became)
        yield table
        if self.calls:
            calls = Table(title=Text("calls", "bold"), title_justify="left", expand=True)
            for name in ("line", "callee", "converted or left, and the rule"):
                calls.add_column(name, overflow="fold")
            for call in self.calls:
                calls.add_row(str(call.line), Text(call.callee), Text(judgement(call)))
            yield calls
        if self.error is not None:
            yield Text(f"{type(self.error).__name__}: {self.error}", "red")

    # Data and pages

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data: what JSON can hold."""
        plain = replace(self, graph=None, error=None)
        made = json.loads(json.dumps(asdict(plain)))
        error = None if self.error is None else f"{type(self.error).__name__}: {self.error}"
        return {**made, "graph": None if self.graph is None else str(self.graph), "error": error}

    def to_json(self) -> str:
        """`to_dict` as text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"

    @public
    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """The report as a page of HTML that needs nothing else; also written to a file, if one is named."""
        from .page import page  # noqa: PLC0415 - it knows this module

        made = page(self)
        if path is not None:
            with open(path, "w", encoding="utf-8", errors="xmlcharrefreplace") as file:
                file.write(made)
        return made

    def _repr_html_(self) -> str:
        from .page import fragment  # noqa: PLC0415 - it knows this module

        return fragment(self)


def summary(statement: Statement) -> str:
    """What became of a statement, in a line."""
    s = statement
    if s.what == "staged":
        by = f" by {s.operator}" if s.operator else ""
        carries = f", carries {', '.join(s.state)}" if s.state else ""
        return f"staged: {s.backend}{by}{carries}"
    if s.what == "unrolled":
        return f"unrolled: {times(s.times)}"
    return s.what


def times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def judgement(call: Call) -> str:
    """Whether a call is converted, and the rule, in a line."""
    return f"{ {True: 'converted', False: 'left', None: 'unknown'}[call.converted] }: {call.rule}"
