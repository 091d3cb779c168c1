"""The examples in docstrings and in the documents do what they show."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest
from backends.support import required
from test_house import ROOT, framework_of, modules

DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md"))]
RUNNER = {"optionflags": doctest.ELLIPSIS}


def check(test: doctest.DocTest) -> None:
    report: list[str] = []
    results = doctest.DocTestRunner(**RUNNER).run(test, out=report.append)
    assert results.failed == 0, "".join(report)


@pytest.mark.parametrize("name", [name for name, _, _ in modules()])
def test_docstrings(name: str) -> None:
    framework = framework_of(name)
    if framework is not None:
        required(framework)
    module = importlib.import_module(name)
    for test in doctest.DocTestFinder(exclude_empty=True).find(module, name):
        check(test)


@pytest.mark.parametrize("file", DOCUMENTS, ids=lambda file: file.name)
def test_documents(file: Path) -> None:
    """A fence ends what an example prints."""
    text = re.sub(r"^```.*$", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    check(doctest.DocTestParser().get_doctest(text, {}, file.name, str(file), 0))


def test_each_behaviour_that_tensorflow_documents_has_its_test() -> None:
    """docs/tensorflow.md has a row for each test, and a test for each row."""
    files = sorted((ROOT / "tests" / "backends").glob("test_tensorflow_documented*.py"))
    tests = [
        name
        for file in files
        for name in re.findall(r"^def test_(\w+)", file.read_text("utf-8"), re.MULTILINE)
    ]
    rows = re.findall(
        r"^\|.* \| `(\w+)` \|$", (ROOT / "docs" / "tensorflow.md").read_text("utf-8"), re.MULTILINE
    )
    assert sorted(rows) == sorted(tests)


def test_a_wrong_example_is_seen() -> None:
    """The tests above can fail."""
    test = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, 0)
    with pytest.raises(AssertionError, match="Expected"):
        check(test)
