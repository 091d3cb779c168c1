"""Tests of the documentation site: strict build, valid links, offline display in a browser."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from backends.support import required
from browser_support import DESKTOP, PHONE, Watched, browser_page
from test_house import ROOT

import autograph_rs as ag

LOADED = {"script": "src", "img": "src", "iframe": "src", "link": "href", "source": "src"}
OUTSIDE = re.compile(r"(?:https?:)?//")


class Links(HTMLParser):
    """The links, resources and anchors of a page."""

    def __init__(self, text: str):
        super().__init__()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.anchors = {""}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.anchors.update(found[key] or "" for key in ("id", "name") if key in found)
        if tag == "a" and found.get("href"):
            self.links.add(found["href"] or "")
        if LOADED.get(tag, "") in found:
            self.loaded.add(found[LOADED[tag]] or "")


@cache
def links(file: Path) -> Links:
    return Links(file.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site, with warnings as errors, and return its folder."""
    required("material")
    folder = tmp_path_factory.mktemp("site") / "built"
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True,
        check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def pages(site: Path) -> list[Path]:
    """Return all pages except 404.html, whose links are relative to the server's root."""
    return sorted(set(site.rglob("*.html")) - {site / "404.html"})


def broken(file: Path) -> Iterator[str]:
    """Yield the links and resources of a page whose targets are missing."""
    found = links(file)
    for link in found.links | found.loaded:
        parts = urlsplit(link)
        if parts.scheme in ("http", "https", "mailto") and link not in found.loaded:
            continue
        target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
        anchors = links(target).anchors if target.suffix == ".html" and target.is_file() else {parts.fragment}
        if parts.scheme or parts.netloc or not target.is_file() or unquote(parts.fragment) not in anchors:
            yield link


@pytest.mark.needs("material")
def test_links_lead_somewhere(site: Path) -> None:
    assert len(pages(site)) > 20
    assert {file.name: found for file in pages(site) if (found := sorted(broken(file)))} == {}


@pytest.mark.needs("material")
def test_styles_load_nothing_from_outside(site: Path) -> None:
    for file in site.rglob("*.css"):
        loaded = re.findall(r"(?:url\(|@import)\s*['\"]?([^'\")]+)", file.read_text(encoding="utf-8"))
        assert not [url for url in loaded if OUTSIDE.match(url)], file


def test_a_broken_link_is_seen(tmp_path: Path) -> None:
    """`broken` finds missing pages, missing anchors and remote resources."""
    page = tmp_path / "page.html"
    page.write_text('<a href="page.html#none"><a href="gone.html"><a href="#here"><p id="here">'
                    '<script src="https://cdn.example/x.js"></script>')  # fmt: skip
    assert sorted(broken(page)) == ["gone.html", "https://cdn.example/x.js", "page.html#none"]


def test_every_public_name_is_described() -> None:
    """Every public name is described in docs/api.md or, for an error, on its own page."""
    described = set(re.findall(r"^::: (\w+)", (ROOT / "docs" / "api.md").read_text("utf-8"), re.MULTILINE))
    for page in ROOT.glob("docs/errors/*.md"):
        described |= set(re.findall(r"^#+ `?(\w+)`?$", page.read_text("utf-8"), re.MULTILINE))
    assert set(ag.__all__) - described == set()


@pytest.fixture(params=[DESKTOP, PHONE], ids=["desktop", "phone"])
def browser(request: pytest.FixtureRequest, site: Path) -> Iterator[Watched]:
    with browser_page(*request.param) as watched:
        yield watched


def show(browser: Watched, file: Path) -> Any:
    """Open a file in the browser, wait until it has loaded, and return the page."""
    browser.page.goto(file.as_uri(), wait_until="networkidle")
    return browser.page


@pytest.mark.needs("material")
def test_each_page_is_shown(browser: Watched, site: Path) -> None:
    """Each page loads without errors or remote requests, and is no wider than the window."""
    too_wide = "document.scrollingElement.scrollWidth > document.documentElement.clientWidth"
    wide = [file.name for file in pages(site) if show(browser, file).evaluate(too_wide)]
    assert browser.is_clean()
    assert wide == []


@pytest.mark.needs("material")
def test_the_search_finds_a_page_offline(browser: Watched, site: Path) -> None:
    page = show(browser, site / "index.html")
    field, button = page.locator(".md-search__input"), page.locator("label.md-header__button[for=__search]")
    (button if button.is_visible() else field).click()
    field.press_sequentially("reduce_retracing")
    page.locator(".md-search-result__link").first.click()
    page.wait_for_url(re.compile("functions.html|api.html"))
    assert browser.is_clean()


@pytest.mark.needs("material")
def test_the_navigation_leads_to_a_page(browser: Watched, site: Path) -> None:
    page = show(browser, site / "index.html")
    drawer = page.locator("label.md-header__button[for=__drawer]")
    if drawer.is_visible():
        drawer.click()
        page.locator("label.md-nav__title:visible", has_text="Start").click()
        page.locator("label.md-nav__link:visible", has_text="Use").click()
    page.locator("nav.md-nav--primary a.md-nav__link:visible", has_text="Backends").click()
    page.wait_for_url(re.compile("backends.html"))
    assert page.title().startswith("Backends")
    assert browser.is_clean()
