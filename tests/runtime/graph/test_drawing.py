"""Graphs in the languages of Graphviz and Mermaid, and as they display themselves in a notebook."""

from __future__ import annotations

import re
import shutil
import subprocess
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from backends.support import required_program
from cases_support import ALL

import autograph_rs as ag
from autograph_rs.runtime.graph.ir import drawing


def walk(xs, limit):
    total = 0.0
    for x in xs:
        if x > limit:
            total += x
    while total > 10:
        total = total / 2
    print('a "quoted" <b>\\n</b> %% ] text', total)
    return total


def graph_of(f, *arguments):
    return ag.function(f).get_concrete_function(*arguments).graph


@pytest.fixture(scope="module")
def graph():
    return graph_of(walk, np.ones(3), np.float64(1))


def test_dot_reads_it(graph):
    """Graphviz's own `dot` draws each node, each edge and each graph inside."""
    dot = graph.to_dot()
    command = [required_program("dot"), "-Tsvg"]
    made = subprocess.run(command, input=dot, capture_output=True, text=True, timeout=300, check=True)
    assert made.stderr == ""
    kinds = [g.get("class") for g in ET.fromstring(made.stdout).iter() if g.get("class")]
    inner = [g for node in graph.walk() for g in node.graphs()]
    graphs = [graph, *inner]
    assert kinds.count("node") == sum(len(g.nodes) + len(g.arguments) + 1 for g in graphs)
    assert kinds.count("edge") == dot.count(" -> ")
    assert kinds.count("cluster") == len(inner) == 4


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["thirty_arms", "break_two_deep", "f_string_in_branch", "strings", "append_in_while"]
)
def test_samples_are_drawn(name):
    """Text in a graph, long graphs, lists: `dot` takes what they become."""
    sample = next(s for s in ALL if s.name == name)
    made = drawing.to_svg(graph_of(sample.function, *sample.staged[0]).to_dot())
    assert made.startswith("<svg") == (shutil.which("dot") is not None)


def names_of(text, pattern):
    return re.findall(pattern, text, re.MULTILINE)


def test_both_languages_have_the_same_nodes_and_edges(graph):
    """A dashed edge labels each argument of a body with its value outside."""
    dot, mermaid = graph.to_dot(), graph.to_mermaid()
    nodes = names_of(dot, r"^ +(n\d+) \[label")
    assert sorted(nodes) == sorted(set(nodes)) == sorted(names_of(mermaid, r"^ +(n\d+)(?:\[|\(\[)"))
    edges = names_of(dot, r"^  (n\d+) -> (n\d+)")
    assert edges == names_of(mermaid, r"^  (n\d+) -\.?->(?:\|.*\|)? (n\d+)$")
    assert {end for edge in edges for end in edge} <= set(nodes)
    assert dot.count('label="in", style=dashed') == 1
    assert dot.count('label="from", style=dashed') == 2
    assert mermaid.count('-.->|"in"|') == 1
    assert mermaid.count("subgraph ") == sum(line.strip() == "end" for line in mermaid.split("\n"))


def test_signs_are_escaped():
    """Quotes, backslashes and new lines stay inside their label, in both languages."""
    assert drawing._quoted('a "b" \\N\n') == '"a \\"b\\" \\\\N\\n"'
    assert drawing._encoded('a"b`<|#;\n]') == '"a#34;b#96;#60;#124;#35;#59;<br/>#93;"'


def test_what_a_notebook_shows(graph, monkeypatch):
    """Drawn where it can be; text where there is no `dot`, or the graph is large; a long text is cut."""
    shown = graph._repr_html_()
    assert ("<svg" in shown) == (shutil.which("dot") is not None)
    assert "<b>" not in shown
    assert repr(graph) == f"<Graph walk: {len(graph)} nodes>"
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert graph._repr_html_().startswith("<pre>walk(xs: float64[3], limit: float64[])")
    monkeypatch.setattr(drawing, "MAX_DRAWN", 3)
    monkeypatch.setattr(drawing, "MAX_LINES", 5)
    cut = graph._repr_html_()
    assert f"This graph has {len(graph)} nodes, too many to draw here" in cut
    assert "more lines: print(graph) shows all" in cut
    assert len(cut.split("\n")) == 6


def test_a_dot_that_fails_is_as_none(monkeypatch, tmp_path):
    broken = tmp_path / "dot"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda _: str(broken))
    assert drawing.to_svg("digraph {}") == ""


def test_functions_and_traces_show_themselves():
    """A `Function` says what it takes and how often it was traced; both display themselves."""

    @ag.function
    def scale(x, by=2):
        return x * by

    assert repr(scale) == "<Function scale(x, by=2): not traced yet>"
    scale(np.ones(2))
    assert repr(scale) == "<Function scale(x, by=2): 1 trace>"
    scale(np.ones(3), 3)
    assert repr(scale) == "<Function scale(x, by=2): 2 traces>"
    assert "<li><code>scale(x: float64[2]) -&gt; float64[2]</code></li>" in scale._repr_html_()
    [first, _] = scale.traces()
    assert first._repr_html_().startswith("<div><code>scale(x: float64[2]) -&gt; float64[2]</code>")
