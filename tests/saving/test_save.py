"""`save` and `load`: what comes back is called as the original is, and needs no source."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from test_house import ROOT

import autograph_rs as ag

X = np.arange(4.0)


class Point(NamedTuple):
    x: Any
    y: Any


@dataclasses.dataclass(frozen=True)
class Pair:
    first: Any
    second: Any


def round_trip(function: Any, folder: Path, **options: Any) -> Any:
    ag.save(function, folder / "f.json")
    return ag.load(folder / "f.json", **options)


def test_arguments_and_results_keep_their_structure(tmp_path: Path) -> None:
    """Nested tuples, lists, dicts and records; plain values stand where they stood."""

    def f(x, options, *rest, by=2):
        return {
            "a": (x * by, [options["k"], None]),
            3: Point(rest[0], "text"),
            "p": Pair(x.sum(), options["n"]),
        }

    staged = ag.function(f)
    args = X, {"k": np.float32(3), "n": (1, "s")}, np.int64(5)
    expected = staged(*args, by=4)
    loaded = round_trip(staged, tmp_path)
    made = loaded(*args, by=4)
    assert list(made) == list(expected) == ["a", 3, "p"]
    assert made["a"][0].tolist() == expected["a"][0].tolist() and made["a"][1] == expected["a"][1]
    assert made[3] == expected[3] and type(made[3]).__name__ == "Point" and made[3].y == "text"
    assert type(made["p"]).__name__ == "Pair" and made["p"] == (6.0, (1, "s"))
    assert str(loaded.structured_outputs["a"]) == str(staged.traces()[0].structured_outputs["a"])
    again = ag.load(tmp_path / "f.json", types=(Point, Pair))(*args, by=4)
    assert type(again[3]) is Point and again["p"] == Pair(6.0, (1, "s"))


def test_records_are_arguments_too(tmp_path: Path) -> None:
    """The user's own class and the one that is made for it are both taken."""
    loaded = round_trip(ag.function(lambda p: Point(p.y, p.x)).get_concrete_function(Point(X, 1.0)), tmp_path)
    swapped = loaded(Point(X, 1.0))
    assert swapped[0] == 1.0 and swapped[1].tolist() == X.tolist()
    other = type(swapped)(X, 1.0)
    assert loaded(other)[0] == 1.0


def test_the_arguments_choose_the_trace(tmp_path: Path) -> None:
    """All traces are saved; the most special one that fits is run; plain values fit by type and bits."""

    @ag.function
    def f(x, k):
        return x * k, k, x.ndim

    calls = [
        (X, 2),
        (X, 2.0),
        (X, True),
        (X, -0.0),
        (X, 0.0),
        (X.reshape(2, 2), 2),
        (np.float64(3), 2),
        (X, "z"[:0] or 1),
    ]
    with pytest.warns(ag.RetraceWarning):
        expected = [f(*call) for call in calls]
    f.get_concrete_function(ag.TensorSpec((None,)), 7)
    f.get_concrete_function(ag.TensorSpec((2,)), 7)
    loaded = round_trip(f, tmp_path)
    assert len(loaded.concrete_functions) == 10
    for call, value in zip(calls, expected, strict=True):
        made = loaded(*call)
        assert repr(made) == repr(value)
    assert loaded(np.ones(9), 7)[0].tolist() == [7.0] * 9
    assert loaded(k=7, x=X)[0].tolist() == loaded(X, k=7)[0].tolist() == (X * 7).tolist()
    for wrong in [(X, 3), (X.astype("f4"), 2), (X,), (1.0, 2), (X, 2, 3), (np.ones((2, 3)), 2)]:
        with pytest.raises(
            ag.SignatureError, match=r"(?s)was called with .*it was saved for\n.*float64\[4\]"
        ):
            loaded(*wrong)
    with pytest.raises(AttributeError, match="10 traces"):
        loaded.graph


def test_an_input_signature_is_kept(tmp_path: Path) -> None:
    f = ag.function(lambda x: x.sum(), input_signature=[ag.TensorSpec((None,))])
    f(X)
    loaded = round_trip(f, tmp_path)
    assert loaded(np.ones(7)) == 7
    with pytest.raises(ag.SignatureError):
        loaded(np.ones(7, "f4"))


