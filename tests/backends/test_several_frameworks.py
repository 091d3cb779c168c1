"""Several frameworks in one process: each stages its own values."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import required

jax = required("jax")
tf = required("tensorflow")
torch = required("torch")

import numpy as np  # noqa: E402
from alone import exported, summed  # noqa: E402

import autograph_rs as ag  # noqa: E402


def test_each_system_has_its_own():
    expected = summed(10, 6)
    for _ in range(2):
        assert int(jax.jit(ag.convert(summed))(10, 6)) == expected
        numbers = tf.constant(10), tf.constant(6)
        assert int(tf.function(ag.convert(summed), autograph=False)(*numbers)) == expected
        assert int(exported(torch, ag.convert(summed), 10, 6)) == expected
        assert ag.function(summed)(np.int64(10), np.int64(6)) == expected
        assert summed(10, 6) == ag.convert(summed)(10, 6) == expected


ALONE = """
import sys
for other in {others}:
    sys.modules[other] = None
import numpy as np
import autograph_rs as ag
from autograph_rs.runtime.core.active_backends import ACTIVE
sys.path.insert(0, {here!r})
import {framework}
from alone import summed, exported

assert not ACTIVE
if "{framework}" == "jax":
    made = jax.jit(ag.convert(summed))(10, 6)
elif "{framework}" == "tensorflow":
    made = tensorflow.function(ag.convert(summed), autograph=False)(*map(tensorflow.constant, (10, 6)))
else:
    made = exported(torch, ag.convert(summed), 10, 6)
assert [backend.name for backend in ACTIVE] == ["{framework}"]
assert ag.function(summed)(np.int64(10), np.int64(6)) == summed(10, 6)
print(int(made))
"""


@pytest.mark.parametrize("framework", ["jax", "tensorflow", "torch"])
def test_each_system_alone(framework):
    others = {"jax", "tensorflow", "torch"} - {framework}
    script = ALONE.format(framework=framework, others=sorted(others), here=str(Path(__file__).parent))
    environ = os.environ | {"PYTHONPATH": str(Path(ag.__file__).parents[1]), "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environ, capture_output=True, text=True, check=False, timeout=300
    )
    assert (done.returncode, done.stdout) == (0, f"{summed(10, 6)}\n"), done.stderr
