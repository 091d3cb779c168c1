"""Render a profile as a self-contained HTML page with a flame graph, or as a table for notebooks."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ..explaining.highlighting import highlight
from ..explaining.html import document, resource, section, table
from .lines import Line, Stack, format_line, format_place, format_time

_HEADS = ("line", "source", "time", "share", "runs", "where")
_HELP = "Arrow keys move, Enter or a click zooms in, Escape zooms out. The width of a bar is its time."
_LEGEND = """<ul class="legend"><li class="function"><b>function</b>: a call of it</li>
<li class="python"><b>Python</b>: a line that calls NumPy</li>
<li class="native"><b>native</b>: a line in machine code; its time is an estimate</li></ul>"""


@dataclass
class _Bar:
    """A bar of the flame graph: a function or a line, with the bars of what ran inside of it below."""

    label: str
    place: str = ""
    seconds: float = 0.0
    native_seconds: float = 0.0
    runs: int = 0
    bars: dict[Any, _Bar] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        if not self.place:
            return "function"
        return "native" if self.native_seconds > self.seconds / 2 else "python"


def flame(name: str, stacks: Iterable[Stack]) -> _Bar:
    """Return the bar of a whole call. Each stack adds a bar for each function and each line."""
    root = _Bar(name)
    for stack in stacks:
        path = [root]
        function = stack.frames[0].function
        for frame in stack.frames:
            if frame.function != function:
                function = frame.function
                called = function.rpartition("<locals>.")[2]
                path.append(path[-1].bars.setdefault(function, _Bar(called)))
            path.append(path[-1].bars.setdefault(frame[:3], _Bar(frame.text, format_place(frame))))
        path[-1].runs = max(path[-1].runs, stack.runs or 0)
        for bar in path:
            bar.seconds += stack.seconds
            bar.native_seconds += stack.seconds * stack.is_native
    return root


def page(profile: Any) -> str:
    header = f"<h1><code>{html.escape(profile.function)}</code></h1>\n<p>{html.escape(profile.headline)}</p>"
    root = flame(profile.function, profile.stacks)
    depth = _depth(root)
    bars = "".join(_bars(root, root.seconds or 1.0, 0.0, 1))
    graph = section(
        "Flame graph",
        f'<p id="help">{_HELP}</p>',
        '<div class="flame" role="tree" aria-label="Flame graph" aria-describedby="help" '
        f'style="--depth: {depth}">\n{bars}</div>',
        '<p class="selected" role="status" aria-live="polite">&nbsp;</p>',
        _LEGEND,
    )
    rows = [f"<tr>{''.join(_cells(line))}</tr>" for line in profile.lines]
    main = "\n".join([graph, section("Lines", table(_HEADS, rows))])
    script, style = (resource(__package__, name) for name in ("page.js", "page.css"))
    return document(f"{profile.function}: profile", header, main, script, style)


def _depth(bar: _Bar) -> int:
    return 1 + max(map(_depth, bar.bars.values()), default=0)


def _bars(bar: _Bar, total: float, start: float, level: int) -> Iterator[str]:
    """Yield a bar and those below it; `start` is where it begins, as a fraction of the width."""
    share = bar.seconds / total
    texts = [bar.label, bar.place, format_time(bar.seconds), f"{100 * share:.1f} %"]
    if bar.runs:
        texts.append(f"{bar.runs:,} run{'s' * (bar.runs != 1)}")
    title = html.escape(", ".join(filter(None, texts)))
    yield (
        f'<button type="button" class="{bar.kind}" role="treeitem" aria-level="{level}" '
        f'tabindex="{-1 if level > 1 else 0}" data-start="{start:.6f}" data-share="{share:.6f}" '
        f'style="left: {100 * start:.4f}%; width: {100 * share:.4f}%; --level: {level - 1}" title="{title}" '
        f'aria-label="{title}">{html.escape(bar.label)}</button>\n'
    )
    for inner in bar.bars.values():
        yield from _bars(inner, total, start, level + 1)
        start += inner.seconds / total


def _cells(line: Line) -> Iterator[str]:
    yield f'<td data-name="line" title="{html.escape(line.file)}">{html.escape(format_place(line))}</td>'
    yield f"<td><code>{highlight([line.text])[0]}</code></td>"
    for name, text in zip(_HEADS[2:], format_line(line), strict=True):
        yield f'<td data-name="{name}">{text}</td>'


def fragment(profile: Any) -> str:
    """Render the lines of a profile as a table, for a notebook."""
    rows = [f"<tr>{''.join(_cells(line))}</tr>" for line in profile.lines]
    return f"<div><p>{html.escape(profile.headline)}</p>{table(_HEADS, rows)}</div>"
