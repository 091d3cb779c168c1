"""A report as a page of HTML that needs nothing else, and as a part of one for notebooks."""

from __future__ import annotations

import html
from collections.abc import Iterator
from importlib import resources

from autograph_rs.runtime.graph.drawing import MAX_DRAWN, to_svg

from .colours import coloured
from .report import Call, Report, Statement, judgement, summary

MAX_ROWS = 60
"""Statements that a report shows of itself in a notebook."""
_LEGEND = {
    "plain": "Python ran it",
    "staged": "became part of what the backend builds",
    "unrolled": "a plain loop, each of whose rounds was staged",
    "left": "stays in Python",
    "converted": "an operator decides when it runs",
    "not run": "the trace did not come by",
}


def page(report: Report) -> str:
    title = html.escape(f"{report.name}: what became of it")
    sections = "\n".join([_code(report), _statements(report), _calls(report), _graph(report)])
    parts = [("code", "code"), ("statements", "statements"), ("calls", "calls"), ("graph", "graph")]
    links = "".join(f'<a href="#{name}">{text}</a>' for name, text in parts if f'id="{name}"' in sections)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>
{_data("page.css")}</style>
</head>
<body>
<header>
<h1><code>{html.escape(report.name)}</code></h1>
{"".join(_notes(report))}<nav aria-label="Parts of this page">{links}</nav>
</header>
<main>
{sections}
</main>
<script>
{_data("page.js")}</script>
</body>
</html>
"""


def _data(name: str) -> str:
    return (resources.files(__package__) / name).read_text(encoding="utf-8")


def _notes(report: Report) -> Iterator[str]:
    by = f"traced by {report.backend}" if report.backend else "not run"
    yield f"<p>{html.escape(f'{report.file}:{report.line}, {by}')}</p>\n"
    if report.left:
        yield f"<p>{html.escape(f'A call of it from converted code leaves it as it is: {report.left}')}</p>\n"
    if report.error is not None:
        text = f"{type(report.error).__name__}: {report.error}"
        yield f'<p class="error" role="alert">{html.escape(text)}</p>\n'


def _code(report: Report) -> str:
    used = dict.fromkeys(s.what for s in report.statements)
    legend = "".join(f'<li class="{_class(w)}"><b>{w}</b>: {_LEGEND[w]}</li>' for w in _LEGEND if w in used)
    return f"""<section aria-labelledby="code">
<h2 id="code">Code</h2>
<ul class="legend">{legend}</ul>
<div class="panes">
{_pane("As it is written", "".join(_written(report)))}
{_pane("What it is converted to", "".join(_made(report)))}
</div>
</section>"""


def _pane(title: str, lines: str) -> str:
    label = html.escape(title)
    return f"""<div class="pane"><h3>{label}</h3>
<div class="scroll" tabindex="0" role="region" aria-label="{label}"><div class="lines">
{lines}</div></div></div>"""


def _class(what: str) -> str:
    return what.replace(" ", "-")


def _written(report: Report) -> Iterator[str]:
    first: dict[int, Statement] = {}
    for statement in report.statements:
        first.setdefault(statement.line, statement)
    for number, text in enumerate(coloured(report.source), report.line):
        kinds, where = ["line"], f'<span class="number">{number}</span>'
        if number in first:
            kinds.append(_class(first[number].what))
            title = html.escape(summary(first[number]))
            where = f'<a class="number" href="#S{number}" title="{title}">{number}</a>'
        if number == report.error_line:
            kinds.append("failed")
        place = f'id="L{number}" data-lines="{number}"'
        yield f'<div class="{" ".join(kinds)}" {place}>{where}<code>{text}</code></div>\n'


def _made(report: Report) -> Iterator[str]:
    lines = coloured(report.converted.split("\n"))
    for number, (text, origins) in enumerate(zip(lines, report.origins, strict=True), 1):
        if origins:
            where = f'<a class="number" href="#L{origins[0]}" title="line {origins[0]}">{number}</a>'
            given = f' data-lines="{" ".join(map(str, origins))}"'
        else:
            where, given = f'<span class="number">{number}</span>', ""
        yield f'<div class="line"{given}>{where}<code>{text}</code></div>\n'


def _statements(report: Report) -> str:
    rows, seen = [], set[int]()
    for s in report.statements:
        name = "" if s.line in seen else f' id="S{s.line}"'
        seen.add(s.line)
        rows.append(f"<tr{name}>{_line(s.line)}{''.join(_cells(s))}</tr>")
    return f"""<section aria-labelledby="statements">
