"""`autograph_rs.testing`, as the author of a backend has it: pytest on a file in a folder of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import autograph_rs
from autograph_rs.testing import BackendConformance, all_samples

ROOT = str(Path(autograph_rs.__file__).parents[1])  # where the package that the tests import lies

GRAPH = """
    import autograph_rs as ag
    from autograph_rs.testing import BackendConformance

    class TestGraph(BackendConformance):
        def prepare(self, f):
            return ag.function(f)
        def stage(self, f):
            return f
"""
OWN = """
    import numpy as np
    import autograph_rs as ag
    from autograph_rs.testing import BackendConformance

    class Clamped(np.ndarray):
        def __getitem__(self, key):
            if type(key) in (int, np.int64):
                key = min(max(key, -len(self)), len(self) - 1)
            return super().__getitem__(key)
        def __iter__(self):
            return (self[i] for i in range(len(self)))

    class TestOwn(BackendConformance):
        def stage(self, f):
            def call(*arrays):
                if any(array.ndim > 1 for array in arrays):
                    raise ERROR("not here")
                return f(*(a.view(Clamped) if a.ndim else a for a in arrays))
            return call
"""
ELEMENT = "indexing.py::element"
GRIDS = ("row_and_column", "shapes_and_axes", "two_indices")
DIFFERS = {ELEMENT: "an index is clamped"}
REFUSED = {f"indexing.py::{name}": "it has a grid" for name in GRIDS}


def own(error: str, **attributes: object) -> str:
    """The file of a backend that clamps indexes, and raises an error where there is a grid."""
    lines = [f"    {name} = {value!r}" for name, value in attributes.items()]
    return "\n".join([textwrap.dedent(OWN).replace("ERROR", error), *lines])


def ends(folder: Path, text: str, only: str = "indexing.py or test_lists") -> tuple[int, dict[str, str]]:
    """Return how many tests of a file pass, and the messages of the others."""
    (folder / "test_own.py").write_text(textwrap.dedent(text))
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "-k", only, "test_own.py"]
    environ = os.environ | {"PYTHONPATH": ROOT}
    done = subprocess.run(
        command, cwd=folder, env=environ, capture_output=True, text=True, check=False, timeout=300
    )
    passed = re.search(r"(\d+) passed", done.stdout)
    failed = re.findall(r"^FAILED .*::test_(?:sample\[.*::)?(\w+)", done.stdout, re.MULTILINE)
    messages = re.findall(r"^E +AssertionError: (.*)", done.stdout, re.MULTILINE)
    assert len(failed) == len(messages), done.stdout + done.stderr
    return int(passed[1]) if passed else 0, dict(zip(failed, messages, strict=True))


ALL = 1 + len([sample for sample in all_samples() if sample.staged and sample.file.name == "indexing.py"])


@pytest.mark.slow
def test_a_right_backend_passes(tmp_path: Path) -> None:
    assert ends(tmp_path, GRAPH) == (ALL, {})


@pytest.mark.slow
def test_what_is_wrong_fails(tmp_path: Path) -> None:
    """It fails on the samples that it is about, and on no others; the message says what to do."""
    passed, messages = ends(tmp_path, own("ag.StagingError"))
    assert set(messages) == {"element", *GRIDS}
    assert passed == ALL - len(messages)
    assert messages["element"].startswith(f"{ELEMENT} has the verdict wrong: missing IndexError")
    assert all("has the verdict error: StagingError: not here" in messages[name] for name in GRIDS)


@pytest.mark.slow
def test_what_is_listed_passes(tmp_path: Path) -> None:
    assert ends(tmp_path, own("ag.StagingError", differs=DIFFERS, refused=REFUSED)) == (ALL, {})


@pytest.mark.slow
def test_an_error_of_the_system_fails(tmp_path: Path) -> None:
    """Listed or not, unless the class says that its type counts as a refusal."""
    _, messages = ends(tmp_path, own("KeyError", differs=DIFFERS, refused=REFUSED))
    assert set(messages) == set(GRIDS)
    assert all("has the verdict foreign: KeyError: 'not here'" in text for text in messages.values())
    text = own("KeyError", differs=DIFFERS, refused=REFUSED) + "\n    refusals = (KeyError,)"
    assert ends(tmp_path, text) == (ALL, {})


@pytest.mark.slow
def test_a_needless_entry_fails(tmp_path: Path) -> None:
    """A sample that passes, or has the verdict the other list says; a name that no sample has."""
    halves, lost = "indexing.py::halves", "indexing.py::lost"
    lists = {
        "differs": DIFFERS | {halves: "?", f"indexing.py::{GRIDS[0]}": "?", lost: "?"},
        "refused": REFUSED | {ELEMENT: "?"},
    }
    passed, messages = ends(tmp_path, own("ag.StagingError", **lists))
    assert messages == {
        "element": f"{ELEMENT} has the verdict differs: remove it from `refused`",
        "halves": f"{halves} has the verdict staged: remove it from `differs`",
        GRIDS[0]: f"indexing.py::{GRIDS[0]} has the verdict error: remove it from `differs`",
        "lists": f"the lists name unknown samples: {lost}",
    }
    assert passed == ALL - len(messages)


def test_a_class_without_stage_says_so() -> None:
    sample = next(sample for sample in all_samples() if sample.id == ELEMENT)
    with pytest.raises(AssertionError, match=r"BackendConformance must define the method `stage\(self, f\)`"):
        BackendConformance().test_sample(sample)


@pytest.mark.parametrize(
    ("stage", "why"),
    [
        (lambda f: lambda *arrays: [*f(*arrays), arrays[0]], "returned 2 results, not 1"),
        (lambda f: lambda *arrays: f(*arrays)[:-1], "returned 0 results, not 1"),
        (lambda f: lambda *arrays: [arrays[0]], "returned results without calling the original function"),
    ],
)
def test_a_stage_that_gives_something_else_is_told(stage: Callable[..., Any], why: str) -> None:
    class Own(BackendConformance):
        pass

    Own.stage = staticmethod(stage)
    sample = next(sample for sample in all_samples() if sample.id == "if_.py::absolute")
    found = Own().verdict(sample)
    assert found.kind == "foreign"
    assert why in found.why


def test_a_sample_that_sets_a_global_is_judged_by_its_result():
    """The warning of it is no error of the sample, though pytest makes warnings errors."""

    class Graph(BackendConformance):
        def prepare(self, f: Callable[..., Any]) -> Callable[..., Any]:
            return autograph_rs.function(f)

        def stage(self, f: Callable[..., Any]) -> Callable[..., Any]:
            return f

    sample = next(sample for sample in all_samples() if sample.id == "scopes.py::global_in_branch")
    assert Graph().verdict(sample).kind == "staged"
