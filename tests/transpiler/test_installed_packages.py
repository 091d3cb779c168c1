"""Functions of packages that are installed from wheels in a fresh environment, on each tensor system."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import json
import os
import py_compile
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

HERE = Path(__file__).parent / "installed"
DISTRIBUTIONS = {
    "shapes": ("shapes/__init__.py", "shapes/helpers.py", "shapes/models.py"),
    "clamps": ("clamps.py",),
    "ns_tools_rounding": ("ns_tools/rounding/steps.py",),  # without __init__: a namespace package
}


def build_wheel(name: str, files: tuple[str, ...], folder: Path) -> Path:
    """Write a wheel of pure Python files."""
    info = f"{name}-1.0.dist-info"
    contents = {file: (HERE / file).read_bytes() for file in files}
    contents[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n".encode()
    tags = "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    contents[f"{info}/WHEEL"] = tags.encode()
    rows = [f"{file},{_digest(data)},{len(data)}" for file, data in contents.items()]
    contents[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,", ""]).encode()
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for file, data in contents.items():
            archive.writestr(file, data)
    return path


def _digest(data: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """Return the interpreter of a fresh environment with the packages, and with those that run the tests."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    interpreter = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    wheels = [build_wheel(name, files, folder) for name, files in DISTRIBUTIONS.items()]
    install = ["install", "--quiet", "--no-index", "--no-deps", "--no-compile", *wheels]
    subprocess.run([sys.executable, "-m", "pip", "--python", interpreter, *install], check=True)
    purelib = Path(run(interpreter, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    outer = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (folder / "checkout").mkdir()
    shutil.copy(HERE / "edited_tools.py", folder / "checkout")
    with zipfile.ZipFile(folder / "zipped.zip", "w") as archive:
        archive.write(HERE / "zipped_tools.py", "zipped_tools.py")
    paths = [*sorted(outer), str(folder / "checkout"), str(folder / "zipped.zip")]
    (purelib / "outer.pth").write_text("\n".join(paths))
    py_compile.compile(str(HERE / "frozen_tools.py"), purelib / "frozen_tools.pyc", dfile="frozen_tools.py")
    return interpreter


def run(interpreter: Path, *command: object) -> str:
    done = subprocess.run([interpreter, *command], capture_output=True, text=True, cwd=HERE.anchor)  # noqa: PLW1510
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def plain(python):
    return json.loads(run(python, "-P", HERE / "program.py", "plain"))


def needs(system: str):
    modules = {"graph": "numpy"}
    missing = importlib.util.find_spec(modules.get(system, system)) is None
    required = os.environ.get("AG_REQUIRE_BACKENDS")
    return pytest.param(system, marks=pytest.mark.skipif(missing and not required, reason=f"needs {system}"))


@pytest.mark.slow
@pytest.mark.parametrize("system", [needs(s) for s in ("graph", "jax", "tensorflow", "torch")])
def test_each_system(python, plain, system):
    """Functions, methods and classes of the package and of others return what they return in plain Python."""
    report = json.loads(run(python, "-P", HERE / "program.py", system))
    assert {name: report[name] for name in plain} == plain
    unset = report["unset"]
    assert re.search(r'helpers\.py(", line |:)30\b', unset), unset
    assert "'y'" in unset
    frozen = report["frozen"]
    assert "'sign'" in frozen, frozen
    assert "was called unconverted" in frozen
    assert "source" in frozen
    assert "frozen_tools" in frozen, frozen
    assert "clamps.py" in report["state"], report["state"]
    if system == "graph":
        assert "'stored' of the installed package 'clamps' ran unconverted" in report["state"]


def test_plain_runs_convert_nothing(python):
    """A function of another package is converted only in a call that a staged value reaches."""
    program = """
import logging, sys
import clamps, numpy as np, autograph_rs as ag

logging.getLogger("autograph_rs").addHandler(logging.StreamHandler(sys.stdout))
logging.getLogger("autograph_rs").setLevel(logging.INFO)

def f(x):
    return clamps.clamp(x, 0, clamps.constant(3))

assert ag.to_graph(f)(5) == 3
print("plain")
assert ag.function(f)(np.int64(5)) == 3
"""
    before, _, after = run(python, "-P", "-c", program).partition("plain")
    assert "converted 'f'" in before
    assert "clamp" not in before
    assert "converted 'clamp'" in after
    assert "constant" not in after
