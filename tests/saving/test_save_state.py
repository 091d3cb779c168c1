"""State in saved functions: Variables, changed containers, random numbers; and what cannot be saved."""

from __future__ import annotations

import copy
import dataclasses
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_house import ROOT
from test_save import round_trip

import autograph_rs as ag
from autograph_rs.runtime.graph.serialization.graphs import from_text, to_text
from autograph_rs.runtime.graph.serialization.loaded_function import from_content

X = np.arange(3.0)
ONE = np.float64(1)


@dataclasses.dataclass
class Mean:
    total: Any
    count: int


class Counter:
    def __init__(self, start):
        self.steps = ag.Variable(start, name="steps")
        self.seen = ag.Variable(np.zeros(2, "f4"), name="seen")

    @ag.function
    def step(self, x):
        self.steps.assign_add(1)
        self.seen[0] = self.seen[0] + x.sum()
        return self.steps * x

    @ag.function
    def read(self):
        return self.steps


def test_variables_count_on(tmp_path: Path) -> None:
    """All traces of a loaded function share its Variables, which begin where they were."""
    counter = Counter(4)
    assert counter.step(X).tolist() == (X * 5).tolist() and counter.step(ONE) == 6
    loaded = round_trip(counter.step, tmp_path)
    steps, seen = loaded.variables
    assert (steps.label, int(steps), seen.label, seen.dtype) == ("steps", 6, "seen", np.float32)
    assert loaded(X).tolist() == (X * 7).tolist() and loaded(x=ONE) == 8
    assert (int(steps), float(seen[0]), int(counter.steps)) == (8, 8.0, 6)
    assert loaded.concrete_functions[0].variables[0] is loaded.concrete_functions[1].variables[0] is steps
    steps.assign(0)
    assert loaded(ONE) == 1
    again = round_trip(loaded, tmp_path)
    assert again(ONE) == 2 and int(steps) == 1
    assert round_trip(counter.step.get_concrete_function(X), tmp_path)(ONE * X).tolist() == (X * 7).tolist()


def test_a_fresh_process_counts_on(tmp_path: Path) -> None:
    counter = Counter(0)
    counter.step(ONE)
    ag.save(counter.step, tmp_path / "f.json")
    probe = (
        "import autograph_rs as ag, numpy as np; f = ag.load('f.json');"
        "print([int(f(np.float64(1))) for _ in range(3)], repr(f.variables[0])); ag.save(f, 'f.json')"
    )
    for expected in ("[2, 3, 4] Variable('steps', 4, ", "[5, 6, 7] Variable('steps', 7, "):
        done = subprocess.run(
            [sys.executable, "-c", probe], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True, text=True, check=True, timeout=300,
        )  # fmt: skip
        assert done.stdout.startswith(expected)


def test_a_variable_that_is_an_argument_stays_one(tmp_path: Path) -> None:
    """Any Variable of the dtype and shape is taken; the same where the same was, others where others were."""
    kept = ag.Variable(10.0, name="kept")

    def move(source, targets, x):
        source.assign_sub(x)
        targets[0].assign_add(x)
        kept.assign_add(x)
        return source, kept

    a, b = ag.Variable(1.0), ag.Variable(2.0)
    f = ag.function(move)
    assert f(a, [b], ONE) == (0.0, 11.0)
    loaded = round_trip(f, tmp_path)
    [own] = loaded.variables
    c, d = ag.Variable(5.0), ag.Variable(6.0)
    assert loaded(c, [d], ONE) == (4.0, 12.0) and (c, d, own, kept) == (4.0, 7.0, 12.0, 11.0)
    [trace] = loaded.concrete_functions
    assert trace(d, [c], ONE) == (6.0, 13.0) and trace(source=d, targets=[c], x=1) == (5.0, 14.0)
    assert (
        repr(trace) == "move(source=Variable(float64[]), targets=[Variable(float64[])], x: float64[]) "
        "-> (float64[], float64[])"
    )
    for wrong in [(c, [c], ONE), (c, [own], ONE), (c, [ag.Variable(1)], ONE), (c, [5.0], ONE), (c, [d], X)]:
        with pytest.raises(ag.SignatureError):
            loaded(*wrong)
        with pytest.raises(ag.SignatureError):
            trace(*wrong)
    with pytest.raises(ag.SignatureError, match=r"'targets'.* is missing"):
        trace(c, x=ONE)
    f = ag.function(lambda v, w: v.assign_add(w) + 0)
    f(a, a)
    twice = round_trip(f, tmp_path)
    assert twice(d, d) == d.numpy()
    with pytest.raises(ag.SignatureError):
        twice(c, d)


