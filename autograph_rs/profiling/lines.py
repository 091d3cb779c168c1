"""Lines and stacks of the user's code with their times, and times as text."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

Where: TypeAlias = Literal["Python", "native"]


class Frame(NamedTuple):
    """A line of the user's code that was being executed, and its function."""

    file: str
    line: int
    function: str
    text: str


@dataclass(frozen=True)
class Stack:
    """A line with what led to it: the loops, conditionals and calls around it, outermost first.

    Successive frames of one function are statements inside of each other. `seconds` is the time of the last
    frame alone. `runs` counts how often its line ran in a call, or is None if that is unknown. `is_native`
    tells whether it is machine code; its time is then an estimate.
    """

    frames: tuple[Frame, ...]
    seconds: float
    runs: int | None
    is_native: bool


@dataclass(frozen=True)
class Line:
    """A line of the user's code.

    `seconds` is its time in one call, `share` that time as a fraction of the time of all lines, and `runs`
    how often it ran, or None if that is unknown. A called function's lines have their own times. `where` is
    what took most of the time: "Python", or "native" for machine code, whose time is an estimate.
    """

    file: str
    line: int
    text: str
    function: str
    seconds: float
    share: float
    runs: int | None
    where: Where


def line_of(stacks: Sequence[Stack], total: float) -> Line:
    """Return a line from the stacks that end in it."""
    frame = stacks[0].frames[-1]
    seconds = sum(stack.seconds for stack in stacks)
    native_seconds = sum(stack.seconds for stack in stacks if stack.is_native)
    counts: dict[tuple[Frame, ...], int] = {}
    for stack in stacks:
        counts[stack.frames] = max(counts.get(stack.frames, 0), stack.runs or 0)
    is_known = all(stack.runs is not None for stack in stacks)
    runs = sum(counts.values()) if is_known else None
    where: Where = "native" if native_seconds > seconds / 2 else "Python"
    return Line(frame.file, frame.line, frame.text, frame.function, seconds, seconds / total, runs, where)


def format_place(line: Line | Frame) -> str:
    """Return the name of the file without its folder, and the number of the line."""
    return f"{os.path.basename(line.file)}:{line.line}" if line.file else "-"


def format_line(line: Line) -> tuple[str, str, str, str]:
    """Return the time, the share, the number of runs and the engine of a line as text."""
    estimate = "" if line.where == "Python" else "~"
    runs = "?" if line.runs is None else f"{line.runs:,}"
    return f"{estimate}{format_time(line.seconds)}", f"{100 * line.share:.1f} %", runs, line.where


def format_time(seconds: float) -> str:
    """Return a time with three digits, in a unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return (
                f"{seconds / size:.3g} {unit}" if seconds < 1000 * size else f"{seconds / size:,.0f} {unit}"
            )
    return f"{1e9 * seconds:.3g} ns"
