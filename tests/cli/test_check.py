"""`autograph-rs check`: the places that cannot be staged, those that are refused and no others."""

from __future__ import annotations

import re
import textwrap
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases_support import CASES
from test_house import ROOT

import autograph_rs as ag
from autograph_rs.ahead_of_time.reports import RULES, report_source
from autograph_rs.testing.harness import files, load

# Samples that stage what is staged in them, beside a place where nothing is.
PLAIN_BESIDE = {
    "comprehensions.py::over_strings": {"AG005"},
    "forms.py::condition_in_async_for": {"AG001"},
    "generators.py::over_static_data": {"AG001"},
    "records.py::generators_that_fill": {"AG005"},
    "records.py::tokens": {"AG005"},
    "renewed.py::effects_of_a_condition": {"AG005"},
    "walrus.py::in_comprehension": {"AG005"},
}
# Samples whose generators a loop or builtin consumes, which depends on the caller.
CONSUMED = ("generator_loops.py", "iteration_tools.py", "members.py::updated_by_pairs")
# The functions of test_unsupported.py whose syntax is what is refused; the others hold values that are.
REFUSED = {
    "of_async": {"AG001"},
    "yield_in_if": {"AG001"},
    "yield_in_while": {"AG001"},
    "yield_in_for": {"AG001"},
    "yield_in_conditional": {"AG001"},
    "yield_in_and": {"AG001"},
    "await_in_if": {"AG001"},
    "condition_of_async_comprehension": {"AG005"},
    "condition_of_generator_expression": {"AG005"},
    "comprehension_in_a_lambda": {"AG005"},
    "walrus_in_comprehension": {"AG005"},
    "condition_in_a_class_body": {"AG007"},
    "locals_in_branch": {"AG002"},
    "eval_in_branch": {"AG002"},
    "break_in_finally": {"AG003"},
    "return_in_finally": {"AG003"},
    "walrus_in_lambda": {"AG006"},
    "width_in_f_string": {"AG012"},
}


def places(text: str) -> list[tuple[int, int, str]]:
    """The lines, columns and codes of what is found in a text."""
    found = [f for function in report_source(textwrap.dedent(text)) for f in function.findings]
    return sorted((f.line, f.column, f.code) for f in found)


def codes_by_function(path: Path) -> dict[str, set[str]]:
    """The codes that are found in each function at the top of a file, and inside it."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for function in report_source(path.read_text(encoding="utf-8"), str(path)):
        found[function.name.partition(".")[0]] |= {finding.code for finding in function.findings}
    return {name: codes for name, codes in found.items() if codes}


# What is found -----------------------------------------------------------------------------------


def test_what_is_refused_for_its_syntax_is_found() -> None:
    assert codes_by_function(ROOT / "tests" / "runtime" / "staging" / "test_unsupported.py") == REFUSED


@pytest.mark.slow
def test_what_stages_is_not_found() -> None:
    by_file = {file: codes_by_function(file) for file in files(CASES)}
    found = {
        sample.id: by_file[sample.file][sample.name]
        for file in by_file
        for sample in load(file)
        if sample.staged and sample.name in by_file[file]
    }
    consumed = [found.pop(name) for name in [*found] if name.startswith(CONSUMED)]
    assert set().union(*consumed) == {"AG001", "AG005"}
    assert found == PLAIN_BESIDE


# Each is run as well: what is said to be refused is refused.
CERTAIN: list[tuple[str, list[tuple[int, int, str]], Any]] = [
    (
        """
        class Box:
            def __init__(self, x):
                self.x = x
            def __hash__(self):
                if self.x > 0:
                    return 1
                return 2

        def special(x):
            return hash(Box(x))
        """,
        [(6, 12, "AG008")],
        np.int64(1),
    ),
    (
        """
        def chain(x):
            return [k for k in range(3) if 0 < (y := x) < 5]
        """,
        [(3, 36, "AG005")],
        np.int64(1),
    ),
    (
        """
        def comparison(x):
            return (lambda: 0 < x < (y := 5))()
        """,
        [(3, 21, "AG006")],
        np.int64(1),
    ),
]


@pytest.mark.parametrize(
    ("text", "expected", "argument"), CERTAIN, ids=[re.findall(r"def (\w+)", case[0])[-1] for case in CERTAIN]
)
def test_certain_places(
    text: str, expected: list[tuple[int, int, str]], argument: Any, tmp_path: Path
) -> None:
    assert places(text) == expected
    file = tmp_path / "given.py"
    file.write_text(textwrap.dedent(text), encoding="utf-8")
    scope: dict[str, Any] = {}
    exec(compile(file.read_text("utf-8"), file, "exec"), scope)
    function = [value for value in scope.values() if callable(value)][-1]
    function(argument)
    with pytest.raises(ag.StagingError):
        ag.function(function)(argument)


@pytest.mark.parametrize(
    "text",
    [
        "if x > 0:\n    y = [k for k in (1, 2) if x]",  # outside functions
        "class A:\n    if x > 0:\n        y = {k for k in z}",
        "def f(x):\n    if x is None:\n        return None\n    return x + 1",
        "def f(x):\n    if not isinstance(x, int):\n        return None\n    return x + 1",
        "def f(x):\n    if x > 0:\n        return g(x)",  # which may return None
        "def f(x):\n    if x > 0:\n        raise ValueError\n    return 1",
        "def f(xs):\n    while True:\n        if xs:\n            return 1",
        "def f(x):\n    if x > 0:\n        return 1\n    else:\n        return 2\n    x = 3",
        "def f(x):\n    try:\n        if x > 0:\n            raise ValueError\n    finally:\n        x = 1",
        "def f(x):\n    try:\n        x = 1\n    except E:\n        if x > 0:\n            raise",
        "def f(x):\n    y = []\n    if x > 0:\n        y.append(1)\n        y.sort()\n    return y",
        "def f(x):\n    y = []\n    if x > 0:\n        y.append(1)\n    else:\n        y.sort()",
        "def f(x, y):\n    if x > 0:\n        y.append(1)\n    y.sort()",  # may be no list
        "def g(x):\n    if isinstance(x, int):\n        yield 1",
        "def f(x):\n    class A:\n        def __bool__(self):\n            return not x",  # converted with f
        "class A:\n    def __init__(self, x):\n        self.x = 1 if x else 2",
        "class A:\n    def __eq__(self, x):\n        return isinstance(x, A) and x is self",
        "def __getattr__(name):\n    return 1 if name else 2",  # of a module: no method
        "@ag.do_not_convert\ndef f(x):\n    if x:\n        yield 1",
        "def f(x):\n    return f'{x:>5} {x:>{5}}'",
        "def f(x):\n    return {1: 2 for _ in x}, [a for b in x for a in b]",
    ],
)
def test_no_places(text: str) -> None:
    assert places(text) == []


def test_a_long_chain_names_its_own_conditions() -> None:
    """Code that the passes add to split a chain is not reported."""
    arms = "".join(f"    elif isinstance(x, T{i}):\n        y = {i}\n" for i in range(20))
    chain = f"def f(x):\n    if x is None:\n        y = 0\n{arms}    else:\n        yield 1\n"
    assert places(chain) == []


def test_columns_count_characters() -> None:
    text = "def f(x):\n\tif x:\n\t\té = '日本'; z = [(yield) if x > 1 else 2]\n"
    assert places(text) == [(2, 5, "AG001"), (3, 29, "AG001")]


def test_codes_are_documented() -> None:
    document = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in document.splitlines() if line.startswith("| AG")]
    assert rows == [[rule.code, rule.name, rule.summary, rule.remedy] for rule in RULES]
