"""Frameworks whose version is unsupported, and what docs and packaging say of the supported ones."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import versions
from support import required

import autograph_rs as ag
from autograph_rs.runtime.backends.versions import SUPPORTED, check_version

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
import {framework}
{before}
import numpy as np
import autograph_rs as ag

def relu(x):
    if x > 0:
        y = x
    else:
        y = x * 0
    return y

def total(xs):
    found = {{}}
    s = 0
    for i, x in enumerate(xs):
        found[i] = [2 * x for x in xs]
        s += x if x > 1 else 0
    return s, len(found), f"{{s}}"

assert relu(-2) == ag.convert(relu)(-2) == 0
assert total([1, 2, 3]) == ag.convert(total)([1, 2, 3]) == (5, 3, "5")
assert ag.function(relu)(np.float64(2.0)) == 2.0
{staged}
"""
STAGED = {
    "jax": "f = ag.convert(relu)\n"
    "stage = lambda: jax.jit(f)(1.0)\n"
    "plain = lambda: jax.jit(lambda x: [x, ag.convert(total)([1, 2])[0]])(1.0)",
    "tensorflow": "f = ag.convert(relu); x = tensorflow.constant(1.0)\n"
    "stage = lambda: tensorflow.function(f, autograph=False)(x)\n"
    "plain = lambda: tensorflow.function(lambda x: [x, ag.convert(total)([1, 2])[0]], autograph=False)(x)",
    "pytensor": "f = ag.convert(relu); x = pytensor.tensor.scalar()\n"
    "stage = lambda: f(x)\n"
    "plain = lambda: [x, ag.convert(total)([1, 2])[0]]",
    "torch": "from torch.fx.experimental.proxy_tensor import make_fx\n"
    "f = ag.convert(relu); x = torch.tensor(1.0)\n"
    "stage = lambda: make_fx(f)(x)\n"
    "plain = lambda: make_fx(lambda x: x + ag.convert(total)([1, 2])[0])(x)",
}
REFUSED = """
plain()
try:
    stage()
except ag.VersionError as error:
    print(error)
else:
    raise AssertionError("it was staged")
"""
OLD = '{framework}.__version__ = "0.1.2"'
UNKNOWN = '{framework}.__version__ = "unknown"'
LACKING = {
    "jax": "import jax._src.core, jax.extend.core\n"
    "for module in (jax._src.core, jax.extend.core): vars(module).pop('get_opaque_trace_state', None)",
    "tensorflow": "import sys; sys.modules['tensorflow.python.ops.while_v2'] = None",
    "pytensor": "import pytensor.tensor.variable\ndel pytensor.tensor.variable._tensor_py_operators",
    "torch": "import torch.export, torch._dynamo, torch._higher_order_ops.utils\n"
    "del torch._higher_order_ops.utils.reenter_make_fx",
}


def message(framework: str, before: str) -> str:
    """The text of the error that a program raises when it stages."""
    required(framework)
    program = PROGRAM.format(
        framework=framework,
        before=before.format(framework=framework),
        staged=STAGED[framework] + REFUSED,
    )
    environ = os.environ | {"PYTHONPATH": str(Path(ag.__file__).parents[1]), "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environ, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


each_framework = pytest.mark.parametrize("framework", SUPPORTED)


@each_framework
def test_a_version_that_is_too_old(framework: str) -> None:
    """Plain code runs, and staging says what was found, what is needed and what to do."""
    supported = SUPPORTED[framework]
    text = message(framework, OLD)
    assert f"cannot stage values of {supported.title} 0.1.2" in text
    assert f"found: {supported.title} 0.1.2" in text
    assert f"needed: {supported.needed}" in text
    assert f"fix: pip install '{supported.package}>=" in text


@each_framework
def test_a_version_that_is_unknown(framework: str) -> None:
    text = message(framework, UNKNOWN)
    assert f"found: {SUPPORTED[framework].title} unknown" in text
    assert "why: it declares no version that can be compared" in text


@each_framework
def test_a_version_that_lacks_an_interface(framework: str) -> None:
    """Of a newer version the error says that this package may be the one to upgrade."""
    text = message(framework, '{framework}.__version__ = "99.0"\n' + LACKING[framework])
    assert "why: an interface that staging needs is missing: " in text
    assert "fix: upgrade autograph_rs, or pip install" in text


@each_framework
def test_a_newer_version_is_tried(framework: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = required(framework)
    major, minor = SUPPORTED[framework].newest
    monkeypatch.setattr(module, "__version__", f"{major}.{minor + 1}.0.dev1")
    assert check_version(framework) is None


def test_requirements_name_the_oldest_versions() -> None:
    """What pip installs, what is staged and what is tested agree."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = [*project["dependencies"], *(r for e in project["optional-dependencies"].values() for r in e)]
    oldest = dict(m.groups() for r in listed if (m := re.match(r"([\w-]+)>=(\d+\.\d+)", r)))
    for framework, supported in SUPPORTED.items():
        assert oldest[supported.package] == ".".join(map(str, supported.oldest)), framework
    page = (ROOT / "docs" / "backends.md").read_text(encoding="utf-8")
    for supported in SUPPORTED.values():
        ends = [".".join(map(str, end)) for end in (supported.oldest, supported.newest)]
        assert f"| {supported.title} | {ends[0]} | {ends[1]} |" in page
    for subject in versions.SUBJECTS.values():
        for package, version in subject.oldest.items():
            assert version.startswith(f"{oldest.get(package, '')}"), package


def test_the_table_of_versions() -> None:
    """No sample is wrong, and the oldest versions refuse at most two percent more than the newest."""
    rows = re.findall(
        r"^\| `(\w+) ([\d.]+)` \|(.*)\|$", versions.FILE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(rows) == 2 * len(versions.SUBJECTS)
    for name, version, row in rows[::2]:
        assert version == versions.SUBJECTS[name].oldest[versions.SUBJECTS[name].package]
        *_, wrong, more = [cell.strip() for cell in row.split("|")]
        assert wrong == "0"
        assert float(more.removesuffix("%")) <= 100 * versions.MOST_REFUSED
    assert all(row.split("|")[-2].strip() == "0" for _, _, row in rows[1::2])
