"""`Report`: the result of `explain`, as data and as text."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from autograph_rs.runtime.debugging.tracebacks import api_boundary
from autograph_rs.runtime.errors import ArgumentError, describe
from autograph_rs.runtime.graph import Graph

from ..ahead_of_time.reports import Finding
from . import html
from .statements import Call, Statement, call_summary, summary

_COLORS = {"staged": "green", "unrolled": "cyan", "left": "yellow", "not run": "dim", "converted": "green"}


@dataclass(frozen=True)
class Report:
    """How the statements and calls of a function were staged.

    `report[12]` is the first statement on line 12. `converted` is the converted code, and `origins` lists the
    user's lines from which each of its lines was generated. `backend` names the backend that traced the
    function, or is "" if `explain` received no arguments. `graph` is the graph that the embedded backend
    built. `left` is the reason why converted code calls this function without converting it, or "". `error`
    is the error that ended the trace, and `error_line` the line of this function that raised it.

    Notebooks display a report as tables.
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
        """The constructs that cannot be staged."""
        return tuple(finding for statement in self.statements for finding in statement.findings)

    @api_boundary
    def __getitem__(self, line: int) -> Statement:
        """Return the first statement that starts on a line, or the innermost one that contains it.

        Raises:
            ArgumentError: `line` is not an int.
            KeyError: the line contains no statement.
        """
        if not isinstance(line, int):
            raise ArgumentError(
                f"a report is indexed by line numbers, not by {describe(line)}",
                why="a report finds statements by their lines in the file",
                remedy="pass a line number, or iterate over the statements: for statement in report",
            )
        first = next((s for s in self.statements if s.line == line), None)
        around = (s for s in reversed(self.statements) if s.line <= line <= s.end_line)
        statement = first or next(around, None)
        if statement is None:
            raise KeyError(f"{self.name} has no statement on line {line}")
        return statement

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
            yield f"left unconverted when converted code calls it: {self.left}"
        width = len(str(self.line + len(self.source)))
        for s in self.statements:
            indent = "    " * s.depth
            mark = ">" if self.error_line is not None and s is self[self.error_line] else " "
            yield f"{mark} {s.line:{width}}  {indent}{s.text}"
            margin = f"  {'':{width}}  {indent}    #"
            yield f"{margin} {summary(s)}"
            yield from (f"{margin}   {text}" for text in s.notes)
        if self.calls:
            yield "calls"
        for call in self.calls:
            yield f"  {call.line:{width}}  {call.callee}: {call_summary(call)}"
        if self.error is not None:
            yield self._error_text

    @property
    def _error_text(self) -> str:
        return f"{type(self.error).__name__}: {self.error}"

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        from rich.padding import Padding  # noqa: PLC0415 - only rich itself calls this
        from rich.table import Table  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        table = Table(title=Text(self.headline, "bold"), title_justify="left", expand=True)
        for name, ratio in (("line", None), ("statement", 2), ("result", 3)):
            table.add_column(name, ratio=ratio, overflow="fold", justify="left" if ratio else "right")
        for s in self.statements:
            mark = "reverse" if self.error_line is not None and s is self[self.error_line] else ""
            text = Padding(Text(s.text, mark), (0, 0, 0, 2 * min(s.depth, 8)))
            table.add_row(str(s.line), text, Text("\n".join((summary(s), *s.notes)), _COLORS.get(s.what, "")))
        yield table
        if self.calls:
            calls = Table(title=Text("calls", "bold"), title_justify="left", expand=True)
            for name in ("line", "callee", "result"):
                calls.add_column(name, overflow="fold")
            for call in self.calls:
                calls.add_row(str(call.line), Text(call.callee), Text(call_summary(call)))
            yield calls
        if self.error is not None:
            yield Text(self._error_text, "red")

    def to_dict(self) -> dict[str, Any]:
        """Return the report as a dict of JSON values."""
        data = json.loads(json.dumps(asdict(replace(self, graph=None, error=None))))
        data["graph"] = None if self.graph is None else str(self.graph)
        data["error"] = None if self.error is None else self._error_text
        return data  # type: ignore[no-any-return]

    def to_json(self) -> str:
        """Return the report as JSON text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"

    @api_boundary
    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the report as a self-contained HTML page, and write it to a file if a path is given."""
        page = html.page(self)
        if path is not None:
            with open(path, "w", encoding="utf-8", errors="xmlcharrefreplace") as file:
                file.write(page)
        return page

    def _repr_html_(self) -> str:
        return html.fragment(self)
