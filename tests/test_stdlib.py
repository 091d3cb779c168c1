"""CPython's own tests pass on converted standard modules: two here, all in `stdlib/run.py`."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "stdlib" / "run.py"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


@pytest.fixture(scope="module", autouse=True)
def cpython_tests() -> None:
    """Some distributions of Python leave the package `test` out; the project's CI may not."""
    if all(map(importlib.util.find_spec, ("test", "test.support"))):
        return
    reason = "this interpreter comes without CPython's own tests (its package `test`)"
    if os.environ.get("CI", "").lower() == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.mark.parametrize("module", ["heapq", "textwrap"])
def test_a_converted_module_passes_the_tests_of_the_original(module: str) -> None:
    """No function is refused, and each test that passes unconverted passes converted."""
    done = run(module)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_module_that_breaks_is_reported(tmp_path: Path) -> None:
    """The harness can fail: a converted file that computes something else loses tests."""
    (tmp_path / "sabotage.py").write_text(
        "import runpy, sys\n"
        "harness = runpy.run_path(sys.argv[1])\n"
        "convert = harness['convert']\n"
        "def sabotaged(source, out):\n"
        "    refusal = convert(source, out)\n"
        "    with open(out, 'a', encoding='utf-8') as file:\n"
        "        file.write('\\n\\ndef dedent(text):\\n    return text\\n')\n"
        "    return refusal\n"
        "harness['check'].__globals__['convert'] = sabotaged\n"
        "sys.exit(harness['main'](['textwrap']))\n",
        encoding="utf-8",
    )
    command = [sys.executable, str(tmp_path / "sabotage.py"), str(SCRIPT)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "test.test_textwrap.DedentTestCase.test_dedent_even: failed" in done.stdout
