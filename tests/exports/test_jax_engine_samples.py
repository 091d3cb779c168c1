"""Every staged sample with `engine="jax"`: value, error and output are plain Python's, but for a list."""

from __future__ import annotations

import pytest
from backends.support import required
from cases_support import check_staged

required("jax")
from jax_samples import BOUNDS, EXCEPTIONS  # noqa: E402

import autograph_rs as ag  # noqa: E402
from autograph_rs.testing.harness import Sample, all_samples, run  # noqa: E402

STAGED = [sample for sample in all_samples() if sample.staged][::3]  # to_jax runs them all, by the same rules
REFUSED = {name for name, reason in EXCEPTIONS.items() if reason != BOUNDS}
"""What does not go by `to_jax` either, but for indices, which the engine looks at."""


@pytest.mark.filterwarnings("ignore::autograph_rs.SideEffectWarning")  # some set globals
@pytest.mark.parametrize("sample", STAGED, ids=lambda sample: sample.id)
def test_sample(sample: Sample) -> None:
    function = ag.function(sample.function, engine="jax")

    def check() -> None:
        for arguments in sample.staged:
            check_staged(run(function, arguments), run(sample.function, arguments))

    if sample.id in REFUSED:
        with pytest.raises(AssertionError):
            check()
    else:
        check()
