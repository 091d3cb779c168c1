"""Every staged sample is exported, and gives in onnxruntime what the embedded graph gives, or is listed.

`samples_not_in_onnx.txt` has the samples that cannot be exported, with the reasons that the errors give;
`--update-golden` rewrites it. A sample that is exported and differs is in no list.
"""

from __future__ import annotations

import contextlib
import copy
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from backends.support import required

import autograph_rs as ag
from autograph_rs.testing.harness import Sample, all_samples, check_same

required("onnx")
required("onnxruntime")

from onnx_support import Exported  # noqa: E402

OVERFLOW = "a Python int needs more than 64 bits"
GOLDEN = Path(__file__).with_name("samples_not_in_onnx.txt")


def traced(sample: Sample, args: tuple[Any, ...]) -> Any:
    """The trace of a call; None where tracing it raises an error of its own."""
    try:
        return ag.function(sample.function).get_concrete_function(*copy.deepcopy(args))
    except Exception:
        return None


def check_call(concrete: Any, args: tuple[Any, ...], at: str) -> str | None:
    """Why the call cannot be exported; None if the model does what the graph does."""
    theirs, mine = copy.deepcopy(args), copy.deepcopy(args)
    error: Exception | None = None
    with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
        try:
            expected = concrete(*theirs)
        except Exception as raised:
            error = raised
    try:
        model = Exported(concrete)
    except Exception as refused:
        if error is not None and "ONNXRuntimeError" in str(refused):
            return None
        if not isinstance(refused, ag.SaveError):
            raise
        return f"{refused.args[0].partition(' cannot be')[0]}: {refused.why}".replace(
            f"{concrete.name}:", "the function:"
        )
    if error is not None:
        with pytest.raises(Exception, match="ONNXRuntimeError"):
            model(*mine)
        return None
    try:
        made = model(*mine)
    except Exception as failed:
        if OVERFLOW in str(failed):
            return f"the run fails: {OVERFLOW}"
        raise
    check_same(made, expected, at, exact=False)
    check_same(mine, theirs, f"{at}: arguments", exact=False)
    return None


def test_samples(request: pytest.FixtureRequest) -> None:
    reasons: dict[str, str] = {}
    count = exported = 0
    for sample in all_samples():
        for args in sample.staged:
            concrete = traced(sample, args)
            if concrete is None:
                continue
            count += 1
            reason = check_call(concrete, args, sample.id)
            exported += reason is None
            if reason is not None:
                reasons.setdefault(sample.id, reason)
    lines = "".join(f"{name}: {reason}\n" for name, reason in sorted(reasons.items()))
    if request.config.getoption("--update-golden"):
        GOLDEN.write_text(lines, encoding="utf-8")
    assert lines == GOLDEN.read_text(encoding="utf-8")
    assert count > 1000
    assert exported / count >= 0.77