def test_changed_containers_are_changed_for_the_caller(tmp_path: Path) -> None:
    """Lists, dicts and objects of the caller get what the run left in them."""

    def f(x, log, options, mean):
        log.append(x.sum())
        log[0], log[1] = log[1], log[0]
        options["inner"] = log
        options[2] = {"x": x, "text": "t"}
        del options["old"]
        mean.total = mean.total + x
        mean.count += 1

    def fresh():
        return [np.float64(7), [1]], {"inner": None, "old": 3}, Mean(np.zeros(3), 2)

    staged = ag.function(f)
    expected, made = fresh(), fresh()
    staged(X, *expected)
    loaded = round_trip(staged, tmp_path)
    loaded(X, *made)
    for log, options, mean in (expected, made):
        assert log == [[1], 7.0, 3.0] and options["inner"] is log
        assert list(options) == ["inner", 2] and options[2]["x"].tolist() == X.tolist()
        assert (mean.total.tolist(), mean.count) == (X.tolist(), 3)
    with pytest.raises(ag.SignatureError):
        loaded(X, *made)


def test_random_numbers(tmp_path: Path) -> None:
    """A generator that the function makes is made again by a loaded one; those of modules are used."""

    def f(x, seed):
        generator = np.random.default_rng(seed)
        total = generator.normal(size=3) + x
        for i in range(seed):
            if total[0] > i:
                total[1] += generator.random()
        return total, generator.integers(0, 9, 4), np.random.rand(2), random.random()  # noqa: NPY002

    def seeded(function):
        np.random.seed(5)  # noqa: NPY002
        random.seed(5)
        return [part.tolist() if isinstance(part, np.ndarray) else part for part in function(X, np.int64(4))]

    staged = ag.function(f)
    expected = seeded(staged)
    loaded = round_trip(staged, tmp_path)
    assert seeded(loaded) == expected == seeded(f)
    assert loaded.graph.equals(staged.traces()[0].graph)
    assert "random.rand(numpy.random, " in str(loaded.graph)


def test_lengths_that_are_checked_when_a_graph_runs(tmp_path: Path) -> None:
    v = ag.Variable([1, 2])
    f = ag.function(v.assign, input_signature=[ag.TensorSpec((None,), v.dtype)])
    f(np.array([3, 4]))
    loaded = round_trip(f, tmp_path)
    assert loaded(np.array([5, 6])).tolist() == [5, 6]
    with pytest.raises(ValueError, match=r"expected shape \(2,\), got \(3,\)"):
        loaded(np.array([5, 6, 7]))
    assert loaded.variables[0].numpy().tolist() == [5, 6]


def test_numerics_are_checked_in_loaded_graphs(tmp_path: Path) -> None:
    def f(x):
        return np.log(x - 1) * 2

    loaded = round_trip(ag.function(f).get_concrete_function(X), tmp_path)
    with np.errstate(all="ignore"):
        assert not np.isfinite(loaded(X)).all()
        with ag.check_numerics(), pytest.raises(ag.NumericsError, match="computed a NaN") as caught:
            loaded(X)
    assert "return np.log(x - 1) * 2" in caught.value.__notes__[0]


def test_what_a_trace_shows_is_what_a_loaded_one_shows(tmp_path: Path) -> None:
    """Signature, structure and arguments by name are those of the concrete function."""

    @ag.function
    def scale(x, by, *, shift=1.5):
        return {"made": x * by + shift}

    trace = scale.get_concrete_function(ag.TensorSpec((None,)), by=3, shift=2.0)
    [loaded] = round_trip(trace, tmp_path).concrete_functions
    assert type(loaded) is type(trace) and repr(loaded) == repr(trace)
    assert loaded.structured_input_signature == trace.structured_input_signature
    assert loaded.structured_outputs == trace.structured_outputs
    assert loaded.python_source == trace.python_source
    for call in (trace, loaded):
        assert call(X)["made"].tolist() == call(x=X, by=3)["made"].tolist() == (X * 3 + 2).tolist()
        with pytest.raises(ag.SignatureError, match="'by' was traced as 3, not 4"):
            call(X, by=4)


