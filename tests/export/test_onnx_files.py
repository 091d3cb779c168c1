"""The file that `to_onnx` writes, what it refuses, and a process that knows onnxruntime alone."""

from __future__ import annotations

import inspect
import json
import operator
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from backends.support import required

import autograph_rs as ag

onnx = required("onnx")
required("onnxruntime")

VECTOR = ag.TensorSpec((None,))


@ag.function
def settle(x, limit):
    """A loop whose length depends on the data, and a branch whose sides differ."""
    rounds = 0
    while np.max(np.abs(x)) > limit:
        if x.sum() > 0:
            x = x / 2
        else:
            x = x * 0.25 + 0.125
        rounds += 1
    return x, rounds


ALONE = """
import sys, json
import numpy as np
import onnxruntime
session = onnxruntime.InferenceSession(sys.argv[1])
made = []
for x in ([8.0, -1.0], [-8.0, -1.0, 3.0], [0.5], []):
    if x:
        value, rounds = session.run(None, {"x": np.array(x), "limit": np.array(1.0)})
        made.append([value.tolist(), int(rounds)])
assert not any(name.split(".")[0] in ("autograph_rs", "onnx", "gast") for name in sys.modules)
print(json.dumps(made))
"""


def test_runs_in_a_process_with_onnxruntime_alone(tmp_path: Path) -> None:
    concrete = settle.get_concrete_function(VECTOR, ag.TensorSpec(()))
    concrete.to_onnx(tmp_path / "settle.onnx")
    done = subprocess.run(
        [sys.executable, "-I", "-c", ALONE, str(tmp_path / "settle.onnx")],
        cwd=tmp_path, capture_output=True, check=False, timeout=300, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    calls = ([8.0, -1.0], [-8.0, -1.0, 3.0], [0.5])
    expected = [concrete(np.array(x), np.float64(1)) for x in calls]
    assert json.loads(done.stdout) == [[x.tolist(), rounds] for x, rounds in expected]
    assert {rounds for _, rounds in expected} >= {0, 3}


def test_the_model_is_checked_and_has_this_opset(tmp_path: Path) -> None:
    from autograph_rs.runtime.export.onnx.model import IR_VERSION, OPSET

    path = tmp_path / "settle.onnx"
    settle.get_concrete_function(VECTOR, ag.TensorSpec(())).to_onnx(str(path))
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    assert [o.version for o in model.opset_import] == [OPSET]
    assert (model.ir_version, model.producer_name, model.graph.name) == (IR_VERSION, "autograph_rs", "settle")
    assert str(Path(__file__).parent) not in str(model)
    assert (onnx.helper.find_min_ir_version_for(list(model.opset_import))) == IR_VERSION


def test_a_saved_function_is_exported_too(tmp_path: Path) -> None:
    ag.save(settle.get_concrete_function(VECTOR, ag.TensorSpec(())), tmp_path / "settle.json")
    [concrete] = ag.load(tmp_path / "settle.json").concrete_functions
    concrete.to_onnx(tmp_path / "settle.onnx")
    assert (tmp_path / "settle.onnx").stat().st_size > 100


# What is refused


def prints(x):
    y = x + 1
    ag.print(y)
    return y


def draws(x):
    return x + np.random.default_rng(0).normal(size=3)


def calls_python(x):
    return ag.py_function(lambda v: v + 1, [x], VECTOR)


def inverts(x):
    return np.linalg.inv(np.outer(x, x))


def transforms(x):
    return np.fft.rfft(x)


def formats(x):
    return f"{x[0]:.3f}"


def lists_of_lists(n):
    return [[i, i + 1] for i in range(int(n[0]))]


def strict(x):
    with np.errstate(divide="raise"):
        return 1 / x


@pytest.mark.parametrize(
    ("function", "what", "line"),
    [
        (prints, "print cannot be exported to ONNX", 2),
        (draws, "default_rng cannot be exported to ONNX", 1),
        (calls_python, "py_function cannot be exported to ONNX", 1),
        (inverts, "numpy.linalg.inv cannot be exported to ONNX", 1),
        (transforms, "numpy.fft.rfft cannot be exported to ONNX", 1),
        (formats, "text cannot be exported to ONNX", 1),
        (strict, "truediv cannot be exported to ONNX", 2),
    ],
)
def test_what_onnx_cannot_say(function: Callable[..., Any], what: str, line: int, tmp_path: Path) -> None:
    """The error names the node, the user's line, why, and what to do; the file that was there stays."""
    path = tmp_path / "model.onnx"
    path.write_bytes(b"before")
    concrete = ag.function(function).get_concrete_function(VECTOR)
    with pytest.raises(ag.SaveError) as caught:
        concrete.to_onnx(path)
    error = caught.value
    assert error.args[0].startswith(what)
    assert error.why
    assert error.remedy
    assert error.place is not None
    assert (error.place.file, error.place.line) == (__file__, function.__code__.co_firstlineno + line)
    assert path.read_bytes() == b"before"
    assert [f.name for f in tmp_path.iterdir()] == ["model.onnx"]


def test_complex_numbers_are_refused(tmp_path: Path) -> None:
    concrete = ag.function(lambda x: x * 2).get_concrete_function(ag.TensorSpec((2,), complex))
    with pytest.raises(ag.SaveError, match="complex128"):
        concrete.to_onnx(tmp_path / "model.onnx")


def test_uint64_that_would_be_signed_is_refused(tmp_path: Path) -> None:
    concrete = ag.function(lambda x: np.unique(x)).get_concrete_function(ag.TensorSpec((2,), "uint64"))  # noqa: PLW0108
    with pytest.raises(ag.SaveError, match=r"unique cannot") as caught:
        concrete.to_onnx(tmp_path / "model.onnx")
    assert "uint64" in caught.value.why


def test_arguments_that_a_rule_does_not_take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are refused as what ONNX cannot say, and so is a result of another rank."""
    from autograph_rs.runtime.export.onnx.rules import FUNCTIONS

    concrete = ag.function(lambda x: np.exp(x)).get_concrete_function(VECTOR)  # noqa: PLW0108
    for rule in (lambda c: None, lambda c, x: c.b.unsqueeze(x, 0)):
        monkeypatch.setitem(FUNCTIONS, np.exp, rule)
        with pytest.raises(ag.SaveError, match="exp cannot be exported to ONNX") as caught:
            concrete.to_onnx(tmp_path / "model.onnx")
        assert "with these arguments" in caught.value.why


def test_rules_have_the_parameters_of_their_functions() -> None:
    from autograph_rs.runtime.export.onnx.rules import FUNCTIONS

    for function, rule in FUNCTIONS.items():
        if not isinstance(function, np.ufunc) and function.__module__.startswith("numpy"):
            theirs, mine = positional(function), positional(rule)[1:]
            assert all(map(operator.eq, mine[1:], theirs[1:])), (mine, theirs)


def positional(function: Any) -> list[str]:
    kinds = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    try:
        parameters = inspect.signature(function).parameters
    except ValueError:  # NumPy does not tell them
        return []
    return [p.name for p in parameters.values() if p.kind in kinds]


def test_what_returns_nothing_is_refused(tmp_path: Path) -> None:
    concrete = ag.function(lambda x: None).get_concrete_function(VECTOR)
    with pytest.raises(ag.SaveError, match="it returns nothing"):
        concrete.to_onnx(tmp_path / "model.onnx")


def test_objects_in_the_result_are_refused(tmp_path: Path) -> None:
    concrete = ag.function(lambda x: (x, {1, 2})).get_concrete_function(VECTOR)
    with pytest.raises(ag.SaveError, match="it returns a set"):
        concrete.to_onnx(tmp_path / "model.onnx")


def test_changed_containers_are_refused(tmp_path: Path) -> None:
    def fills(state, x):
        state["sum"] = x.sum()
        return x

    concrete = ag.function(fills).get_concrete_function({"sum": 0.0}, VECTOR)
    with pytest.raises(ag.SaveError, match="it changes a list, dict or object among its arguments"):
        concrete.to_onnx(tmp_path / "model.onnx")


def test_written_variables_are_refused_as_constants(tmp_path: Path) -> None:
    total = ag.Variable(0.0, name="total")

    def adds(x):
        total.assign_add(x.sum())
        return x

    concrete = ag.function(adds).get_concrete_function(VECTOR)
    with pytest.raises(ag.SaveError, match="it writes the Variable 'total'") as caught:
        concrete.to_onnx(tmp_path / "model.onnx")
    assert 'variables="explicit"' in caught.value.remedy
    concrete.to_onnx(tmp_path / "model.onnx", variables="explicit")
    graph = onnx.load(tmp_path / "model.onnx").graph
    assert ([i.name for i in graph.input], [o.name for o in graph.output]) == (
        ["x", "total"],
        ["output_0", "total.new"],
    )


@pytest.mark.parametrize("path", [3, None, b"model.onnx", ["model.onnx"]])
def test_paths_that_are_none(path: Any) -> None:
    with pytest.raises(ag.ArgumentError, match="the path of a file must be a str"):
        settle.get_concrete_function(VECTOR, ag.TensorSpec(())).to_onnx(path)


def test_folders(tmp_path: Path) -> None:
    concrete = settle.get_concrete_function(VECTOR, ag.TensorSpec(()))
    with pytest.raises(ag.MissingFileError, match="the directory"):
        concrete.to_onnx(tmp_path / "none" / "model.onnx")
    with pytest.raises(ag.MissingFileError, match="is a directory"):
        concrete.to_onnx(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("variables", ["inputs", None, True])
def test_other_options(variables: Any, tmp_path: Path) -> None:
    concrete = settle.get_concrete_function(VECTOR, ag.TensorSpec(()))
    with pytest.raises(ag.OptionError, match=r"variables= must be 'constant' or 'explicit'"):
        concrete.to_onnx(tmp_path / "model.onnx", variables=variables)


def test_without_onnx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the extra."""
    monkeypatch.setitem(sys.modules, "onnx", None)
    for name in [n for n in sys.modules if n.startswith("autograph_rs.runtime.export.onnx")]:
        monkeypatch.delitem(sys.modules, name)
    concrete = settle.get_concrete_function(VECTOR, ag.TensorSpec(()))
    with pytest.raises(ag.MissingFrameworkError, match="to_onnx needs onnx") as caught:
        concrete.to_onnx(tmp_path / "model.onnx")
    assert (caught.value.name, caught.value.remedy) == ("onnx", "pip install 'autograph_rs[onnx]'")


def test_onnx_is_imported_when_it_is_asked_for() -> None:
    code = "import autograph_rs, sys; assert 'onnx' not in sys.modules and 'onnxruntime' not in sys.modules"
    root = str(Path(ag.__file__).parents[1])
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300, cwd=root)
