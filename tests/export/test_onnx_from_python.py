"""Tests of `examples/onnx_from_python.py`: models equal Python, and the table of docs/onnx-from-python.md."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from typing import Any

import pytest
from backends.support import required
from test_house import ROOT

PAGE = ROOT / "docs" / "onnx-from-python.md"


@pytest.fixture(scope="module")
def example() -> Iterator[Any]:
    for package in ("onnx", "onnxruntime", "onnxscript"):
        required(package)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "examples")
        yield importlib.import_module("onnx_from_python")  # ONNX Script looks in sys.modules


def test_the_page_has_each_function_and_what_onnx_script_says_of_it(example: Any) -> None:
    rows = re.findall(r"^\| `(\w+)` \|.*\| equal \| `?(.*?)`? \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    runs = example.RUNS
    assert rows == [(f.__name__, example.onnx_script(f, *rest)) for f, *rest in runs]


def test_a_model_that_differs_from_python_is_seen(example: Any) -> None:
    """The comparison fails for another result and for another number of results."""
    f, _, calls = example.RUNS[1]
    model = example.exported(f, calls[0])
    for wrong in (lambda x, limit: f(x, limit) + 1, lambda x, limit: (f(x, limit), 1)):
        with pytest.raises(AssertionError, match="Arrays are not equal"):
            example.check(wrong, model, calls)


def test_each_function_takes_several_paths(example: Any) -> None:
    for f, _, calls in example.RUNS:
        assert len({str(f(*arguments)) for arguments in calls}) == len(calls), f.__name__
