"""`Profile`: the time by source line of a call, as data, as text, and as a flame graph."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from autograph_rs.runtime.debugging.tracebacks import api_boundary
from autograph_rs.runtime.files.writing import checked_path, save

from . import html
from .lines import Line, Stack, format_line, format_place, format_time, line_of


@dataclass(frozen=True)
class Profile:
    """The time by source line of a call of a staged function, as returned by `profile`.

    `seconds` is the median time of the graph without clock reads, if it ran repeatedly. `repetitions` counts
    the runs that were timed line by line, `tracing_seconds` is the time of conversion and tracing, or None if
    the call needed none, and `result` is what the call returned. `engine` is that of the function.
    """

    function: str
    engine: str
    seconds: float
    repetitions: int
    tracing_seconds: float | None
    stacks: tuple[Stack, ...] = field(repr=False)
    result: Any = field(repr=False, compare=False)

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """The lines that ran, slowest first."""
        total = sum(stack.seconds for stack in self.stacks) or 1.0
        by_line: dict[tuple[str, int], list[Stack]] = {}
        for stack in self.stacks:
            by_line.setdefault(stack.frames[-1][:2], []).append(stack)
        lines = [line_of(stacks, total) for stacks in by_line.values()]
        return tuple(sorted(lines, key=lambda line: -line.seconds))

    @property
    def headline(self) -> str:
        """The time of a call, how it was measured, and the time of tracing, in one line."""
        runs = f"median of {self.repetitions} runs" if self.repetitions > 1 else "one run"
        traced = f", traced in {format_time(self.tracing_seconds)}" if self.tracing_seconds else ""
        return f"{self.function}: {format_time(self.seconds)} ({runs}), engine {self.engine!r}{traced}"

    def __str__(self) -> str:
        return "\n".join(self._text_lines())

    def _text_lines(self) -> Iterator[str]:
        yield self.headline
        if not self.lines:
            yield "  the graph computes nothing: arrays and NumPy scalars are staged, Python numbers are not"
            return
        rows = [("time", "share", "runs", "where", "line", "source")]
        rows += [(*format_line(line), format_place(line), line.text) for line in self.lines]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for time, share, runs, where, place, text in rows:
            yield (
                f"  {time:>{widths[0]}}  {share:>{widths[1]}}  {runs:>{widths[2]}}  {where:<{widths[3]}}"
                f"  {place:<{widths[4]}}  {text}"
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the profile without the result, as a dict of JSON values. Times are in seconds."""
        stacks = [
            {**asdict(stack), "frames": [frame._asdict() for frame in stack.frames]} for stack in self.stacks
        ]
        return {
            "function": self.function,
            "engine": self.engine,
            "seconds": self.seconds,
            "repetitions": self.repetitions,
            "tracing_seconds": self.tracing_seconds,
            "lines": [asdict(line) for line in self.lines],
            "stacks": stacks,
        }

    def to_json(self) -> str:
        """Return the profile without the result, as JSON text. Times are in seconds."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"

    @api_boundary
    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return a flame graph and the table of lines as an HTML page that loads nothing.

        If a path is given, write the page to that file.

        Raises:
            ArgumentError: `path` is not the path of a file.
            MissingFileError: the parent directory does not exist, or the path is a directory.
        """
        file = None if path is None else checked_path(path)
        page = html.page(self)
        if file is not None:
            save(file, page.encode(errors="xmlcharrefreplace"))
        return page

    def _repr_html_(self) -> str:
        return html.fragment(self)
