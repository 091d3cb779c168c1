"""What `explain` says about the compilation of loops."""

from __future__ import annotations

import json

import numpy as np
import pytest

import autograph_rs as ag
from autograph_rs.runtime.graph import native


def nested(x):
    total = 0.0
    for i in range(len(x)):
        for j in range(i):
            total += x[j]
    return total


def sorting(x):
    for i in range(len(x)):
        x = np.sort(x)
        while x[i] > 1:
            x[i] = x[i] / 2
    return x


def lists(x):
    kept = [v for v in x if v > 0]
    return len(kept)


def called(x):
    return nested(x) + 1


def unrolled(x, n):
    for _ in range(n):
        x = x + 1
    return x


SPEC = ag.TensorSpec((None,), "float64")
MAY = "may be compiled to machine code"


def sentences(f, *args) -> dict[int, str]:
    """Return what a report says of machine code, by line of the function."""
    report = ag.explain(f, *args)
    return {s.line - report.line: s.machine_code for s in report if s.machine_code}


def test_loops_that_may_be_compiled():
    assert sentences(nested, SPEC) == {2: MAY, 3: MAY}


def test_a_loop_that_stays_in_python():
    """The inner loop is compiled alone."""
    line = sorting.__code__.co_firstlineno + 2
    assert sentences(sorting, SPEC) == {
        1: f"stays in Python: numpy.sort is not compiled (line {line}: x = np.sort(x))",
        3: MAY,
    }


def test_other_statements_are_silent():
    """Loops in called functions, and loops that Python unrolled, are not loops of this function's graph."""
    assert sentences(called, SPEC) == {}
    assert sentences(unrolled, SPEC, 3) == {}
    assert sentences(nested) == {}


def test_a_comprehension_is_a_loop():
    assert sentences(lists, SPEC) == {1: MAY}


@pytest.mark.parametrize("engine", ["auto", "numpy"])
def test_engines(engine):
    """An engine that compiles nothing is not asked about machine code."""
    assert bool(sentences(ag.function(nested, engine=engine), SPEC)) is (engine == "auto")


def test_the_report_does_not_depend_on_llvmlite(monkeypatch):
    reports = []
    for available in (False, True):
        monkeypatch.setattr(native, "is_available", lambda is_available=available: is_available)
        reports.append(ag.explain(sorting, SPEC))
    assert reports[0] == reports[1]
    assert str(reports[0]) == str(reports[1])


def test_all_forms_of_the_report():
    report = ag.explain(sorting, SPEC)
    stays = report[report.line + 1].machine_code
    assert report[report.line + 1].notes[-1:] == (stays,)
    assert f"#   {stays}" in str(report)
    assert stays in report.to_html()
    assert stays in report._repr_html_()
    assert json.loads(report.to_json())["statements"][2]["machine_code"] == MAY
