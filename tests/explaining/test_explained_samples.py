"""Every sample, explained: the report is of the trace that the function itself would have."""

from __future__ import annotations

import contextlib
import copy
import io
import warnings

import pytest
from breadth import some
from cases_support import ALL, describe, traced_alike

import autograph_rs as ag
from autograph_rs.testing import Sample

WHAT = {"plain", "staged", "unrolled", "left", "not run"}
each_sixth_sample = pytest.mark.parametrize("sample", [pytest.param(s, id=s.id) for s in ALL[:: some(6, 1)]])


@pytest.mark.slow
@each_sixth_sample
def test_without_arguments(sample: Sample) -> None:
    """Nothing runs, and each statement says what was made of it."""
    with contextlib.redirect_stdout(io.StringIO()) as stdout:
        report = ag.explain(sample.function)
    assert stdout.getvalue() == ""
    assert {s.what for s in report} <= {"plain", "converted", "left"}
    assert report.backend == ""
    assert report.error is None
    assert report.converted == ag.to_code(sample.function)
    assert len(report.origins) == len(report.converted.split("\n"))
    lines = range(report.line, report.line + len(report.source))
    assert all(s.line in lines and s.text in report.source[s.line - report.line] for s in report)


STAGED = [pytest.param(s, id=s.id) for s in ALL if s.staged]


@pytest.mark.slow
@pytest.mark.parametrize("sample", STAGED[:: some(6, 1)])
def test_a_report_changes_nothing(sample: Sample) -> None:
    """The graph, or the error, is that of `function`; what the trace prints it prints."""
    for arguments in {traced_alike(arguments): arguments for arguments in sample.staged}.values():
        with contextlib.redirect_stdout(io.StringIO()) as stdout, warnings.catch_warnings(action="ignore"):
            report = ag.explain(sample.function, *copy.deepcopy(arguments))
        with contextlib.redirect_stdout(io.StringIO()) as expected, warnings.catch_warnings(action="ignore"):
            graph = error = None
            try:
                made = ag.function(sample.function).get_concrete_function(*copy.deepcopy(arguments))
                graph = made.graph
            except Exception as raised:
                error = raised
        assert stdout.getvalue() == expected.getvalue()
        if error is not None:
            assert report.error is not None
            assert describe(report.error) == describe(error)
        else:
            assert report.error is None, repr(report.error)
            assert report.graph.equals(graph), f"{report.graph}\n\nnot\n\n{graph}"
        assert {s.what for s in report} <= WHAT
        assert {s.backend for s in report} <= {"", "graph"}
        assert report.to_dict()["name"] == sample.name
