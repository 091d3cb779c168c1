"""Draw a graph as Graphviz DOT, as a Mermaid flowchart, and as HTML for notebooks."""

from __future__ import annotations

import html
import itertools
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field

from .graph import GRAPH_METHODS, Graph, Node
from .printer import abbreviate
from .subgraphs import argument_sources, called_names

MAX_DRAWN = 150
"""A notebook draws only graphs of at most this many nodes."""
MAX_LINES = 120
"""A notebook displays at most this many lines of a graph."""
_TIMEOUT_SECONDS = 20


@dataclass
class _Cluster:
    """A graph to draw: its nodes as (name, label, is_round), and its inner graphs."""

    title: str
    name: str
    nodes: list[tuple[str, str, bool]] = field(default_factory=list)
    inner: list[_Cluster] = field(default_factory=list)


class _Drawing:
    """The clusters and edges of a graph. An edge is (start, end, label, is_dashed)."""

    def __init__(self, graph: Graph):
        self.names: dict[Node, str] = {}
        self.edges: list[tuple[str, str, str, bool]] = []
        self._count = itertools.count()
        self._called = called_names(graph)
        self.cluster = self._add_cluster(graph)[0]
        self.cluster.inner += [self._add_cluster(called)[0] for called in self._called]

    def _add_cluster(self, graph: Graph) -> tuple[_Cluster, str]:
        """Return the cluster of a graph and the name of its `return` node."""
        cluster = _Cluster(self._called.get(graph, graph.name), f"g{next(self._count)}" if self.names else "")
        for argument in graph.arguments:
            self._add_node(cluster, argument, str(argument.attrs.get("name", "")), is_round=True)
        for node in graph.nodes:
            clusters = [(inner, *self._add_cluster(inner)) for inner in node.graphs()]
            cluster.inner += [inner_cluster for _, inner_cluster, _ in clusters]
            called = self._called.get(node.attrs.get("graph"))  # type: ignore[arg-type]
            name = self._add_node(cluster, node, f"call {called}" if called else _label(node))
            passed_inside = set()
            for inner, _, end in clusters:
                for relation, value, argument in argument_sources(node, inner):
                    passed_inside.add(value)
                    label = "" if relation == "=" else relation
                    self.edges.append((self.names[value], self.names[argument], label, True))
                self.edges.append((end, name, inner.name, True))
            for value in dict.fromkeys(node.inputs):
                if value not in passed_inside:
                    self.edges.append((self.names[value], name, "", False))
        end = f"n{next(self._count)}"
        cluster.nodes.append((end, "return", True))
        self.edges += [(self.names[result], end, "", False) for result in dict.fromkeys(graph.results)]
        return cluster, end

    def _add_node(self, cluster: _Cluster, node: Node, label: str, *, is_round: bool = False) -> str:
        name = self.names[node] = f"n{next(self._count)}"
        kind = "" if node.type is None else f"\n{node.type}"
        cluster.nodes.append((name, f"{label}{kind}".strip("\n"), is_round))
        return name


def _label(node: Node) -> str:
    if node.op == "constant":
        return f"constant {abbreviate(node.attrs['value'])}"
    return f"output {node.attrs['index']}" if node.op == "output" else node.op


_HEAD = (
    'bgcolor="transparent"',
    'node [fontname="monospace", fontsize=11]',
    'edge [fontname="monospace", fontsize=10]',
)


def to_dot(graph: Graph) -> str:
    drawing = _Drawing(graph)
    lines = ["digraph {", *(f"  {line};" for line in _HEAD), *_dot_lines(drawing.cluster, "  ")]
    for start, end, label, is_dashed in drawing.edges:
        attributes = [f"label={_quoted(label)}"] * bool(label) + ["style=dashed"] * is_dashed
        suffix = f" [{', '.join(attributes)}]" if attributes else ""
        lines.append(f"  {start} -> {end}{suffix};")
    return "\n".join([*lines, "}"])


def _dot_lines(cluster: _Cluster, indent: str) -> Iterator[str]:
    for inner in cluster.inner:
        yield f"{indent}subgraph cluster_{inner.name} {{"
        yield f'{indent}  label={_quoted(inner.title)}; style=rounded; fontname="monospace"; fontsize=11;'
        yield from _dot_lines(inner, indent + "  ")
        yield f"{indent}}}"
    for name, label, is_round in cluster.nodes:
        yield f"{indent}{name} [label={_quoted(label)}, shape={'ellipse' if is_round else 'box'}];"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def to_mermaid(graph: Graph) -> str:
    drawing = _Drawing(graph)
    lines = ["flowchart TD", *_mermaid_lines(drawing.cluster, "  ")]
    for start, end, label, is_dashed in drawing.edges:
        arrow = "-.->" if is_dashed else "-->"
        lines.append(f"  {start} {arrow}{f'|{_encoded(label)}|' if label else ''} {end}")
    return "\n".join(lines)


def _mermaid_lines(cluster: _Cluster, indent: str) -> Iterator[str]:
    for inner in cluster.inner:
        yield f"{indent}subgraph {inner.name}[{_encoded(inner.title)}]"
        yield from _mermaid_lines(inner, indent + "  ")
        yield f"{indent}end"
    for name, label, is_round in cluster.nodes:
        opening, closing = ("([", "])") if is_round else ("[", "]")
        yield f"{indent}{name}{opening}{_encoded(label)}{closing}"


def _encoded(text: str) -> str:
    """Quote text for Mermaid. Punctuation that Mermaid might interpret becomes character codes."""
    return f'"{"".join(map(_encoded_character, text))}"'


def _encoded_character(character: str) -> str:
    if character.isalnum() or character in " _.,:=-":
        return character
    return "<br/>" if character == "\n" else f"#{ord(character)};"


def to_svg(dot: str) -> str:
    """Render a DOT graph with Graphviz; return "" if `dot` is not installed, fails or takes too long."""
    command = shutil.which("dot")
    if command is None:
        return ""
    try:
        process = subprocess.run(  # noqa: S603 - `dot` from the user's own PATH
            [command, "-Tsvg"],
            input=dot.encode(errors="replace"),
            capture_output=True,
            timeout=_TIMEOUT_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    text = process.stdout.decode()
    return text[text.index("<svg") :]


def to_html(graph: Graph) -> str:
    """Return a graph as HTML: its text, and a drawing if the graph is small and Graphviz is installed."""
    size, lines = len(graph), str(graph).split("\n")
    if len(lines) > MAX_LINES:
        lines = [*lines[:MAX_LINES], f"... {len(lines) - MAX_LINES} more lines: print(graph) shows all"]
    text = f"<pre>{html.escape(chr(10).join(lines))}</pre>"
    if size > MAX_DRAWN:
        return (
            f"<p>This graph has {size} nodes, too many to draw here: render to_dot() with Graphviz.</p>{text}"
        )
    drawn = to_svg(to_dot(graph))
    return f"{drawn}<details><summary>{size} nodes as text</summary>{text}</details>" if drawn else text


GRAPH_METHODS.update(dot=to_dot, mermaid=to_mermaid, html=to_html)
