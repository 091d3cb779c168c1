"""Tests of docs/gallery/: each page fits on a screen, and has the picture of its graph.

The blocks of the pages run in test_docs.py. A page calls the function whose graph it shows `trace`. With
`--update-golden`, the pictures are drawn again by Graphviz; each contains the text that it was drawn from.
"""

from __future__ import annotations

import html
import re
import subprocess
from pathlib import Path

import pytest
from fences import run_document
from test_house import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(page for page in DOCS.glob("gallery/*.md") if page.name != "index.md")
MOST_LINES = 85


def picture(page: Path) -> Path:
    return DOCS / "assets" / "gallery" / f"{page.stem}.svg"


def draw(dot: str, file: Path) -> None:
    done = subprocess.run(
        ["dot", "-Tsvg"],
        input=dot.replace("transparent", "white", 1),
        capture_output=True,
        text=True,
        check=True,
    )
    svg = done.stdout[done.stdout.index("<svg") :]
    head, _, rest = svg.partition(">\n")
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"{head}>\n<desc>{html.escape(dot)}</desc>\n{rest}", encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_shows_the_graph_of_its_function(
    page: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    dot = run_document(page, tmp_path)["trace"].graph.to_dot()
    if request.config.getoption("--update-golden"):
        draw(dot, picture(page))
    found = re.search("<desc>(.*)</desc>", picture(page).read_text("utf-8"), re.DOTALL)
    assert found
    assert html.unescape(found[1]) == dot, "run this test with --update-golden"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_has_its_five_parts(page: Path) -> None:
    """The problem, what fails without this package, the one line, the picture and the figure."""
    text = page.read_text("utf-8")
    assert text.count("\n") <= MOST_LINES
    parts = [
        "```python\n",
        "**Without this package**",
        "**One line",
        f"](../assets/gallery/{page.stem}.svg)",
        "**The figure:**",
    ]
    places = [text.find(part) for part in parts]
    assert -1 not in places
    assert places == sorted(places)


def test_every_page_is_linked() -> None:
    """The index links each page, and nothing else, and the site has them in that order."""
    linked = re.findall(r"\]\(([\w-]+)\.md\)", (DOCS / "gallery" / "index.md").read_text("utf-8"))
    assert sorted(linked) == [page.stem for page in PAGES]
    assert re.findall(r" gallery/([\w-]+)\.md", (ROOT / "mkdocs.yml").read_text("utf-8")) == [
        "index",
        *linked,
    ]
