"""The pages of `docs/errors/` are those of the docstrings, and what they link to is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pages import FOLDER, errors, pages

import autograph_rs as ag

PAGES = pages()


@pytest.mark.parametrize("name", PAGES)
def test_is_not_stale(name: str, request: pytest.FixtureRequest) -> None:
    """--update-golden writes the pages."""
    file = FOLDER / name
    if request.config.getoption("--update-golden"):
        FOLDER.mkdir(exist_ok=True)
        file.write_text(PAGES[name], encoding="utf-8")
    assert file.exists(), f"{file} is missing: --update-golden"
    assert file.read_text(encoding="utf-8") == PAGES[name]


def test_no_page_is_left_over() -> None:
    assert {file.name for file in FOLDER.glob("*.md")} == set(PAGES)


@pytest.mark.parametrize("kind", errors(), ids=lambda kind: kind.__name__)
def test_a_page_has_all_parts(kind: type[ag.AutographError]) -> None:
    """A page has the meaning, a program that raises the error, the reason, and the repaired program."""
    text = PAGES[f"{kind.__name__}.md"]
    assert kind.__doc__ is not None
    assert kind.__module__ == "autograph_rs"
    assert kind.__name__ in str(kind("broken", place=None)).splitlines()[-1]
    if kind in (ag.AutographError, ag.ConversionError, ag.MissingFrameworkError, ag.UnrolledLoopError):
        return  # the base of others; what is there where a framework is not; what takes 10,000 iterations
    _, raised, after = text.rpartition(f"\nautograph_rs.{kind.__name__}: ")
    assert raised
    why, example, repaired = after.partition("```")[2].partition("```python")
    assert why.strip()
    assert ">>> " in repaired, example


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", PAGES[name])
    assert name != "index.md" or len(links) == len(errors())
    assert [link for link in links if not (FOLDER / Path(link)).exists()] == []


def test_a_public_error_is_in_the_package() -> None:
    """No class is forgotten where users import from."""
    from autograph_rs.runtime import errors as package

    made = {c for c in vars(package).values() if isinstance(c, type) and issubclass(c, Exception)}
    assert made == set(errors())
