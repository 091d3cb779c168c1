"""Staged samples of tests/cases, in a full run all, are saved; a process that has no converter runs them.

Both processes run their calls in turn and print what each did; the texts must be the same.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from breadth import some
from cases_support import ALL
from test_house import ROOT

import autograph_rs as ag
from autograph_rs.runtime.graph.serialization.values import NotSerializable, encode

RUNNER = """
import contextlib, dataclasses, io, json, sys, warnings
import autograph_rs as ag
from autograph_rs.runtime.graph.serialization.reading import decode
from autograph_rs.runtime.graph.serialization.values import encode

def shown(value):
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return [type(value).__name__, *map(shown, value)]
    if dataclasses.is_dataclass(value):
        return [type(value).__name__, *(shown(getattr(value, f.name)) for f in dataclasses.fields(value))]
    if isinstance(value, (list, tuple)):
        return [type(value) is list, *map(shown, value)]
    if isinstance(value, dict):
        return {str(k): shown(v) for k, v in value.items()}
    return encode(value)

def outcome(function, arguments):
    value = error = None
    with contextlib.redirect_stdout(io.StringIO()) as out, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = shown(function(*arguments))
        except Exception as caught:
            kind = next(k for k in type(caught).__mro__ if k.__module__ in ("builtins", "numpy.linalg"))
            error = kind.__name__, str(caught)
    return [value, error, out.getvalue(), [] if error else shown(list(arguments))]
"""
LOADED = """
results = []
for file, calls in json.load(open(sys.argv[1])):
    function = ag.load(file)
    results.append([outcome(function, decode(arguments, "arguments")) for arguments in calls])
json.dump(results, sys.stdout)
unwanted = {f"autograph_rs.{name}" for name in ("converters", "testing", "transpiler")}
assert not {"gast", *unwanted} & set(sys.modules)
"""
REFUSED = (
    "has no representation in the file format",  # an instance of the user's class
    "it changes a list, set, dict or object that is an item of another one",
)
here: dict = {}
exec(RUNNER, here)


def traced(function: Any, arguments: tuple) -> bool:
    """Return whether a call leaves a trace. It does not if tracing itself raises."""
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            concrete = function.get_concrete_function(*copy.deepcopy(arguments))
        except Exception:
            return False
    return str(concrete) in function.pretty_printed_concrete_signatures()


def encoded(all_arguments: list[tuple]) -> list[Any]:
    """Return the arguments as JSON can have them, without those that the file format cannot represent."""
    calls = []
    for arguments in all_arguments:
        with contextlib.suppress(NotSerializable):
            calls.append(encode(arguments))
    return calls


def saved(function: Any, file: Path) -> bool:
    """Save a function, and return whether its graph has only what a file contains."""
    try:
        ag.save(function, file)
    except ag.SaveError as error:
        if any(reason in str(error) for reason in REFUSED):
            return False
        raise
    return True


@pytest.mark.slow
def test_samples_run_from_files_alone(tmp_path: Path) -> None:
    """Values, errors, what is printed and what becomes of arguments are as those of the traced function."""
    plan, expected, names = [], [], []
    for number, sample in enumerate(ALL[:: some(6, 1)]):
        function = ag.function(sample.function)
        calls = encoded([arguments for arguments in sample.staged if traced(function, arguments)])
        file = tmp_path / f"{number}.json"
        if calls and saved(function, file):
            plan.append((str(file), calls))
            expected.append([here["outcome"](function, here["decode"](call, "")) for call in calls])
            names.append(sample.id)
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    (tmp_path / "run.py").write_text(RUNNER + LOADED)
    done = subprocess.run(
        [sys.executable, "run.py", "plan.json"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    made, expected = json.loads(done.stdout), json.loads(json.dumps(expected))
    assert [(n, m, e) for n, m, e in zip(names, made, expected, strict=True) if m != e] == []
    assert len(names) > some(200 / 6, 200)
