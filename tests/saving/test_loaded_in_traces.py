"""A loaded function that is called in a traced one is part of its graph."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_save import Point, round_trip

import autograph_rs as ag
from autograph_rs.runtime.graph.serialization.verification import verify

X = np.array([1.0, -2.0, 3.0])


def shrink(x, by=2):
    total, parts = 0.0, []
    for v in x:
        if v > 0:
            total += v / by
        parts.append(v * by)
    return {"total": total, "point": Point(x * 2, parts)}


def test_it_gives_what_the_function_gives(tmp_path: Path):
    """Loops, conditions, lists, structures, plain arguments; in a branch and a loop too."""
    loaded = round_trip(ag.function(shrink).get_concrete_function(ag.TensorSpec((None,)), by=3), tmp_path)

    def f(g, x):
        made = g(x, by=3)
        total = made["total"]
        for _ in range(int(abs(x[0]))):
            if total > 0:
                total += g(x[:2] * total, 3)["total"]
        return total, made["point"].x, made["point"].y

    for given in (X, np.append(X, 4.0)):
        expected = f(shrink, given)
        outer = ag.function(lambda x: f(loaded, x))
        made = outer(given)
        verify(outer.traces()[0].graph)
        np.testing.assert_allclose(made[0], expected[0])
        np.testing.assert_array_equal(made[1], expected[1])
        np.testing.assert_array_equal(made[2], expected[2])


def test_its_nodes_are_optimised_and_saved_with_the_others(tmp_path: Path):
    loaded = round_trip(ag.function(lambda x: x * x + 1).get_concrete_function(ag.TensorSpec((3,))), tmp_path)
    outer = ag.function(lambda x: loaded(x) + x * x)
    assert outer(X).tolist() == [3.0, 9.0, 19.0]
    trace = outer.traces()[0]
    assert trace.graph.count("mul") == 1
    assert trace.graph.equals(type(trace.graph).from_json(trace.graph.to_json()))
    assert round_trip(outer, tmp_path)(X).tolist() == [3.0, 9.0, 19.0]


def test_effects_and_variables_are_those_of_each_call(tmp_path: Path, capsys: Any):
    total = ag.Variable(10.0)

    def add(x):
        ag.print("adding", x)
        return total.assign_add(x)

    staged = ag.function(add)
    staged(np.float64(0))
    loaded = round_trip(staged, tmp_path)
    outer = ag.function(lambda x: (loaded(x), loaded(x)))
    capsys.readouterr()
    assert outer(np.float64(1)) == (11.0, 12.0)
    assert outer(np.float64(2)) == (14.0, 16.0)
    assert capsys.readouterr().out == "adding 1.0\nadding 1.0\nadding 2.0\nadding 2.0\n"
    assert (loaded.variables[0].value, total.value) == (16.0, 10.0)


def test_writes_to_arguments_and_containers(tmp_path: Path):
    def change(found, x):
        x[0] += 5
        found.append(x.sum())
        return x

    staged = ag.function(change)
    staged([], X.copy())
    loaded = round_trip(staged, tmp_path)

    def f(found, x):
        y = x * 2
        z = loaded(found, y)
        z[1] = 7
        return y, found

    given: list[Any] = []
    y, found = ag.function(f)(given, X)
    assert y.tolist() == [7.0, 7.0, 6.0]
    assert given == found == [9.0]


@pytest.mark.parametrize("written", ["argument", "result"])
def test_a_result_that_is_part_of_an_argument_is_not_written(tmp_path: Path, written: str):
    staged = ag.function(lambda x: x[1:])
    staged(X)
    loaded = round_trip(staged, tmp_path)

    def f(x):
        y = loaded(x)
        if written == "result":
            y[0] = 1
        else:
            x[1] = 1
        return y

    with pytest.raises(ag.StagingError, match=r"may share memory|may be a view of"):
        ag.function(f)(X.copy())
    assert ag.function(lambda x: loaded(x) + 1)(X).tolist() == [-1.0, 4.0]


def test_plain_arrays_and_those_that_do_not_fit(tmp_path: Path):
    def put(x):
        x[0] = 1

    staged = ag.function(put)
    staged(X.copy())
    loaded = round_trip(staged, tmp_path)
    with pytest.raises(ag.StagingError, match="writes to its argument 'x', which is not a staged array"):
        ag.function(lambda x: loaded(np.ones(3)) or x)(X)
    with pytest.raises(ag.SignatureError, match="was saved for"):
        ag.function(lambda x: loaded(x[1:]))(X)


def test_the_user_is_told_where(tmp_path: Path):
    staged = ag.function(lambda x, i: x[i])
    staged(X, np.int64(0))
    loaded = round_trip(staged, tmp_path)
    outer = ag.function(lambda x, i: loaded(x, i) + 1)
    assert outer(X, np.int64(2)) == 4.0
    with pytest.raises(IndexError):
        outer(X, np.int64(9))


def test_calls_with_arrays_alone_find_their_trace_at_once(tmp_path: Path):
    staged = ag.function(lambda x: x + 1)
    for given in (X, np.float64(1), np.array(2.0)):
        staged(given)
    loaded = round_trip(staged, tmp_path)
    for _ in range(3):
        for given in (X, np.float64(1), np.array(2.0)):
            made = loaded(given)
            assert type(made) is type(staged(given))
            np.testing.assert_array_equal(made, given + 1)
    with pytest.raises(ag.SignatureError, match="was saved for"):
        loaded(X[1:])
