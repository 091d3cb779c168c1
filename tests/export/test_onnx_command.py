"""`autograph-rs export`, in processes of its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from backends.support import required
from cli_support import command

required("onnx")
required("onnxruntime")

from onnx_support import session  # noqa: E402

MODEL = """\
import autograph_rs as ag
import numpy as np

scale = ag.Variable(2.0, name="scale")


def positive(x, n):
    total = 0.0
    for i in range(n):
        if x[i] > 0:
            total += x[i] * scale
    return total


@ag.function(input_signature=[ag.TensorSpec((None,), "float32")])
def declared(x):
    return np.sort(x)


def counts(x):
    scale.assign_add(1.0)
    return x * scale


def prints(x):
    print(x)
    return x


class Steps:
    @staticmethod
    def double(x):
        return x * 2


def fails(x):
    raise KeyError("at the trace")


def leaves(x):
    raise SystemExit(5)


number = 3
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "model.py").write_text(MODEL, encoding="utf-8")
    (tmp_path / "leaves.py").write_text("raise SystemExit(5)", encoding="utf-8")
    (tmp_path / "reads.py").write_text("open('missing.csv')", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("module", ["model", "model.py", "./model.py"])
def test_exports(folder: Path, module: str) -> None:
    """By module or file; specs by position and by name."""
    done = command(
        "export", f"{module}:positive", "--spec", "float64[None]", "--spec", "n=int64[]", "-o", "made.onnx",
        cwd=folder,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    [made] = session(str(folder / "made.onnx")).run(None, {"x": np.array([1.0, -2.0, 4.0]), "n": np.array(3)})
    assert made == 10.0


def test_functions_with_a_signature_and_in_classes(folder: Path) -> None:
    assert command("export", "model:declared", "-o", "a.onnx", cwd=folder).returncode == 0
    [made] = session(str(folder / "a.onnx")).run(None, {"x": np.array([2, 1], np.float32)})
    assert made.tolist() == [1, 2]
    done = command("export", "model:Steps.double", "--spec", "int32[2, None]", "-o", "b.onnx", cwd=folder)
    assert done.returncode == 0
    [made] = session(str(folder / "b.onnx")).run(None, {"x": np.ones((2, 3), np.int32)})
    assert made.tolist() == [[2, 2, 2]] * 2


def test_variables(folder: Path) -> None:
    done = command("export", "model:counts", "--spec", "float64[]", "-o", "made.onnx", cwd=folder)
    assert done.returncode == 3
    assert b"it writes the Variable 'scale'" in done.stderr
    arguments = (
        "export",
        "model:counts",
        "--spec",
        "float64[]",
        "-o",
        "made.onnx",
        "--variables",
        "explicit",
    )
    assert command(*arguments, cwd=folder).returncode == 0
    made = session(str(folder / "made.onnx")).run(None, {"x": np.array(2.0), "scale": np.array(3.0)})
    assert [m.item() for m in made] == [8.0, 4.0]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("model:prints", "--spec", "float64[2]"), 3, "model.py:26:5: print cannot be exported to ONNX"),
        (("model:missing", "--spec", "float64[2]"), 3, "model: missing is not defined"),
        (("model:number", "--spec", "float64[2]"), 3, "model: number is not a function"),
        (("nothing:f", "--spec", "float64[2]"), 3, "nothing: the module raises ModuleNotFoundError"),
        (("nothing.py:f", "--spec", "float64[2]"), 3, "nothing.py: No such file or directory"),
        (("model",), 2, "expected MODULE:FUNCTION"),
        (("model:positive", "--spec", "float64[None]"), 2, "pass one --spec for each argument"),
        (("model:positive", "--spec", "float64[None"), 2, "'float64[None' is not a valid spec"),
        (("model:positive", "--spec", "float64[a]"), 2, "'float64[a]' is not a valid spec"),
        (("model:positive", "--spec", "float64[2,,3]"), 2, "'float64[2,,3]' is not a valid spec"),
        (("model:positive", "--spec", f"float64[{2**63}]"), 2, f"a length of {2**63}"),
        (("model:Steps", "--spec", "float64[2]"), 3, "model:Steps: the class Steps is no"),
        (("model:np.sum", "--spec", "float64[2]"), 3, "model:np.sum: the function sum is no"),
        (
            ("model:fails", "--spec", "float64[2]"),
            3,
            "model.py:37: the function raises KeyError: 'at the trace'",
        ),
        (("model:leaves", "--spec", "float64[2]"), 3, "the function raises SystemExit: 5"),
        (("leaves:f", "--spec", "float64[2]"), 3, "leaves: the module raises SystemExit: 5"),
        (
            ("reads.py:f", "--spec", "float64[2]"),
            3,
            "reads.py: the module raises FileNotFoundError: [Errno 2]",
        ),
        (("model:positive", "--spec", "wrong[2]"), 2, "the dtype of a TensorSpec"),
        (("model:positive", "--spec", "n=int64[]", "--spec", "n=int64[]"), 2, "two specs have the same name"),
    ],
)
def test_errors(folder: Path, arguments: tuple[str, ...], code: int, message: str) -> None:
    """One line on standard error, the exit code that is documented, and no file."""
    done = command("export", *arguments, "-o", "made.onnx", cwd=folder)
    assert (done.returncode, done.stdout) == (code, b"")
    assert message in " ".join(done.stderr.decode().split())
    assert not any(text in done.stderr for text in (b"Traceback", b"a fault of"))
    assert code == 2 or done.stderr.count(b"\n") == 1
    assert not (folder / "made.onnx").exists()


def test_modules_of_a_package(folder: Path) -> None:
    """A file of a package is imported as its module, so it may import the others."""
    (folder / "pack").mkdir()
    (folder / "pack" / "__init__.py").touch()
    (folder / "pack" / "constants.py").write_text("FACTOR = 3", encoding="utf-8")
    (folder / "pack" / "model.py").write_text(
        "from .constants import FACTOR\ndef f(*xs): return xs[0] * FACTOR + xs[1]", encoding="utf-8"
    )
    for module in ("pack.model", "pack/model.py"):
        specs = ("--spec", "float64[]", "--spec", "float64[]")
        done = command("export", f"{module}:f", *specs, "-o", "made.onnx", cwd=folder)
        assert (done.returncode, done.stderr) == (0, b"")
        [made] = session(str(folder / "made.onnx")).run(None, {"xs.0": np.array(2.0), "xs.1": np.array(1.0)})
        assert made == 7.0


def test_no_folder_and_no_output(folder: Path) -> None:
    done = command("export", "model:Steps.double", "--spec", "int32[2]", "-o", "none/made.onnx", cwd=folder)
    assert done.returncode == 3
    assert b"the directory" in done.stderr
    assert done.stderr.count(b"\n") == 1
    done = command("export", "model:Steps.double", "--spec", "int32[2]", "-o", ".", cwd=folder)
    assert done.returncode == 3
    assert b"that ends in a file name" in done.stderr
    assert command("export", "model:Steps.double", "--spec", "int32[2]", cwd=folder).returncode == 2