def test_methods_are_saved_with_their_object(tmp_path: Path) -> None:
    """A bound method loses its object, which is part of the graph; other objects have no form."""

    class Model:
        def __init__(self, k):
            self.k = k

        @ag.function
        def predict(self, x):
            return x * self.k

    two, three = Model(2), Model(3)
    assert two.predict(X)[1] == 2 and three.predict(X)[1] == 3
    loaded = round_trip(three.predict, tmp_path)
    assert loaded(X).tolist() == (X * 3).tolist() and loaded(x=X)[1] == 3
    with pytest.raises(
        ag.SaveError,
        match=r"(?s)it is a method, with separate traces for each object\n.*method of .*instance.predict",
    ):
        ag.save(Model.predict, tmp_path / "g.json")
    with pytest.raises(
        ag.SaveError, match=r"its argument args\[0\] is not serializable: a .*Model has no representation"
    ):
        ag.save(ag.function(lambda model, x: x * model.k).get_concrete_function(two, X), tmp_path / "g.json")
    assert not (tmp_path / "g.json").exists()


def test_writes_and_twins(tmp_path: Path) -> None:
    """Arguments are written in place; equal results stay apart."""

    def f(x):
        x[0] = 9
        return x, np.tanh(x), np.tanh(x)

    loaded = round_trip(ag.function(f).get_concrete_function(X), tmp_path)
    given = X.copy()
    out, one, other = loaded(given)
    assert out is given and given[0] == 9
    assert one is not other and not np.shares_memory(one, other)


def test_a_loaded_function_can_be_saved_again(tmp_path: Path) -> None:
    loaded = round_trip(ag.function(lambda x: x + 1).get_concrete_function(X), tmp_path)
    text = (tmp_path / "f.json").read_text()
    again = round_trip(loaded, tmp_path)
    assert again.graph.equals(loaded.graph)
    assert (
        json.loads(text)["content"]["traces"]
        == json.loads((tmp_path / "f.json").read_text())["content"]["traces"]
    )


def test_errors_of_loaded_graphs_name_the_users_place(tmp_path: Path) -> None:
    """File, line and text are in a note; frames of ours are not shown."""

    def pick(x, i):
        return x[i]

    loaded = round_trip(ag.function(pick).get_concrete_function(X, np.int64(0)), tmp_path)
    with pytest.raises(IndexError) as caught:
        loaded(X, np.int64(9))
    text = "".join(traceback.format_exception(caught.value))
    assert f'File "{__file__}", line {pick.__code__.co_firstlineno + 1}, in pick\n    return x[i]' in text
    assert "saved.py" not in text and "concrete.py" not in text
    ag.save(loaded, tmp_path / "f.json", source=False)
    assert (
        "return x[i]" not in (tmp_path / "f.json").read_text()
        and __file__ not in (tmp_path / "f.json").read_text()
    )
    with pytest.raises(IndexError) as caught:
        ag.load(tmp_path / "f.json")(X, np.int64(9))
    assert not hasattr(caught.value, "__notes__")


def test_what_cannot_be_saved_says_so(tmp_path: Path) -> None:
    """Not a function of ours, no trace, a result that has no form; nothing is written, an old file stays."""
    path = tmp_path / "f.json"
    path.write_text("old")
    for given in (len, lambda x: x, ag.function(lambda x: x), 3):
        with pytest.raises(ag.SaveError, match="cannot be saved"):
            ag.save(given, path)
    with pytest.raises(ag.SaveError, match=r"its result\[1\] is not serializable: a set"):
        ag.save(ag.function(lambda x: (x, {1})).get_concrete_function(X), path)
    assert [p.name for p in tmp_path.iterdir()] == ["f.json"] and path.read_text() == "old"


def test_loading_needs_no_converter(tmp_path: Path) -> None:
    """A process that loads and runs a function imports neither gast nor the transpiler."""
    ag.save(ag.function(lambda x: x * 2).get_concrete_function(X), tmp_path / "f.json")
    probe = (
        "import sys, autograph_rs as ag, numpy as np; print(ag.load('f.json')(np.arange(4.0)).tolist());"
        "assert not {'gast', 'autograph_rs.functions.function', 'autograph_rs.converters'} & set(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    assert done.stdout == "[0.0, 2.0, 4.0, 6.0]\n"
