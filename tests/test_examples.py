"""Tests of the scripts in examples/."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from backends.support import required

import autograph_rs

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
ROOT = str(Path(autograph_rs.__file__).parents[1])  # the folder of the package that the tests import
LINES = {
    "array_api_programs.py": "numpy: elliptic: staged, equal to plain NumPy; alone: works",
    "embed_casadi.py": "Plain Python arrives at 150.000 m, with 0.000 m/s.",
    "embed_lazy.py": "|x| as an expression: cond(lt(input(-3.0), 0), neg(input(-3.0)), input(-3.0))",
    "embed_onnx.py": "root of 9.0: 3.0000",
    "embed_pennylane.py": "captured: qnode for_loop cond",
    "embed_polars.py": "[5.0, 13.5, 18.0, None]",
    "embed_symbolic.py": "not (age < 6) and not (age > 65) and is_member: 8",
    "onnx_from_python.py": "return_in_while: equal",
    "jax_mesh.py": "4096 points: the centres on 8 devices equal those on one device",
    "pytensor_models.py": "The models agree with those written by hand.",
    "quickstart.py": "Settled after 5 steps; the staged function and plain Python agree.",
    "torch_compile.py": "as written: Unsupported",
    "train_digits.py": "Saved a plot of the losses to train_digits.png.",
    "train_iris.py": "Saved a plot of the losses to train_iris.png.",
    "train_everywhere.py": "The weights agree.",
}
NOTES = re.compile(r"(I|W|WARNING|E)(0000)?[ :]|To enable the following instructions")
NEEDS = {
    "embed_casadi.py": ["casadi"],
    "embed_polars.py": ["polars"],
    "embed_onnx.py": ["onnx"],
    "jax_mesh.py": ["jax"],
    "onnx_from_python.py": ["onnx", "onnxruntime", "onnxscript"],
    "pytensor_models.py": ["pytensor"],
    "torch_compile.py": ["torch"],
    "train_digits.py": ["matplotlib", "sklearn"],
    "train_iris.py": ["matplotlib"],
}
WARN = {"torch_compile.py"}  # PyTorch's compiler uses what PyTorch deprecates
PLOTS = {"train_digits.py", "train_iris.py"}


@pytest.mark.parametrize("script", sorted(EXAMPLES.glob("*.py")), ids=lambda script: script.name)
def test_example(script: Path, tmp_path: Path) -> None:
    """A script succeeds in any working directory, prints the expected line, and writes nothing to stderr."""
    for package in NEEDS.get(script.name, []):
        required(package)
    if script.name == "embed_pennylane.py":
        pytest.importorskip("pennylane", reason="it needs a JAX of its own; `nox -s pennylane` runs this")
    warnings = "ignore" if script.name in WARN else "error"
    environ = os.environ | {"PYTHONPATH": ROOT, "PYTHONWARNINGS": warnings}
    command = [sys.executable, str(script)]
    done = subprocess.run(
        command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False, timeout=300
    )
    assert (done.returncode, noise(done.stderr)) == (0, ""), done.stderr
    assert LINES[script.name] in done.stdout.splitlines()
    drawn = [file.name for file in tmp_path.iterdir()]
    assert drawn == [f"{script.stem}.png"] * (script.name in PLOTS)


@pytest.mark.parametrize("name", ["train_digits", "train_iris"])
def test_training_learns(name: str, tmp_path: Path) -> None:
    """Training reaches an accuracy of at least 95 % on the held-out rows."""
    for package in NEEDS[f"{name}.py"]:
        required(package)
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py"), str(tmp_path / "loss.png")],
        env=os.environ | {"PYTHONPATH": ROOT}, capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    found = re.search(r"held-out \w+: ([\d.]+)%", done.stdout)
    assert found
    assert float(found[1]) >= 95
    assert (tmp_path / "loss.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("script", sorted(EXAMPLES.glob("embed_*.py")), ids=lambda script: script.name)
def test_an_example_that_embeds_knows_public_names_only(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    assert re.findall(r"import autograph_rs as ag|from autograph_rs.*|import autograph_rs.*", text) == [
        "import autograph_rs as ag"
    ]
    assert not re.findall(r"\._(?!_)\w+", text)
    used = set(re.findall(r"\bag\.(\w+)", text))
    assert used
    assert used <= set(autograph_rs.__all__)


def chosen(x):
    return -x if not (x > -1 and x < 1) or x > 5 else x


def left_early(x):
    while x < 10:
        x = x + 1
        if x > 5:
            break
    return x


@pytest.mark.parametrize("f", [chosen, left_early])
@pytest.mark.parametrize("x", [-3.0, 0.5, 7.0])
def test_lazy_arrays_are_what_python_computes(f: Callable[[float], float], x: float) -> None:
    lazy = runpy.run_path(str(EXAMPLES / "embed_lazy.py"))["lazy"]
    assert lazy(f)(x) == f(x)


@pytest.mark.parametrize(
    ("script", "made"), [("embed_lazy.py", ("Lazy", "input")), ("embed_symbolic.py", ("Symbol", "x"))]
)
def test_unknown_values_refuse_what_no_operator_asks(script: str, made: tuple[str, str]) -> None:
    """Outside of converted code, testing the truth of an unknown value raises an error."""
    kind, argument = made
    with pytest.raises(TypeError, match="truth value of"):
        bool(runpy.run_path(str(EXAMPLES / script))[kind](argument))


def noise(text: str) -> str:
    """Return a script's stderr without TensorFlow's notes about the machine."""
    ours = [line for line in text.splitlines() if not NOTES.match(line)]
    return "\n".join(ours)


def test_iris() -> None:
    """The measurements are Fisher's: 50 flowers of each species, with the means that he published."""
    file = EXAMPLES / "iris.csv"
    header, *_ = file.read_text(encoding="utf-8").splitlines()
    assert header == "sepal_length,sepal_width,petal_length,petal_width,species"
    points = np.loadtxt(file, delimiter=",", skiprows=1, usecols=range(4))
    species = np.loadtxt(file, delimiter=",", skiprows=1, usecols=4, dtype=str)
    means = {
        "setosa": (5.006, 3.428, 1.462, 0.246),
        "versicolor": (5.936, 2.770, 4.260, 1.326),
        "virginica": (6.588, 2.974, 5.552, 2.026),
    }
    assert points.shape == (150, 4)
    assert set(species) == set(means)
    for name, mean in means.items():
        assert np.count_nonzero(species == name) == 50
        np.testing.assert_allclose(points[species == name].mean(axis=0), mean, atol=5e-4)
