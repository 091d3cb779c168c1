"""The table of docs/native.md: what stands under "machine code" is compiled, and nothing else in it."""

from __future__ import annotations

import html
import math
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import autograph_rs as ag
from autograph_rs.runtime.graph.native.regions import OPS
from autograph_rs.runtime.graph.native.report import forecast

PAGE = (Path(__file__).parents[2] / "docs" / "native.md").read_text(encoding="utf-8")
CODE = re.compile(r"`([^`]+)`|<code>(.+?)</code>")
NAMES = frozenset("ikvxm")
SPECS = [ag.TensorSpec((None,)), ag.TensorSpec((None, None)), ag.TensorSpec(()), ag.TensorSpec((), "int64")]


def expressions() -> Iterator[tuple[str, bool]]:
    """Yield the expressions of the table, each with whether it is compiled."""
    table = PAGE.partition("| | machine code | Python |")[2].partition("\n\n")[0]
    for row in table.splitlines()[2:]:
        cells = row.split(" | ")
        for cell, compiled in ((cells[1], True), (cells[2], False)):
            for plain, escaped in CODE.findall(cell):
                text = plain or html.unescape(escaped)
                if NAMES & {*re.findall(r"\b[a-z]\b", text)}:
                    yield text, compiled


def reason(expression: str) -> str:
    """Return why a loop with an expression is not compiled, or ""."""
    source = textwrap.dedent(f"""
        def program(x, m, v, n):
            for i in range(n):
                k = i + 1
                result = {expression}
                v = v + (result if np.ndim(result) == 0 else np.sum(result))
            return v
    """)
    namespace = {"np": np, "math": math}
    exec(source, namespace)
    program = ag.function(namespace["program"], input_signature=SPECS, engine="numpy", source=source)
    [(_, found)] = forecast(program.get_concrete_function().graph)
    return found


@pytest.mark.parametrize(("expression", "compiled"), [*expressions()])
def test_the_table(expression: str, compiled: bool) -> None:
    found = reason(expression)
    assert (not found) is compiled, found


def test_the_table_is_read() -> None:
    assert len([*expressions()]) > 70


def test_functions_of_numpy_are_listed() -> None:
    """The page names every function of NumPy that is compiled, apart from ufuncs and aliases."""
    names = {op.rpartition(".")[2] for op in OPS if op.startswith("numpy.")}
    others = {"amin", "amax", "empty", "empty_like"}
    assert {n for n in names - others if not re.search(rf"\.{n}\(", PAGE)} == set()
