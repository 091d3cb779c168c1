"""The page of a profile in a real browser: bars, keyboard, pointer, zoom, and no requests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser_support import DESKTOP, PHONE, Watched, browser_page
from profiled_helpers import FLOAT, FakeClock, helper

import autograph_rs as ag


def page_of(clock: FakeClock, path: Path) -> ag.Profile:
    """Write the page of a call that takes 3 s of 4 in a helper, and 1 s in a line that needs escapes."""
    three, one = map(clock.waiting, (3, 1))

    def f(x, n):
        for _ in range(n):
            x = helper(three, x)
        return ag.py_function(one, [x], FLOAT) if x > -1 else x * 0  # <b>"quoted" & bold</b>

    report = ag.profile(f, np.float64(0), np.int64(1))
    assert report.to_html(path) == path.read_text(encoding="utf-8")
    return report


@pytest.fixture(params=[DESKTOP, PHONE], ids=["desktop", "phone"])
def watched(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Watched]:
    with monkeypatch.context() as patch:
        page_of(FakeClock(patch), tmp_path / "profile.html")
    with browser_page(*request.param) as watched:
        watched.page.goto((tmp_path / "profile.html").as_uri())
        yield watched
        assert watched.is_clean()


def bar(page: Any, name: str) -> Any:
    return page.get_by_role("treeitem", name=re.compile(f"^{re.escape(name)}"))


def width(page: Any, name: str) -> float:
    return float(bar(page, name).bounding_box()["width"])


def test_bars_are_nested_and_as_wide_as_their_times(watched: Watched) -> None:
    page = watched.page
    names = ["f, 4 s", "for _ in range(n):", "x = helper(three, x)", "helper, ", "z = ag.py_function"]
    boxes = [bar(page, name).bounding_box() for name in names]
    assert [box["y"] for box in boxes] == sorted(box["y"] for box in boxes)
    whole = boxes[0]["width"]
    assert [round(box["width"] / whole, 2) for box in boxes] == [1.0, 0.75, 0.75, 0.75, 0.75]
    assert round(width(page, "return ag.py_function") / whole, 2) == 0.25
    levels = [bar(page, name).get_attribute("aria-level") for name in names]
    assert levels == ["1", "2", "3", "4", "5"]
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_hover_and_focus_show_a_bar(watched: Watched) -> None:
    page = watched.page
    bar(page, "z = ag.py_function").hover()
    status = page.get_by_role("status")
    place = f"profiled_helpers.py:{helper.__code__.co_firstlineno + 2}"
    assert status.text_content() == f"z = ag.py_function(wait, [y], FLOAT), {place}, 3 s, 75.0 %, 1 run"
    bar(page, "return ag.py_function").focus()
    assert status.text_content().endswith("1 s, 25.0 %, 1 run")


def test_the_keyboard_reaches_every_bar(watched: Watched) -> None:
    page = watched.page
    focused = "document.activeElement.textContent"
    page.keyboard.press("Tab")
    assert page.evaluate(focused) == "f"
    seen = []
    for key in [
        "ArrowDown",
        "ArrowDown",
        "ArrowDown",
        "ArrowDown",
        "ArrowUp",
        "ArrowUp",
        "ArrowUp",
        "ArrowRight",
    ]:
        page.keyboard.press(key)
        seen.append(page.evaluate(focused)[:12])
    assert seen[:5] == ["for _ in ran", "x = helper(t", "helper", "z = ag.py_fu", "helper"]
    assert seen[-2:] == ["for _ in ran", "return ag.py"]


def test_zoom(watched: Watched) -> None:
    page = watched.page
    whole = width(page, "f, 4 s")
    bar(page, "x = helper(three, x)").click()
    assert width(page, "helper, ") == whole
    assert bar(page, "return ag.py_function").is_hidden()
    page.keyboard.press("Escape")
    assert round(width(page, "helper, ") / whole, 2) == 0.75
    page.keyboard.press("Enter")  # the bar that was clicked has the focus
    assert width(page, "helper, ") == whole


def test_the_table_and_escapes(watched: Watched) -> None:
    rows = watched.page.locator("tbody tr")
    assert "z = ag.py_function(wait, [y], FLOAT)" in rows.nth(0).text_content()
    assert "75.0 %" in rows.nth(0).text_content()
    assert any('# <b>"quoted" & bold</b>' in text for text in rows.all_text_contents())
    assert watched.page.locator("td b, .flame b").count() == 0


def test_bad_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = page_of(FakeClock(monkeypatch), tmp_path / "profile.html")
    with pytest.raises(ag.ArgumentError):
        report.to_html(3)
    with pytest.raises(ag.MissingFileError):
        report.to_html(tmp_path / "missing" / "profile.html")
    with pytest.raises(ag.MissingFileError):
        report.to_html(tmp_path)
    assert report.to_html() == (tmp_path / "profile.html").read_text(encoding="utf-8")


def test_notebooks_show_the_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = page_of(FakeClock(monkeypatch), tmp_path / "profile.html")._repr_html_()
    assert "75.0 %" in shown
    assert "<script" not in shown
