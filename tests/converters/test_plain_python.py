"""Nasty little functions do the same converted as unconverted: value, error and its chain, stdout."""

from __future__ import annotations

import ast
import inspect
import textwrap
from pathlib import Path

import gast
import pytest
from cases_support import check_plain
from differences import DIFFERENCES

import autograph_rs as ag
from autograph_rs import converters
from autograph_rs.testing import Sample
from autograph_rs.testing.harness import files, load, run

NASTY = [sample for file in files(Path(__file__).parent / "nasty") for sample in load(file)]


@pytest.mark.parametrize(
    ("sample", "arguments"),
    [
        pytest.param(sample, arguments, id=f"{sample.id}[{i}]")
        for sample in NASTY
        for i, arguments in enumerate(sample.plain)
    ],
)
def test_same_as_python(sample: Sample, arguments: tuple):
    converted, plain = run(ag.to_graph(sample.function), arguments), run(sample.function, arguments)
    if sample.name in DIFFERENCES:
        with pytest.raises(AssertionError):
            check_plain(converted, plain)
    else:
        check_plain(converted, plain)


@pytest.mark.parametrize("sample", [pytest.param(sample, id=sample.id) for sample in NASTY])
def test_text_is_python(sample: Sample):
    """The output of `to_code` can be parsed, and every pass keeps its contract."""
    ast.parse(ag.to_code(sample.function))
    tree = gast.parse(textwrap.dedent(inspect.getsource(sample.function))).body[0]
    converters.convert_tree(tree, verify=True)
