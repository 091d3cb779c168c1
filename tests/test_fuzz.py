"""2,000 generated programs do the same converted as unconverted; `tests/fuzzing/run.py` runs more."""

import pytest
from fuzzing.run import run_batch
from fuzzing.shrinking import shrink

FIRST_SEED = 1_000_000  # far from the seeds that one begins with by hand


@pytest.mark.parametrize("number", range(FIRST_SEED, FIRST_SEED + 4))
def test_plain_programs(number):
    batch = run_batch("plain", number, 400)
    assert not batch.different, batch.different


@pytest.mark.parametrize("number", range(FIRST_SEED, FIRST_SEED + 2))
def test_staged_programs(number):
    """Well-typed programs do what they do in plain Python; few of them are refused."""
    batch = run_batch("staged", number, 200)
    assert not batch.different, batch.different
    assert len(batch.refused) <= 20


def test_what_fails_is_made_small():
    """What is not needed for the failure goes, around it and inside it."""
    text = (
        "def f(p):\n    if p:\n        for i in range(3):\n            t(p + (q := 1 // 0))\n    return p\n"
    )
    assert shrink(text, lambda smaller: "1 // 0" in smaller) == "1 // 0"
