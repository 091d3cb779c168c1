"""Every sample on every system ends as docs/conformance.md says."""

from __future__ import annotations

import pytest
import table
from breadth import some
from support import required

LEAST = {"graph": 0.99, "jax": 0.77, "tensorflow": 0.81, "torch": 0.72, "pytensor": 0.74}
"""The share of the samples that must be right."""
EVERY = {"graph": some(16, 1), "torch": 5, "pytensor": some(5, 1)}
"""Of these systems one sample in so many is compiled: an export takes seconds, a graph half of one."""


@pytest.mark.parametrize("system", table.SYSTEMS)
def test_table(system: str):
    if table.SYSTEMS[system]:
        required(table.SYSTEMS[system])
    written = {sample: kinds.get(system) for sample, kinds in table.read().items()}
    found = table.column(system, EVERY.get(system, 1))
    assert {
        sample: (kind, written.get(sample)) for sample, kind in found.items() if written.get(sample) != kind
    } == {}
    assert not {"wrong", "foreign"} & {*found.values()}
    right = sum(kind in ("staged", "unrolled") for kind in written.values())
    assert right >= LEAST[system] * len(written)
