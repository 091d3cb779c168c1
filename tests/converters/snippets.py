"""Facts by annotations in comments on source lines.

A snippet is the body of a function. `# live: a, b` says which names are live just before the line's
statement, `# unbound: a` which may be unbound there, `# stays` that the statement stays as it is. A
line without the comment is not looked at, but for `# stays`, which must be on every line that stays.
"""

from __future__ import annotations

import re
import textwrap

import gast

from autograph_rs.converters.analysis import Facts


def facts_of(snippet: str, params: str = "", kind: str = "def") -> Facts:
    body = textwrap.indent(textwrap.dedent(snippet), "    ")
    return Facts(gast.parse(f"{kind} f({params}):{body}").body[0])


def notes(snippet: str, word: str) -> dict[int, set[str]]:
    """The names in the comments `# word: names`, by line."""
    found = {}
    for number, line in enumerate(snippet.splitlines(), 1):
        comment = re.search(rf"#.*\b{word}:([^;]*)", line)
        if comment:
            found[number] = set(re.findall(r"\w+", comment[1]))
    return found


def statements(facts: Facts) -> dict[int, gast.stmt]:
    """The outermost statement that begins on each line, nested functions left out."""
    found: dict[int, gast.stmt] = {}
    stack = [*facts.function.body]
    while stack:
        node = stack.pop()
        if isinstance(node, gast.stmt):
            found.setdefault(node.lineno, node)
        if not isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
            stack.extend(gast.iter_child_nodes(node))
    return found


def check_points(snippet: str, params: str, word: str) -> None:
    facts = facts_of(snippet, params)
    by_line = statements(facts)
    expected = notes(snippet, word)
    assert expected
    actual = {}
    for line in expected:
        node = by_line[line]
        point = facts.entry(node) if node in facts.graph.entries else facts.before(node)
        actual[line] = set(getattr(point, word))
    assert actual == expected


def check_liveness(snippet: str, params: str = "n, x, y, xs") -> None:
    check_points(snippet, params, "live")


def check_unbound(snippet: str, params: str = "n, x, xs") -> None:
    check_points(snippet, params, "unbound")


def check_stays(snippet: str, kind: str = "def") -> None:
    facts = facts_of(snippet, "n, x, xs", kind)
    expected = {n for n, line in enumerate(snippet.splitlines(), 1) if line.endswith("# stays")}
    assert {statement.lineno for statement in facts.unconverted} == expected


def check_at_least_unbound(snippet: str) -> None:
    """Check that all unbound names are found. The graph may have impossible paths, which add others."""
    facts = facts_of(snippet, "n, x, xs")
    by_line = statements(facts)
    for line, expected in notes(snippet, "unbound").items():
        node = by_line[line]
        point = facts.entry(node) if node in facts.graph.entries else facts.before(node)
        assert expected <= point.unbound, line
