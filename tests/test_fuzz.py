"""Generated programs behave the same converted and unconverted: 150 programs, or 2,000 in a full run.

`tests/fuzzing/run.py` tests more.
"""

import pytest
from breadth import some
from fuzzing.run import run_batch
from fuzzing.shrinking import shrink

FIRST_SEED = 1_000_000  # far from the low seeds of manual runs


@pytest.mark.slow
@pytest.mark.parametrize("number", range(FIRST_SEED, FIRST_SEED + 4))
def test_plain_programs(number):
    batch = run_batch("plain", number, some(30, 400))
    assert not batch.different, batch.different


@pytest.mark.slow
@pytest.mark.parametrize("number", range(FIRST_SEED, FIRST_SEED + 2))
def test_staged_programs(number):
    """Staged, well-typed programs behave as in plain Python, and few are rejected."""
    count = some(15, 200)
    batch = run_batch("staged", number, count)
    assert not batch.different, batch.different
    assert len(batch.refused) <= count / 5


def test_what_fails_is_made_small():
    """Shrinking removes code that the failure does not need, around it and inside it."""
    text = (
        "def f(p):\n    if p:\n        for i in range(3):\n            t(p + (q := 1 // 0))\n    return p\n"
    )
    assert shrink(text, lambda smaller: "1 // 0" in smaller) == "1 // 0"
