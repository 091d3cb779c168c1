"""docs/language.md lists every node of the grammar, and the samples that it names contain the node."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from cases_support import CASES
from differences import DIFFERENCES
from test_house import ROOT

from autograph_rs.testing.harness import files

DOCUMENT = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
NASTY = ROOT / "tests" / "converters" / "nasty"
REFUSED = ROOT / "tests" / "runtime" / "staging" / "test_unsupported.py"
KINDS = ("stmt", "expr", "pattern", "type_param", "excepthandler", "boolop", "operator", "unaryop", "cmpop")
PARTS = ("comprehension", "match_case", "withitem", "keyword", "arg")


def rows(text: str) -> list[list[str]]:
    """Return the cells of each table row that begins with code."""
    lines = [line for line in text.splitlines() if re.match(r"\| `", line)]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def section(title: str) -> str:
    return re.split(r"^## ", DOCUMENT.split(f"## {title}\n")[1], flags=re.MULTILINE)[0]


TABLE = {
    node: re.findall(r"`(\w+)`", shown.rstrip("| "))
    for title in ("Statements", "Expressions", "Patterns", "Parts", "Operators")
    for nodes, _, _, shown in rows(section(title))
    for node in re.findall(r"`(\w+)`", nodes)
}


def nodes_of_this_python() -> set[str]:
    kinds = [getattr(ast, name) for name in KINDS if hasattr(ast, name)]
    found = [kind for base in kinds for kind in base.__subclasses__()]
    return {kind.__name__ for kind in found if kind.__module__ == ast.AST.__module__} | set(
        PARTS
    )  # excludes the nodes that gast adds


def definitions(paths: list[Path]) -> dict[str, list[ast.AST]]:
    """Return the top-level functions of some files, by name."""
    found: dict[str, list[ast.AST]] = {}
    for path in paths:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                found.setdefault(node.name, []).append(node)
    return found


SHOWN = definitions([*files(CASES), *files(NASTY), REFUSED])
ELSEWHERE = {  # samples with syntax that this Python does not support
    name
    for path in {*CASES.glob("*.py"), *NASTY.glob("*.py")} - {*files(CASES), *files(NASTY)}
    for name in re.findall(r"^def (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
}


def test_every_node_is_listed():
    """Every node of this Python's grammar is documented."""
    assert nodes_of_this_python() - set(TABLE) == set()


@pytest.mark.parametrize("node", TABLE)
def test_what_shows_a_node_holds_it(node: str):
    if not hasattr(ast, node):  # a node of a later Python
        assert set(TABLE[node]) <= ELSEWHERE
        return
    assert TABLE[node]
    kind = getattr(ast, node)
    holding = [
        name
        for name in TABLE[node]
        if any(isinstance(n, kind) for made in SHOWN.get(name, ()) for n in ast.walk(made))
    ]
    assert holding == [name for name in TABLE[node] if name not in ELSEWHERE]


@pytest.mark.parametrize("row", rows(section("Names, frames and other forms")), ids=lambda row: row[0][:30])
def test_what_shows_a_form_is_there(row: list[str]):
    named = re.findall(r"`(\w+)`", row[2])
    assert named
    assert set(named) <= SHOWN.keys() | ELSEWHERE


def test_differences_are_documented():
    """Every known difference is documented, and every documented difference has a sample."""
    documented = {row[0].strip("` ") for row in rows(section("Differences"))}
    assert set(DIFFERENCES) <= documented <= SHOWN.keys() | ELSEWHERE


def test_a_missing_node_is_seen(monkeypatch: pytest.MonkeyPatch):
    """`test_every_node_is_listed` fails if a node is missing."""
    monkeypatch.delitem(TABLE, "While")
    with pytest.raises(AssertionError, match="While"):
        test_every_node_is_listed()
