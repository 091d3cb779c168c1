"""A real browser for testing pages: headless Chromium, controlled by Playwright."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from backends.support import required, required_program

NAMES = ("chromium", "chromium-browser", "google-chrome")
DESKTOP, PHONE = (1280, 800), (390, 844)


@dataclass
class Watched:
    """A page, its console errors and failed requests, and its requests for URLs other than local files."""

    page: Any
    errors: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)

    def is_clean(self) -> bool:
        assert self.errors == []
        assert self.outside == []
        return True


@contextlib.contextmanager
def browser_page(width: int, height: int, *, dark: bool = False) -> Iterator[Watched]:
    """Yield an empty page of this size. If there is no browser, skip or fail the test."""
    playwright = required("playwright.sync_api")
    path = required_program(*NAMES)
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            scheme = "dark" if dark else "light"
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
            page.set_default_timeout(300_000)  # reached only by a page that hangs
            watched = Watched(page)
            page.on("console", lambda m: m.type in ("error", "warning") and watched.errors.append(m.text))
            page.on("pageerror", lambda error: watched.errors.append(str(error)))
            page.on(
                "requestfailed",  # except requests aborted because the test left the page
                lambda r: r.failure == "net::ERR_ABORTED" or watched.errors.append(f"{r.url}: {r.failure}"),
            )
            page.on(
                "request",
                lambda r: r.url.startswith(("file:", "data:")) or watched.outside.append(r.url),
            )
            yield watched
        finally:
            browser.close()
