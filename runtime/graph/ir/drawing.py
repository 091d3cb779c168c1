"""A graph as a drawing: in the languages of Graphviz and Mermaid, and as HTML for notebooks."""

from __future__ import annotations

import html
import itertools
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field

from .ir import Graph, Node
from .text import outside, short

MAX_DRAWN = 150
"""Nodes of a graph that is still drawn where it displays itself."""
MAX_LINES = 120
"""Lines of text that a graph displays of itself."""
_SECONDS = 20


@dataclass
class _Box:
    """A graph as it is drawn: nodes by name with their label and shape, and the graphs inside."""

    title: str
    name: str
    nodes: list[tuple[str, str, bool]] = field(default_factory=list)
    inner: list[_Box] = field(default_factory=list)


class _Drawing:
    """The boxes of a graph, and the edges from node to node with their label; inputs of a body are dashed."""

    def __init__(self, graph: Graph):
        self.names: dict[Node, str] = {}
        self.edges: list[tuple[str, str, str, bool]] = []
        self._count = itertools.count()
        self.box = self._boxed(graph)[0]

    def _boxed(self, graph: Graph) -> tuple[_Box, str]:
        """The box of a graph, and the name of the node that stands for its end."""
        box = _Box(graph.name, f"g{next(self._count)}" if self.names else "")
        for argument in graph.arguments:
            self._place(box, argument, str(argument.attrs.get("name", "")), is_round=True)
        for node in graph.nodes:
            made = [(inner, *self._boxed(inner)) for inner in node.graphs()]
            box.inner += [part for _, part, _ in made]
            name = self._place(box, node, _label(node))
            given = set()
            for inner, _, end in made:
                for (word, value), argument in zip(outside(node, inner), inner.arguments, strict=True):
                    given.add(value)
                    label = "" if word == "=" else word
                    self.edges.append((self.names[value], self.names[argument], label, True))
                self.edges.append((end, name, inner.name, True))
            for value in dict.fromkeys(node.inputs):
                if value not in given:
                    self.edges.append((self.names[value], name, "", False))
        end = f"n{next(self._count)}"
        box.nodes.append((end, "return", True))
        self.edges += [(self.names[result], end, "", False) for result in dict.fromkeys(graph.results)]
        return box, end

    def _place(self, box: _Box, node: Node, label: str, *, is_round: bool = False) -> str:
        name = self.names[node] = f"n{next(self._count)}"
        kind = "" if node.type is None else f"\n{node.type}"
        box.nodes.append((name, f"{label}{kind}".strip("\n"), is_round))
        return name


def _label(node: Node) -> str:
    if node.op == "constant":
        return f"constant {short(node.attrs['value'])}"
    return f"output {node.attrs['index']}" if node.op == "output" else node.op


_HEAD = (
    'bgcolor="transparent"',
    'node [fontname="monospace", fontsize=11]',
    'edge [fontname="monospace", fontsize=10]',
)


def to_dot(graph: Graph) -> str:
    drawing = _Drawing(graph)
    lines = ["digraph {", *(f"  {line};" for line in _HEAD), *_dot_lines(drawing.box, "  ")]
    for start, end, label, is_dashed in drawing.edges:
        attributes = [f"label={_quoted(label)}"] * bool(label) + ["style=dashed"] * is_dashed
        shown = f" [{', '.join(attributes)}]" if attributes else ""
        lines.append(f"  {start} -> {end}{shown};")
    return "\n".join([*lines, "}"])


def _dot_lines(box: _Box, indent: str) -> Iterator[str]:
    for inner in box.inner:
        yield f"{indent}subgraph cluster_{inner.name} {{"
        yield f'{indent}  label={_quoted(inner.title)}; style=rounded; fontname="monospace"; fontsize=11;'
        yield from _dot_lines(inner, indent + "  ")
        yield f"{indent}}}"
    for name, label, is_round in box.nodes:
        yield f"{indent}{name} [label={_quoted(label)}, shape={'ellipse' if is_round else 'box'}];"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def to_mermaid(graph: Graph) -> str:
    drawing = _Drawing(graph)
    lines = ["flowchart TD", *_mermaid_lines(drawing.box, "  ")]
    for start, end, label, is_dashed in drawing.edges:
        arrow = "-.->" if is_dashed else "-->"
        lines.append(f"  {start} {arrow}{f'|{_encoded(label)}|' if label else ''} {end}")
    return "\n".join(lines)


def _mermaid_lines(box: _Box, indent: str) -> Iterator[str]:
    for inner in box.inner:
        yield f"{indent}subgraph {inner.name}[{_encoded(inner.title)}]"
        yield from _mermaid_lines(inner, indent + "  ")
        yield f"{indent}end"
    for name, label, is_round in box.nodes:
        opening, closing = ("([", "])") if is_round else ("[", "]")
        yield f"{indent}{name}{opening}{_encoded(label)}{closing}"


def _encoded(text: str) -> str:
    """Text in quotes, its signs as numbers of characters: Mermaid reads many of them in its own way."""
    return f'"{"".join(map(_sign, text))}"'


def _sign(letter: str) -> str:
    if letter.isalnum() or letter in " _.,:=-":
        return letter
    return "<br/>" if letter == "\n" else f"#{ord(letter)};"


def to_svg(dot: str) -> str:
    """What Graphviz's `dot` draws; "" where there is none, or it takes too long."""
    command = shutil.which("dot")
    if command is None:
        return ""
    try:
        made = subprocess.run(  # noqa: S603 - the program of that name on the user's own path
            [command, "-Tsvg"],
            input=dot.encode(errors="replace"),
            capture_output=True,
            timeout=_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    text = made.stdout.decode()
    return text[text.index("<svg") :]


def to_html(graph: Graph) -> str:
    """A graph for a notebook: drawn where that can be done and it is not too large, and its text."""
    size, lines = len(graph), str(graph).split("\n")
    if len(lines) > MAX_LINES:
        lines = [*lines[:MAX_LINES], f"... {len(lines) - MAX_LINES} lines more: print(graph) has all"]
    text = f"<pre>{html.escape(chr(10).join(lines))}</pre>"
    if size > MAX_DRAWN:
        return f"<p>A graph of {size} nodes is not drawn here: to_dot() gives it to Graphviz.</p>{text}"
    drawn = to_svg(to_dot(graph))
    return f"{drawn}<details><summary>{size} nodes as text</summary>{text}</details>" if drawn else text