<h2 id="statements">Statements</h2>
{_table(("line", "statement", "what became of it"), rows)}
</section>"""


def _cells(s: Statement) -> Iterator[str]:
    indent = f"padding-left: {min(s.depth, 8) + 0.6}rem"
    yield f'<td style="{indent}"><code>{coloured([s.text])[0]}</code></td>'
    why = "".join(f"<li>{html.escape(text)}</li>" for text in s.why)
    listed = f"<ul>{why}</ul>" if why else ""
    yield f'<td><span class="what {_class(s.what)}">{html.escape(summary(s))}</span>{listed}</td>'


def _calls(report: Report) -> str:
    if not report.calls:
        return ""
    rows = [f"<tr>{_line(call.line)}{_call(call)}</tr>" for call in report.calls]
    return f"""<section aria-labelledby="calls">
<h2 id="calls">Calls</h2>
{_table(("line", "callee", "converted or left, and the rule"), rows)}
</section>"""


def _line(number: int) -> str:
    return f'<td data-name="line"><a href="#L{number}">{number}</a></td>'


def _call(call: Call) -> str:
    return f"<td><code>{html.escape(call.callee)}</code></td><td>{html.escape(judgement(call))}</td>"


def _table(heads: tuple[str, ...], rows: list[str]) -> str:
    head = "".join(f'<th scope="col">{text}</th>' for text in heads)
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n{chr(10).join(rows)}\n</tbody></table>"


def _graph(report: Report) -> str:
    if report.graph is None:
        return ""
    graph, dot = report.graph, report.graph.to_dot()
    size = len(graph)
    drawn = to_svg(dot) if size <= MAX_DRAWN else ""
    shown = (
        f'<div class="graph" tabindex="0" role="img" aria-label="The graph">{drawn}</div>' if drawn else ""
    )
    if size > MAX_DRAWN:
        shown = f"<p>{size} nodes are too many to be drawn here.</p>"
    texts = (("As text", str(graph)), ("For Graphviz", dot), ("For Mermaid", graph.to_mermaid()))
    details = "\n".join(
        f'<details><summary>{name}</summary><pre tabindex="0">{html.escape(text)}</pre></details>'
        for name, text in texts
    )
    return f"""<section aria-labelledby="graph">
<h2 id="graph">Graph</h2>
{shown}
{details}
</section>"""


def fragment(report: Report) -> str:
    """The statements and calls of a report as tables; no scripts, and no style but what a notebook has."""
    rows = []
    for s in report.statements[:MAX_ROWS]:
        text = html.escape("    " * s.depth + s.text)
        why = "".join(f"<br><small>{html.escape(line)}</small>" for line in s.why)
        left = "text-align: left"
        rows.append(
            f'<tr><td>{s.line}</td><td style="{left}"><code style="white-space: pre-wrap">{text}</code></td>'
            f'<td style="{left}"><b>{html.escape(summary(s))}</b>{why}</td></tr>'
        )
    more = len(report.statements) - MAX_ROWS
    note = f"<p>{more} statements more: print(report) has all, to_html() a page.</p>" if more > 0 else ""
    calls = "".join(
        f"<li>{call.line}: <code>{html.escape(call.callee)}</code>: {html.escape(judgement(call))}</li>"
        for call in report.calls[:MAX_ROWS]
    )
    listed = f"<details><summary>calls</summary><ul>{calls}</ul></details>" if calls else ""
    notes = "".join(_notes(report))
    table = _table(("line", "statement", "what became of it"), rows)
    return f"<div><b><code>{html.escape(report.name)}</code></b>{notes}{table}{note}{listed}</div>"
