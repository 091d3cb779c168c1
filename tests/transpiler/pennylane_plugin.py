"""Make PennyLane's own tests run on the functions of `examples/embed_pennylane.py`."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pennylane as qp
import pytest
from pennylane.capture.autograph import transformer

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))
import embed_pennylane as ours

replacements = {
    name: getattr(ours, name) for name in ("run_autograph", "autograph_source", "disable_autograph")
}
replacements["TRANSFORMER"] = SimpleNamespace(
    has_cache=ours.transpiler.has_converted,
    transform=lambda fn, _: (ours.run_autograph(fn), None, None),
)
originals = {name: getattr(transformer, name) for name in replacements}
for name, module in [*sys.modules.items()]:
    if name.partition(".")[0] == "pennylane":
        for replaced, original in originals.items():
            if vars(module).get(replaced) is original:
                setattr(module, replaced, replacements[replaced])


@pytest.fixture
def enable_disable_plxpr():
    qp.capture.enable()
    yield
    qp.capture.disable()


@pytest.fixture(autouse=True)
def enable_for_marked_tests(request):
    if request.node.get_closest_marker("capture"):
        request.getfixturevalue("enable_disable_plxpr")
