"""Behaviours 37 to 43: speed, numerics, and ways out of the graph."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import autograph_rs as ag


def products(a, b, n):
    total = np.zeros_like(a)
    for _ in range(n):
        total = total + a @ b
    return total


def test_37_many_small_products_share_their_work():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 9, (10, 10)), rng.integers(0, 9, (10, 10))
    f = ag.function(products)
    np.testing.assert_array_equal(f(a, b, 100), products(a, b, 100))
    assert f.get_concrete_function(a, b, 100).graph.count("matmul") == 1


def test_38_a_chain_of_products_runs_as_plain_numpy_does():
    def chain(x):
        for _ in range(10):
            x = x @ x / 1e3
        return x

    x = np.random.default_rng(0).random((100, 100))
    f = ag.function(chain)
    np.testing.assert_array_equal(f(x), chain(x))
    source = f.get_concrete_function(x).python_source
    assert source.count("@") == 10
    assert "for " not in source


def test_39_one_big_operation_is_one_line():
    f = ag.function(lambda x, k: np.convolve(x, k))
    x, k = np.ones(1000), np.ones(7)
    np.testing.assert_array_equal(f(x, k), np.convolve(x, k))
    assert len(f.get_concrete_function(x, k).python_source.splitlines()) <= 3


def test_40_where_the_first_nan_is_made():
    @ag.function
    def f(x):
        y = x * 2
        for i in range(3):
            y = y - 1
            z = np.log(y)
        return z + y

    x = np.array([2.0, 1.0])
    with np.errstate(all="ignore"):
        assert not np.isfinite(f(x)).all()
        with ag.check_numerics(), pytest.raises(ag.NumericsError, match="computed a NaN") as caught:
            f(x)
        assert caught.traceback[-1].lineno + 1 == f.python_function.__code__.co_firstlineno + 5
        assert not np.isfinite(f(x)).all()
        ag.check_numerics()
        try:
            with pytest.raises(FloatingPointError):
                f(x)
        finally:
            ag.check_numerics(False)
    with ag.check_numerics():
        assert f(np.array([9.0])).shape == (1,)


def test_41_python_at_every_call():
    calls = []

    def look_up(i, table):
        calls.append(int(i))
        return table[int(i)]

    @ag.function
    def f(i):
        total = np.float64(0)
        for k in range(i):
            total += ag.py_function(look_up, [k, [0.5, 1.5, 2.5]], ag.TensorSpec(()))
        return total

    assert f(np.int64(3)) == 4.5
    assert f(np.int64(2)) == 2.0
    assert calls == [0, 1, 2, 0, 1]


def test_41_a_graph_that_calls_python_says_that_it_cannot_be_saved(tmp_path):
    f = ag.function(lambda x: ag.py_function(np.sin, [x], ag.TensorSpec(())) + 1)
    trace = f.get_concrete_function(np.float64(1))
    for save in (lambda: ag.save(trace, tmp_path / "f.json"), trace.graph.to_json):
        with pytest.raises(
            ag.SaveError, match=r'(?s)py_function .* calls Python.*test_speed_and_numerics.py", line \d+'
        ):
            save()
    assert not list(tmp_path.iterdir())


def test_41_what_does_not_fit_its_spec():
    f = ag.function(lambda x: ag.py_function(lambda v: v, [x], ag.TensorSpec((2,))))
    with pytest.raises(TypeError, match=r"returned float64\[3\], but its spec is float64\[2\]"):
        f(np.ones(3))


class Pair(NamedTuple):
    first: Any
    second: Any = 1


def test_41_named_tuples_stay_what_they_are(capsys):
    @ag.function
    def f(x):
        ag.print(Pair(x), [Pair(x, x)], Pair(2, 3))
        print(Pair(x + 1, "a"))
        return ag.py_function(lambda p, q: p.first * q[0].second, [Pair(x), [Pair(0, 5)]], ag.TensorSpec(()))

    for x in (np.float64(1), np.float64(2)):
        assert f(x) == x * 5
        expected = f"{Pair(x)} {[Pair(x, x)]} {Pair(2, 3)}\n{Pair(x + 1, 'a')}\n"
        assert capsys.readouterr().out == expected


def test_41_structures_and_nothing():
    seen = []
    spec = {"a": ag.TensorSpec((), "int64"), "b": (ag.TensorSpec((None,)),)}

    @ag.function
    def f(x):
        ag.py_function(seen.append, [x], None)
        made = ag.py_function(lambda v: {"a": v.size, "b": (v[v > 0],)}, [x], spec)
        return made["a"], made["b"][0].sum()

    assert f(np.array([1.0, -1.0])) == (2, 1.0)
    assert len(seen) == 1


def draw(rng, x):
    noise = rng.normal(size=3) + x
    kept = 0
    for _ in range(4):
        if rng.random() < 0.5:
            kept += rng.integers(0, 10)
    rng.shuffle(x)
    return noise, kept, rng.permutation(x)


def test_42_random_numbers_are_drawn_at_every_call():
    f = ag.function(draw)
    staged, plain = np.random.default_rng(7), np.random.default_rng(7)
    x, y = np.arange(3.0), np.arange(3.0)
    for _ in range(3):
        for a, b in zip(f(staged, x), draw(plain, y), strict=True):
            np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(x, y)
    assert staged.random() == plain.random()


def test_42_generators_that_are_made_inside_and_the_global_one():
    def f(n):
        np.random.seed(3)
        own = np.random.default_rng(5)
        return own.random(n), own.integers(0, n, size=2), np.random.rand(2), np.random.normal(0.0, n)

    staged = ag.function(f)
    for n in (2, 3, 2):
        for a, b in zip(staged(np.int64(n)), f(n), strict=True):
            np.testing.assert_array_equal(a, b)


def test_43_an_argument_that_is_written_is_changed_for_the_caller():
    def f(x, y):
        x[0] = y[1]
        if y[0] > 0:
            x += 1
        return x.sum()

    x, plain = np.zeros(3), np.zeros(3)
    staged = ag.function(f)
    for y in (np.array([1.0, 5.0]), np.array([-1.0, 2.0])):
        assert staged(x, y) == f(plain, y)
        np.testing.assert_array_equal(x, plain)


def test_43_arguments_that_share_memory_are_refused():
    f = ag.function(lambda x, y: x.__setitem__(0, y[0]))
    x = np.zeros(3)
    with pytest.raises(ag.StagingError, match="shares memory"):
        f(x, x[1:])


def test_43_containers_that_are_changed_are_changed_for_the_caller():
    def f(state, log):
        state["n"] = state["n"] + 1
        state["new"] = [state["n"] * 2]
        log.append(state["n"])
        return len(log)

    state, log = {"n": np.float64(0)}, []
    staged = ag.function(f)
    assert staged(state, log) == 1
    assert (state, log) == ({"n": 1.0, "new": [2.0]}, [1.0])
