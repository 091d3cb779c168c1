"""PennyLane's own tests of autograph, on `examples/embed_pennylane.py`.

They need PennyLane and the version of JAX that it requires: `nox -s pennylane` installs both.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

# What PennyLane's tests expect to fail with malt and works here, and a test of malt's own table of builtins.
WORKS_HERE = {
    "test_autograph_array_update.py::TestUnsupportedArrayUpdates::test_modulo_op_update",
    "test_autograph_array_update.py::TestUnsupportedArrayUpdates::test_multi_dimensional_index",
    "test_autograph_array_update.py::TestUnsupportedArrayUpdates::test_update_with_slice_index",
    "test_autograph_for_loop.py::TestErrors::test_for_in_dynamic_range_indexing_numeric_list",
    "test_autograph_for_loop.py::TestErrors::test_for_in_static_range_indexing_numeric_list",
}
OF_MALT = {"test_autograph_for_loop.py::TestCustomRangeAndEnumeration::test_prange_vs_range"}


def test_pennylane(tmp_path):
    pennylane = pytest.importorskip("pennylane")
    tests = Path(pennylane.__file__).parents[1] / "tests" / "capture" / "autograph"
    shutil.copytree(tests, tmp_path / "autograph")
    command = [sys.executable, "-P", "-m", "pytest", "-q", "-p", "pennylane_plugin", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "-o", "addopts=", "autograph"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parent), "JAX_ENABLE_X64": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    failed = set(re.findall(r"^(?:FAILED|ERROR) autograph/(\S+)", done.stdout, re.MULTILINE))
    assert failed == WORKS_HERE | OF_MALT, done.stdout[-5000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None
    assert int(passed[1]) >= 234
