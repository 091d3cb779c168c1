"""Render a report as a self-contained HTML page, or as a fragment for notebooks."""

from __future__ import annotations

import html
from collections.abc import Iterator
from importlib import resources
from typing import Any

from autograph_rs.runtime.graph.ir.drawing import MAX_DRAWN, to_svg

from .highlighting import highlight
from .statements import Statement, call_summary, summary

MAX_ROWS = 60
"""The maximum number of statements, and of calls, that a notebook displays."""
_LEGEND = {
    "plain": "Python ran it",
    "staged": "became part of the staged program",
    "unrolled": "a plain loop whose iterations were staged",
    "left": "cannot be staged, stays in Python",
    "converted": "an operator decides at run time whether to stage it",
    "not run": "the trace did not reach it",
}


def page(report: Any) -> str:
    sections = "\n".join([_code(report), _statements(report), _calls(report), _graph(report)])
    names = [name for name in ("code", "statements", "calls", "graph") if f'id="{name}"' in sections]
    links = "".join(f'<a href="#{name}">{name}</a>' for name in names)
    header = f"""<h1><code>{html.escape(report.name)}</code></h1>
{"".join(_notes(report))}<nav aria-label="Parts of this page">{links}</nav>"""
    return document(f"{report.name}: staging report", header, sections, resource(__package__, "page.js"))


def document(title: str, header: str, main: str, script: str, style: str = "") -> str:
    """Return a page that loads nothing. Its style is `page.css`, and `style` after it."""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)}</title>
<link rel="icon" href="data:,">
<style>
{resource(__package__, "page.css")}{style}</style>
</head>
<body>
<header>
{header}
</header>
<main>
{main}
</main>
<script>
{script}</script>
</body>
</html>
"""


def resource(package: str, name: str) -> str:
    return (resources.files(package) / name).read_text(encoding="utf-8")


def section(title: str, *lines: str) -> str:
    name = title.lower()
    body = "\n".join([f'<h2 id="{name}">{title}</h2>', *lines])
    return f'<section aria-labelledby="{name}">\n{body}\n</section>'


def _notes(report: Any) -> Iterator[str]:
    by = f"traced by {report.backend}" if report.backend else "not run"
    yield f"<p>{html.escape(f'{report.file}:{report.line}, {by}')}</p>\n"
    if report.left:
        yield f"<p>{html.escape(f'Left unconverted when converted code calls it: {report.left}')}</p>\n"
    if report.error is not None:
        text = html.escape(f"{type(report.error).__name__}: {report.error}")
        yield f'<p class="error" role="alert">{text}</p>\n'


def _code(report: Any) -> str:
    used = dict.fromkeys(s.what for s in report.statements)
    legend = "".join(f'<li class="{_class(w)}"><b>{w}</b>: {_LEGEND[w]}</li>' for w in _LEGEND if w in used)
    panes = [
        _pane("Original", "".join(_original_lines(report))),
        _pane("Converted", "".join(_converted_lines(report))),
    ]
    return section("Code", f'<ul class="legend">{legend}</ul>', '<div class="panes">', *panes, "</div>")


def _pane(title: str, lines: str) -> str:
    label = html.escape(title)
    return f"""<div class="pane"><h3>{label}</h3>
