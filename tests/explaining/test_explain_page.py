"""The page of a report, in a real browser at the widths of a desk and of a phone."""

from __future__ import annotations

import html.parser
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser_support import DESKTOP, PHONE, browser_page

import autograph_rs as ag


def train(xs, limit, steps):
    """Fits <b>nothing</b> & "quotes" it; <script>alert(1)</script>."""
    weight = 0.0
    for step in range(steps):
        loss = np.mean((xs - weight) ** 2)
        if loss > limit and not np.isnan(loss):
            weight = weight + 0.1 * np.sign(np.mean(xs) - weight)
        if step == 0:
            print("<i>first round</i>", loss)
    total = 0.0
    for x in xs:
        if x < 0:
            continue
        if x > 100:
            break
        total += x
    while total > 10:
        total = total / 2
    a_name_that_is_long = total + weight + limit + steps + total + weight + limit + steps + total + weight
    smallest = xs[0]
    largest = xs[0]
    for x in xs:
        if x < smallest:
            smallest = x
        elif x > largest:
            largest = x
    spread = largest - smallest
    if spread == 0:
        spread = 1.0
    total = total / spread
    try:
        scale = {"a": 1}["a"]
    except KeyError:
        scale = 3
    return a_name_that_is_long if total > limit else total * scale


def mismatched(xs):
    y = 0
    for x in xs:
        if x > 0:
            y = 1
        else:
            y = "<a>"
    return y


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    made = ag.explain(train, np.arange(5.0), 2.5, 3).to_html(path)
    assert path.read_text(encoding="utf-8") == made
    return path


sizes = pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
TOPS = "[...document.querySelectorAll('.scroll')].map(s => s.scrollTop)"
FIVE_FRAMES = """async () => {
    for (let n = 0; n < 5; n++) await new Promise(requestAnimationFrame);
}"""
FOLLOWS = """([moved, partner]) => {
    const panes = [...document.querySelectorAll('.scroll')];
    const part = (pane) => pane.scrollTop / (pane.scrollHeight - pane.clientHeight);
    const pixel = Math.max(...panes.map(pane => 1 / (pane.scrollHeight - pane.clientHeight)));
    return Math.abs(part(panes[moved]) - part(panes[partner])) <= 2 * pixel;
}"""
ROOMS = "[...document.querySelectorAll('.scroll')].map(s => s.scrollHeight - s.clientHeight)"
SEEN = """() => {
    const pane = document.querySelectorAll(".scroll")[1].getBoundingClientRect();
    const line = document.querySelectorAll(".marked")[1].getBoundingClientRect();
    return line.top >= pane.top && line.bottom <= pane.bottom + 1;
}"""
"""Whether the line that it became is in sight."""
MARKED = "[...document.querySelectorAll('.marked code')].map(c => c.textContent.trim())"


def line_of(text: str) -> int:
    lines = Path(__file__).read_text(encoding="utf-8").split("\n")
    return next(n for n, line in enumerate(lines, 1) if text in line)


@sizes
def test_nothing_is_wrong_and_nothing_is_fetched(file: Path, size: tuple[int, int]) -> None:
    """No error in the console, no request but for the file itself, no page wider than the window."""
    with browser_page(*size) as watched:
        watched.page.goto(file.as_uri())
        assert "train" in watched.page.title()
        width = watched.page.evaluate("document.documentElement.scrollWidth")
        assert width <= size[0]
        assert watched.is_clean()


@sizes
def test_the_panes_scroll_together(file: Path, size: tuple[int, int]) -> None:
    """From the top to the bottom, whichever is moved; neither is stopped by the other."""
    with browser_page(*size) as watched:
        page = watched.page
        page.goto(file.as_uri())
        rooms = page.evaluate(ROOMS)
        assert min(rooms) > 20, "there is nothing to scroll"
        for moved, partner in ((0, 1), (1, 0)):
            for part in (1, 0.5, 0):
                page.evaluate(
                    "([n, top]) => { document.querySelectorAll('.scroll')[n].scrollTop = top }",
                    [moved, rooms[moved] * part],
                )
                page.wait_for_function(FOLLOWS, arg=[moved, partner])
                page.evaluate(FIVE_FRAMES)  # for what would move one of them again
                tops = page.evaluate(TOPS)
                assert abs(tops[moved] - rooms[moved] * part) <= 1
                ratio = rooms[partner] / rooms[moved]
                assert abs(tops[partner] - tops[moved] * ratio) <= 1 + ratio
        assert watched.is_clean()


@sizes
def test_a_line_marks_what_became_of_it(file: Path, size: tuple[int, int]) -> None:
    """Under the mouse, when it is touched, and with the keyboard; and back from the converted code."""
    number = line_of("total = total / 2")
    with browser_page(*size) as watched:
        page = watched.page
        page.goto(file.as_uri())
        assert page.evaluate(MARKED) == []
        page.locator(f"#L{number} code").hover()
        assert page.evaluate(MARKED).count("total = total / 2") == 2
        page.locator(f"#L{line_of('scale = 3')} code").click()
        page.wait_for_function(f"{MARKED}.filter(text => text == 'scale = 3').length == 2")
        page.wait_for_function(SEEN)
        page.locator(f"#L{number} a").focus()
        assert page.evaluate(MARKED).count("total = total / 2") == 2
        page.locator(".scroll").nth(1).locator(".line", has_text="total += x").first.hover()
        assert page.evaluate(MARKED).count("total += x") == 2
        assert watched.is_clean()


