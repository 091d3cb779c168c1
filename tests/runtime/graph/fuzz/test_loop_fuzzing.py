"""A part of the fuzzer's loops as machine code, and what the programs are like."""

from __future__ import annotations

import importlib.util
import os

import pytest
from breadth import some
from loop_fuzzing import fuzz_loops
from random_loops import loop_program

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("llvmlite") is None and not os.environ.get("AG_REQUIRE_BACKENDS"),
    reason="llvmlite is not installed",
)


def test_random_loops():
    """Each gives the same as machine code and as NumPy calls; most of them are machine code."""
    count = some(12, 200)
    verdicts, found = fuzz_loops(first=0, count=count)
    if found:
        raise found[0]
    assert verdicts["native"] + verdicts["mixed"] > 0.5 * count


def test_a_seed_is_one_program():
    """The same seed makes the same program and the same arguments again."""
    first, second = loop_program(7), loop_program(7)
    assert first.source == second.source
    assert repr(first.calls) == repr(second.calls)


@pytest.mark.parametrize("seed", range(20))
def test_programs_are_loops(seed):
    """Each program has a loop, and its source compiles."""
    source = loop_program(seed).source
    assert "    for " in source or "    while " in source
    compile(source, "<loops>", "exec")


@pytest.mark.parametrize("seed", [10, 106, 140, 201, 219, 1152, 20212, 20214])
def test_found(seed):
    """Programs on which the fuzzer once found a fault."""
    _, found = fuzz_loops(first=seed, count=1)
    if found:
        raise found[0]