<div class="scroll" tabindex="0" role="region" aria-label="{label}"><div class="lines">
{lines}</div></div></div>"""


def _class(what: str) -> str:
    return what.replace(" ", "-")


def _original_lines(report: Any) -> Iterator[str]:
    first = {s.line: s for s in reversed(report.statements)}
    for number, text in enumerate(highlight(report.source), report.line):
        kinds, link = ["line"], f'<span class="number">{number}</span>'
        if number in first:
            kinds.append(_class(first[number].what))
            title = html.escape(summary(first[number]))
            link = f'<a class="number" href="#S{number}" title="{title}">{number}</a>'
        if number == report.error_line:
            kinds.append("failed")
        anchor = f'id="L{number}" data-lines="{number}"'
        yield f'<div class="{" ".join(kinds)}" {anchor}>{link}<code>{text}</code></div>\n'


def _converted_lines(report: Any) -> Iterator[str]:
    lines = highlight(report.converted.split("\n"))
    for number, (text, origins) in enumerate(zip(lines, report.origins, strict=True), 1):
        if origins:
            link = f'<a class="number" href="#L{origins[0]}" title="line {origins[0]}">{number}</a>'
            data = f' data-lines="{" ".join(map(str, origins))}"'
        else:
            link, data = f'<span class="number">{number}</span>', ""
        yield f'<div class="line"{data}>{link}<code>{text}</code></div>\n'


def _statements(report: Any) -> str:
    rows, seen = [], set[int]()
    for s in report.statements:
        anchor = "" if s.line in seen else f' id="S{s.line}"'
        seen.add(s.line)
        rows.append(f"<tr{anchor}>{_line(s.line)}{''.join(_cells(s))}</tr>")
    return section("Statements", table(("line", "statement", "result"), rows))


def _cells(s: Statement) -> Iterator[str]:
    indent = f"padding-left: {min(s.depth, 8) + 0.6}rem"
    yield f'<td style="{indent}"><code>{highlight([s.text])[0]}</code></td>'
    why = "".join(f"<li>{html.escape(text)}</li>" for text in s.notes)
    listed = f"<ul>{why}</ul>" if why else ""
    yield f'<td><span class="what {_class(s.what)}">{html.escape(summary(s))}</span>{listed}</td>'


def _calls(report: Any) -> str:
    if not report.calls:
        return ""
    rows = [
        f"<tr>{_line(call.line)}<td><code>{html.escape(call.callee)}</code></td>"
        f"<td>{html.escape(call_summary(call))}</td></tr>"
        for call in report.calls
    ]
    return section("Calls", table(("line", "callee", "result"), rows))


def _line(number: int) -> str:
    return f'<td data-name="line"><a href="#L{number}">{number}</a></td>'


def table(heads: tuple[str, ...], rows: list[str]) -> str:
    head = "".join(f'<th scope="col">{text}</th>' for text in heads)
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n{chr(10).join(rows)}\n</tbody></table>"


def _graph(report: Any) -> str:
    if report.graph is None:
        return ""
    graph, dot = report.graph, report.graph.to_dot()
    size = len(graph)
    svg = to_svg(dot) if size <= MAX_DRAWN else ""
    drawing = f'<div class="graph" tabindex="0" role="img" aria-label="The graph">{svg}</div>' if svg else ""
    if size > MAX_DRAWN:
        drawing = f"<p>The graph is too large to draw: it has {size} nodes.</p>"
    texts = (("As text", str(graph)), ("For Graphviz", dot), ("For Mermaid", graph.to_mermaid()))
    details = [
        f'<details><summary>{name}</summary><pre tabindex="0">{html.escape(text)}</pre></details>'
        for name, text in texts
    ]
    return section("Graph", drawing, *details)


def fragment(report: Any) -> str:
    """Render the statements and calls of a report as tables without scripts, for a notebook."""
    rows = []
    for s in report.statements[:MAX_ROWS]:
        text = html.escape("    " * s.depth + s.text)
        why = "".join(f"<br><small>{html.escape(line)}</small>" for line in s.notes)
        rows.append(
            f"<tr><td>{s.line}</td>"
            f'<td style="text-align: left"><code style="white-space: pre-wrap">{text}</code></td>'
            f'<td style="text-align: left"><b>{html.escape(summary(s))}</b>{why}</td></tr>'
        )
    more = len(report.statements) - MAX_ROWS
    note = f"<p>{more} more statements; print(report) and to_html() show all of them.</p>" if more > 0 else ""
    calls = "".join(
        f"<li>{call.line}: <code>{html.escape(call.callee)}</code>: {html.escape(call_summary(call))}</li>"
        for call in report.calls[:MAX_ROWS]
    )
    listed = f"<details><summary>calls</summary><ul>{calls}</ul></details>" if calls else ""
    notes = "".join(_notes(report))
    statements = table(("line", "statement", "result"), rows)
    return f"<div><b><code>{html.escape(report.name)}</code></b>{notes}{statements}{note}{listed}</div>"