outside = np.random.default_rng(1)
table = ag.data.from_iterable([ONE, ONE])
elements = iter(table)


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (
            lambda x: ag.py_function(np.sin, [x], ag.TensorSpec((3,))),
            r"the node py_function .*: it calls Python",
        ),
        (lambda x: x + next(elements), r"the node next .*: its elements come from Python"),
        (
            lambda x: x + outside.normal(),
            r"random.normal .*create it in the function, with np.random.default_rng",
        ),
        (
            lambda x: ag.print(x, file=sys.stderr),
            r"the node print .*: its kwargs is not serializable: a .*has no representation",
        ),
    ],
)
def test_what_runs_python_cannot_be_saved(function: Any, reason: str, tmp_path: Path) -> None:
    """The error has the node, the user's line and the reason; there is no file."""
    staged = ag.function(function)
    staged.get_concrete_function(X)
    with pytest.raises(
        ag.SaveError, match=rf"(?s){reason}.*test_save_state.py\", line \d+, in .*\n    .*lambda x"
    ):
        ag.save(staged, tmp_path / "f.json")
    assert not list(tmp_path.iterdir())


def test_a_loop_over_a_dataset_cannot_be_saved(tmp_path: Path) -> None:
    @ag.function
    def total(x):
        for y in table:
            x = x + y
        return x

    total(ONE)
    with pytest.raises(ag.SaveError, match=r"(?s)the node dataset .*\n    for y in table:.*loop over them"):
        ag.save(total, tmp_path / "f.json")


@pytest.fixture
def content(tmp_path: Path) -> Any:
    kept = ag.Variable(10.0)

    def f(v, log, mean):
        v.assign_add(kept)
        kept.assign(np.random.default_rng(3).random())
        log.append(v + 1)
        mean.count += 1
        return v

    staged = ag.function(f)
    staged(ag.Variable([1.0]), [], Mean(1, 2))
    ag.save(staged, tmp_path / "f.json")
    return json.loads((tmp_path / "f.json").read_text())["content"]


def draw(content: Any) -> Any:
    return next(n for n in content["traces"][0]["graph"]["nodes"] if n["op"] == "random.random")


CHANGES: dict[str, tuple[Any, str]] = {
    "own variable": (lambda t, c: t.update(state=[0, 0]), "a Variable in the file or an argument"),
    "no variable": (lambda t, c: t.update(state=[None, 7]), "the file has only 1 Variables"),
    "both arguments": (lambda t, c: t.update(state=[None, None]), "a Variable in the file or"),
    "too many": (
        lambda t, c: t.update(state=[None] * 3),
        "does not have 0 array arguments|either a Variable",
    ),
    "another type": (
        lambda t, c: c["variables"][0]["value"].update(shape=[1]),
        r"a Variable of type .* is expected",
    ),
    "no array": (lambda t, c: c["variables"][0].update(value=3), "the value of a Variable is not an array"),
    "argument": (
        lambda t, c: t["arguments"]["parts"][0]["parts"][0].update(variable=5),
        "the graph has no Variable argument",
    ),
    "path": (lambda t, c: t["changes"][0].update(path=[0, 1, "append"]), "does not lead to a list"),
    "leaf": (lambda t, c: t["changes"][0].update(path=[0, 0]), "does not lead to a list"),
    "whole": (lambda t, c: t["changes"][0].update(path=[0]), "does not lead to a list"),
    "attribute": (lambda t, c: t["changes"][1]["items"][0].__setitem__(0, "__class__"), "not a field"),
    "item": (
        lambda t, c: t["changes"][0]["items"][0].__setitem__(1, {"path": [1]}),
        "does not lead to a list",
    ),
    "method": (lambda t, c: draw(c).update(op="random.set_state"), "not a known op or function"),
    "other method": (lambda t, c: draw(c).update(op="random.normal"), "does not draw from a generator"),
    "drawn from": (lambda t, c: draw(c).update(inputs=[0]), "does not draw from a generator"),
    "nothing": (lambda t, c: draw(c).update(inputs=[]), "a slot refers to a missing input"),
    "python": (
        lambda t, c: draw(c).update(op="py_function"),
        "a file cannot contain py_function: it calls Python",
    ),
    "parameter": (lambda t, c: c["parameters"].append(["v", "keyword_only"]), "duplicate parameter"),
    "parameter kind": (lambda t, c: c["parameters"].append(["w", "any"]), "not a known kind of parameter"),
    "parameter name": (
        lambda t, c: c["parameters"].append(["a b", "keyword_only"]),
        "a name and a kind are expected",
    ),
}


@pytest.mark.parametrize(("change", "reason"), CHANGES.values(), ids=list(CHANGES))
def test_state_that_is_not_well_formed_is_refused(content: Any, change: Any, reason: str) -> None:
    changed = copy.deepcopy(content)
    assert from_content(from_text(to_text(changed)))
    change(changed["traces"][0], changed)
    with pytest.raises(ag.FormatError, match=reason):
        from_content(from_text(to_text(changed)))
