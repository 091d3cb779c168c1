"""Every sample in tests/cases, run by machine code."""

from __future__ import annotations

import pytest
from breadth import some
from cases_support import ALL, check_plain
from native_support import needs_llvm
from whole_graphs import compile_whole

import autograph_rs as ag
from autograph_rs.runtime.graph.native.linking.keys import GraphText
from autograph_rs.testing import Sample
from autograph_rs.testing.harness import run

pytestmark = [needs_llvm, pytest.mark.filterwarnings("ignore::autograph_rs.SideEffectWarning")]
STAGED = [sample for sample in ALL if sample.staged]


@pytest.mark.parametrize("sample", [pytest.param(sample, id=sample.id) for sample in STAGED[:: some(4, 1)]])
def test_samples(sample: Sample):
    """One `ag.function`, called on all staged inputs in turn, gives the same with either engine."""
    native, numpy = (ag.function(sample.function, engine=e) for e in ("native", "numpy"))
    for arguments in sample.staged:
        expected = run(numpy, arguments)
        check_plain(run(native, arguments), expected)
        if compile_whole(native):
            check_plain(run(native, arguments), expected)
    for concrete in native._traces.values():
        for region in concrete.engine.regions if concrete.engine is not None else ():
            assert GraphText(region.graph).text  # so that the cache keeps its machine code


def test_many_samples_are_machine_code():
    """The samples have enough loops that machine code runs."""
    compiled = 0
    for sample in STAGED[:: some(4, 1)]:
        native = ag.function(sample.function, engine="native")
        for arguments in sample.staged[:1]:
            run(native, arguments)
        compiled += any(c.engine is not None and c.engine.regions for c in native._traces.values())
    assert compiled > len(STAGED[:: some(4, 1)]) / 10
