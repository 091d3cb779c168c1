"""Tests of the examples in docstrings and documents."""

from __future__ import annotations

import doctest
import importlib
import inspect
import logging
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from backends.support import required
from fences import OPTIONS, faults, frameworks, run_document
from test_house import ROOT, framework_of, modules

LOG = logging.getLogger("autograph_rs")
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md"))]


@pytest.fixture(autouse=True)
def _verbosity() -> Iterator[None]:
    """Restore the verbosity after an example."""
    handlers, level = list(LOG.handlers), LOG.level
    yield
    LOG.handlers[:] = handlers
    LOG.setLevel(level)


class Finder(doctest.DocTestFinder):
    """A doctest finder that also finds examples of decorated functions."""

    def _from_module(self, module: object, found: object) -> bool:
        return super()._from_module(module, inspect.unwrap(found))  # type: ignore[misc, arg-type]


def check(test: doctest.DocTest) -> None:
    report: list[str] = []
    results = doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=report.append)
    assert results.failed == 0, "".join(report)


def is_onnx_rule(module: str) -> bool:
    """Return whether a module has ONNX rules for NumPy functions, which only the exporter imports."""
    return ".graph.functions." in module and module.rpartition(".")[2].startswith("onnx")


@pytest.mark.parametrize(
    "name", [name for name, _, file in modules() if ">>> " in file.read_text(encoding="utf-8")]
)
def test_docstrings(name: str) -> None:
    framework = "onnx" if is_onnx_rule(name) else framework_of(name)
    if framework is not None:
        required(framework)
    module = importlib.import_module(name)
    tests = Finder(exclude_empty=True).find(module, name)
    assert tests
    for test in tests:
        check(test)


def test_modules_can_be_imported() -> None:
    """Every module that needs no framework can be imported."""
    for name, _, _ in modules():
        if framework_of(name) is None and not is_onnx_rule(name):
            importlib.import_module(name)


@pytest.fixture(autouse=True)
def _precision_of_jax() -> Iterator[None]:
    """Restore JAX's precision after a document."""
    yield
    if "jax" in sys.modules:
        sys.modules["jax"].config.update("jax_enable_x64", False)


RUNS = [(file, framework) for file in DOCUMENTS for framework in frameworks(file)]


def named(value: Path | str | None) -> str:
    return value.relative_to(ROOT).as_posix() if isinstance(value, Path) else value or ""


@pytest.mark.parametrize(("file", "framework"), RUNS, ids=named)
def test_documents(file: Path, framework: str | None, tmp_path: Path) -> None:
    """Each block does what it shows. Blocks without a framework run together with those of each framework."""
    if framework is not None:
        required(framework)
    run_document(file, tmp_path, framework)


@pytest.mark.parametrize("file", DOCUMENTS, ids=named)
def test_each_block_has_a_treatment(file: Path) -> None:
    """No block of a document is silently skipped."""
    assert faults(file) == []


def test_each_behaviour_that_tensorflow_documents_has_its_test() -> None:
    """docs/tensorflow.md has one row for each test, and each row has a test."""
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
    """The tests of examples can fail."""
    test = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, 0)
    with pytest.raises(AssertionError, match="Expected"):
        check(test)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("```python\n>>> 1 + 1\n3\n```\n", "Expected"),
        ("```python\nprint(2)\n```\n", "a program prints what the page does not show"),
        ("```python\nprint(2)\n```\n```text\n3\n```\n", "the program prints\n2"),
        ("<!-- raises: TypeError -->\n```python\n1 + 1\n```\n", "no TypeError was raised"),
        ("```console\n$ echo 2\n3\n```\n", "prints\n2"),
        ("```sh\nexit 3\n```\n", "ends with 3"),
    ],
)
def test_a_wrong_block_is_seen(text: str, said: str, tmp_path: Path) -> None:
    document = tmp_path / "wrong.md"
    document.write_text(text, encoding="utf-8")
    with pytest.raises(AssertionError, match=said):
        run_document(document, tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "```\n1\n```\n",
        "```rust\nlet x\n```\n",
        "```text\n1\n```\n",
        ">>> 1 + 1\n2\n",
        "- a list\n\n  ```python\n  1\n  ```\n",
        "<!-- file: a.py -->\n```python\nx = 1\n```\n",
        "<!-- tested: tests/test_docs.py::test_nowhere -->\n```text\n1\n```\n",
    ],
)
def test_a_block_without_a_treatment_is_seen(text: str, tmp_path: Path) -> None:
    document = tmp_path / "wrong.md"
    document.write_text(text, encoding="utf-8")
    assert faults(document)
