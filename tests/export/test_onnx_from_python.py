"""Tests of `examples/onnx_from_python.py`: its models equal Python, and docs/onnx-from-python.md has its table."""

from __future__ import annotations

import re
import runpy
from typing import Any

import pytest
from backends.support import required
from test_house import ROOT

PAGE = ROOT / "docs" / "onnx-from-python.md"


@pytest.fixture(scope="module")
def example() -> dict[str, Any]:
    for package in ("onnx", "onnxruntime", "onnxscript"):
        required(package)
    return runpy.run_path(str(ROOT / "examples" / "onnx_from_python.py"))


def test_the_page_has_each_function_and_what_onnx_script_says_of_it(example: dict[str, Any]) -> None:
    rows = re.findall(r"^\| `(\w+)` \|.*\| equal \| `?(.*?)`? \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    runs = example["RUNS"]
    assert rows == [(f.__name__, example["onnx_script"](f, *rest)) for f, *rest in runs]


def test_a_model_that_differs_from_python_is_seen(example: dict[str, Any]) -> None:
    """The comparison fails for the model of another function, and for inputs that take another path."""
    (f, _, calls), (other, _, _) = example["RUNS"][1], example["RUNS"][2]
    with pytest.raises(ValueError, match="is shorter than argument"):
        example["check"](f, example["exported"](other, calls[0][:1]), calls)
    with pytest.raises(AssertionError, match="Arrays are not equal"):
        example["check"](lambda x, limit: f(x, limit) + 1, example["exported"](f, calls[0]), calls)


def test_each_function_takes_several_paths(example: dict[str, Any]) -> None:
    for f, _, calls in example["RUNS"]:
        assert len({str(f(*arguments)) for arguments in calls}) == len(calls), f.__name__
