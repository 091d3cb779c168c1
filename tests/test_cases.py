"""Tests of every sample in tests/cases: its golden code, and its equivalence to plain Python."""

import ast
import functools
import inspect
import sys
import textwrap
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from breadth import some
from cases_support import ALL, CASES, check_plain, check_staged, golden_of, read_golden, write_golden
from round_trip import check_round_trip

import autograph_rs as ag
from autograph_rs.testing import Sample
from autograph_rs.testing.harness import files, load, run

# The module scope groups the tests of each sample, so that its code is generated once.
each_sample = pytest.mark.parametrize(
    "sample", [pytest.param(sample, id=sample.id) for sample in ALL], scope="module"
)
SLOW = {
    "objects.py::binary_tree", "recursion_state.py::chosen_items", "recursion_state.py::paths",
    "recursion_state.py::solved_by_an_exception",
}  # fmt: skip
"""Samples that take seconds to trace."""
each_staged_sample = pytest.mark.parametrize(
    "sample",
    [
        pytest.param(sample, id=sample.id, marks=pytest.mark.slow if sample.id in SLOW else ())
        for sample in ALL
        if sample.staged
    ],
)
each_third_sample = pytest.mark.parametrize(
    "sample", [pytest.param(sample, id=sample.id) for sample in ALL[:: some(4, 1)]], scope="module"
)


@functools.cache
def code_of(function: Callable[..., Any]) -> str:
    return ag.to_code(function)


@each_sample
def test_plain_equivalence(sample: Sample):
    """On plain values, the converted function does exactly what Python does."""
    for arguments in sample.plain:
        check_plain(run(ag.to_graph(sample.function), arguments), run(sample.function, arguments))


@each_staged_sample
@pytest.mark.filterwarnings("ignore::autograph_rs.SideEffectWarning")  # some samples set globals
def test_staged_equivalence(sample: Sample):
    """One `ag.function`, called on all staged inputs in turn, does the same as Python each time.

    A trace made for one input is thus reused for inputs that take the other branch.
    """
    function = ag.function(sample.function)
    for arguments in sample.staged:
        check_staged(run(function, arguments), run(sample.function, arguments))


@each_sample
def test_golden(sample: Sample, request: pytest.FixtureRequest):
    """The generated code equals the reviewed code, which --update-golden rewrites."""
    code = code_of(sample.function).strip("\n")
    sections = read_golden(golden_of(sample))
    if request.config.getoption("--update-golden"):
        sections[sample.name] = code
        names = [other.name for other in load(sample.file)]
        write_golden(golden_of(sample), {name: sections[name] for name in names if name in sections})
        return
    assert sample.name in sections, f"{golden_of(sample).name} lacks {sample.name}: use --update-golden"
    assert code == printed_here(sections[sample.name])


def printed_here(code: str) -> str:
    """Return golden code as this Python prints it, since Python 3.12 quotes f-strings differently."""
    return code if sys.version_info < (3, 12) else ast.unparse(ast.parse(code))


@each_third_sample
def test_round_trip(sample: Sample):
    """The generated code has the same tree after it is printed and parsed."""
    tree = ast.parse(code_of(sample.function))
    check_round_trip(tree)


@each_third_sample
def test_samples_are_sound(sample: Sample):
    """An unconverted sample is deterministic, emits no warnings, and survives printing."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for arguments in sample.plain + sample.staged:
            first = run(sample.function, arguments)
            assert not isinstance(first.error, Warning), first.error
            check_plain(run(sample.function, arguments), first)
    assert sample.staged or sample.function.__doc__, "staged=() needs its reason in a docstring"
    check_round_trip(ast.parse(textwrap.dedent(inspect.getsource(sample.function))))


def test_names_are_unique():
    """No sample silently replaces another of the same name."""
    for file in files(CASES):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
        assert len(names) == len(set(names)), file


def test_golden_files_have_no_strays():
    """Every golden section belongs to an existing sample."""
    known = {(golden_of(sample).name, sample.name) for sample in ALL}
    written = {(file.name, name) for file in CASES.glob("*.golden") for name in read_golden(file)}
    assert written <= known


def test_there_are_enough_samples():
    assert len(ALL) >= 120
