"""CPython's own tests pass on converted standard modules: a few here, all in `stdlib/run.py`."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from breadth import some

SCRIPT = Path(__file__).parent / "stdlib" / "run.py"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


@pytest.fixture(scope="module", autouse=True)
def cpython_tests() -> None:
    """Skip these tests if Python was installed without the package `test`, but fail on CI."""
    if all(map(importlib.util.find_spec, ("test", "test.support"))):
        return
    reason = "this interpreter lacks CPython's own tests (the package `test`)"
    if os.environ.get("CI", "").lower() == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.mark.parametrize("module", some(["heapq"], ["heapq", "textwrap", "enum"]))
def test_a_converted_module_passes_the_tests_of_the_original(module: str) -> None:
    """Every function is converted, and each test that passes unconverted also passes converted."""
    done = run(module)
    assert done.returncode == 0, done.stdout + done.stderr


def sabotaged(folder: Path, appended: str, listed: str = "") -> subprocess.CompletedProcess[str]:
    """Run the harness on `textwrap`, with code appended to the converted file and one more test listed."""
    script = folder / "sabotage.py"
    script.write_text(
        "import sys\n"
        f"sys.path.insert(0, {str(SCRIPT.parent)!r})\n"
        "import environment, run\n"
        "convert, inside = environment.convert, run.inside\n"
        "def sabotaged(source, out, done):\n"
        "    convert(source, out, done)\n"
        "    with open(out, 'a', encoding='utf-8') as file:\n"
        f"        file.write({appended!r})\n"
        "environment.convert = sabotaged\n"
        f"run.inside = lambda tests: inside(tests) | {{test for test in tests if test == {listed!r}}}\n"
        "sys.exit(run.main(['textwrap']))\n",
        encoding="utf-8",
    )
    command = [sys.executable, str(script)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


EVEN = "test.test_textwrap.DedentTestCase.test_dedent_even"


@pytest.mark.slow
def test_a_module_that_breaks_is_reported(tmp_path: Path) -> None:
    """The harness fails if a converted module computes different results."""
    done = sabotaged(tmp_path, "\n\ndef dedent(text):\n    return text\n")
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"{EVEN}: failed" in done.stdout


@pytest.mark.slow
def test_a_module_that_cannot_be_loaded_is_reported(tmp_path: Path) -> None:
    done = sabotaged(tmp_path, "\n\nraise MemoryError\n")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "textwrap, converted: " in done.stdout
    assert "MemoryError" in done.stdout


@pytest.mark.slow
def test_a_test_that_is_listed_for_nothing_is_reported(tmp_path: Path) -> None:
    """The harness fails if a test in `inside.toml` passes after conversion."""
    done = sabotaged(tmp_path, "", listed=EVEN)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"{EVEN}: passes, though it is listed" in done.stdout