@sizes
def test_links_work_from_a_file(file: Path, size: tuple[int, int]) -> None:
    """Each leads to a place of the page; those of the parts and of the lines are followed."""
    with browser_page(*size) as watched:
        page = watched.page
        page.goto(file.as_uri())
        lost = page.evaluate(
            "[...document.links].map(a => a.getAttribute('href'))"
            ".filter(h => !h.startsWith('#') || !document.getElementById(h.slice(1)))"
        )
        assert lost == []
        for name in ("statements", "calls", "graph", "code"):
            page.locator(f'nav a[href="#{name}"]').click()
            assert page.url.endswith(f"#{name}")
            assert page.locator(f"#{name}").is_visible()
        number = line_of("if x > 100:")
        page.locator(f"#L{number} a").click()
        assert page.locator(f"#S{number}").bounding_box()["y"] < size[1]
        page.locator(f'#S{number} a[href="#L{number}"]').click()
        assert page.url.endswith(f"#L{number}")
        assert watched.is_clean()


def test_every_line_can_be_reached_by_keyboard(file: Path) -> None:
    """Tab goes through the links and panes in their order."""
    with browser_page(*DESKTOP) as watched:
        page = watched.page
        page.goto(file.as_uri())
        names = []
        for _ in range(8):
            page.keyboard.press("Tab")
            names.append(
                page.evaluate(
                    "document.activeElement.getAttribute('href') ?? document.activeElement.className"
                )
            )
        assert names[:5] == ["#code", "#statements", "#calls", "#graph", "scroll"]
        assert names[5].startswith("#S")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_can_be_read(file: Path, dark: bool) -> None:
    """Contrast of all text with what is behind it: 4.5 to 1, as WCAG asks for."""
    with browser_page(*DESKTOP, dark=dark) as watched:
        watched.page.goto(file.as_uri())
        poor = watched.page.evaluate(CONTRAST)
        assert poor == []


CONTRAST = """() => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const linear = (v) => (v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
  const light = (c) => {
    const [r, g, b] = c.slice(0, 3).map((v) => linear(v / 255));
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const behind = (node) => {
    for (; node; node = node.parentElement) {
      const c = parse(getComputedStyle(node).backgroundColor);
      if (c.length < 4 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const node of document.querySelectorAll("body *:not(svg, svg *, script)")) {
    const own = [...node.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own) continue;
    const style = getComputedStyle(node), back = behind(node);
    const opacity = Number(getComputedStyle(node.closest("code") ?? node).opacity);
    const front = parse(style.color).slice(0, 3).map((v, i) => v * opacity + back[i] * (1 - opacity));
    const pair = [light(front), light(back)].sort((a, b) => b - a);
    const ratio = (pair[0] + .05) / (pair[1] + .05);
    if (ratio < 4.5) poor.push(`${node.textContent.slice(0, 30)} ${node.className}: ${ratio.toFixed(2)}`);
  }
  return [...new Set(poor)];
}"""


def test_the_graph_is_drawn_where_dot_is(file: Path) -> None:
    """Inline, with the same text for other tools below it."""
    text = file.read_text(encoding="utf-8")
    assert ("<svg" in text) == (shutil.which("dot") is not None)
    assert "digraph {" in text
    assert "flowchart TD" in text


def test_an_error_is_on_the_page() -> None:
    """With its line marked, in a font whose carets are below what they mean; there is no graph."""
    report = ag.explain(mismatched, np.ones(2))
    text = report.to_html()
    assert 'role="alert"' in text
    assert re.search(r"\.error \{[^}]*monospace", text)
    assert re.search(rf'class="line staged failed" id="L{line_of("        if x > 0:")}"', text)
    assert 'id="graph"' not in text


class Tags(html.parser.HTMLParser):
    """The elements of a page, and those that are not closed in their order."""

    VOID = {"meta", "link", "br"}

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        self.seen.add(tag)
        self.ids += [value for name, value in attributes if name == "id"]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("arguments", [(), (np.arange(5.0), 2.5, 3)], ids=["static", "traced"])
def test_what_a_user_writes_is_text(arguments: tuple[Any, ...]) -> None:
    """Tags in the source, in texts and types are shown, not taken; elements are closed, names given once."""
    tags = Tags()
    report = ag.explain(train, *arguments)
    text = report.to_html()
    tags.feed(re.sub(r"(?s)<svg.*?</svg>", "", text))
    assert tags.open == []
    assert "i" not in tags.seen
    assert "<b>nothing" not in text
    assert "alert(1)</script>" not in text
    assert len(tags.ids) == len(set(tags.ids))
    assert "http" not in re.sub(r"(?s)<svg.*?</svg>", "", text)
    inner = Tags()
    inner.feed(report._repr_html_())
    assert inner.open == []
    assert "script" not in inner.seen
