"""Behaviours 20 to 24: control flow."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_rs as ag


def search(x, limit):
    found = -1.0
    for v in x:
        if v < 0:
            continue
        if v > limit:
            found = v
            break
    else:
        return np.float64(0)
    while found > 1:
        found = found / 2
    if found > 0.75:
        return found
    elif found > 0.6:
        return found * 2
    return found * 3


@pytest.mark.parametrize("values", [[1.0, 2.0], [-1.0, 9.0, 7.0], [5.0], [6.5], [-3.0, 10.0]])
def test_20_jumps_and_loops(values):
    x = np.array(values)
    f = ag.function(search, input_signature=[ag.TensorSpec((None,)), ag.TensorSpec(())])
    assert f(x, 4.0) == search(x, 4.0)


@pytest.mark.parametrize("n", [0, 1, 15, 100])
def test_20_fizzbuzz_traces_each_branch_once(n, capsys):
    traced = []

    def note(branch):
        with ag.init_scope():
            traced.append(branch)

    def fizzbuzz(n):
        for i in range(1, n + 1):
            if i % 3 == 0 and i % 5 == 0:
                note("FizzBuzz")
                ag.print("FizzBuzz")
            elif i % 3 == 0:
                note("Fizz")
                ag.print("Fizz")
            elif i % 5 == 0:
                note("Buzz")
                ag.print("Buzz")
            else:
                note("number")
                ag.print(i)

    f = ag.function(fizzbuzz)
    f(np.int64(n))
    out = capsys.readouterr().out
    assert sorted(traced) == ["Buzz", "Fizz", "FizzBuzz", "number"]
    fizzbuzz(n)
    assert out == capsys.readouterr().out
    f(np.int64(n))
    assert out == capsys.readouterr().out


def test_21_a_loop_until_a_sum_is_small():
    def shrink(x):
        while np.sum(x) > 1:
            x = np.tanh(x)
        return x

    x = np.random.default_rng(0).random(5)
    np.testing.assert_array_equal(ag.function(shrink)(x), shrink(x))


def test_22_collatz():
    following = ag.function(lambda x: np.where(x % 2 == 0, x // 2, 3 * x + 1))
    assert following(np.array([27, 82, 1])).tolist() == [82, 41, 4]

    def steps(n):
        count = 0
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            count += 1
        return count

    assert ag.function(steps)(np.int64(27)) == 111


def rnn(step, inputs, state):
    """[batch, time, features] to [batch, time, features]"""
    inputs = np.transpose(inputs, (1, 0, 2))
    states = []
    for i in range(inputs.shape[0]):
        state = step(inputs[i], state)
        states.append(state)
    return np.transpose(np.stack(states), (1, 0, 2))


@pytest.mark.parametrize("shape", [(2, 5, 3), (None, None, 3)])
def test_23_an_rnn_writes_its_states_into_a_list(shape):
    rng = np.random.default_rng(0)
    weights = rng.random((3, 3))

    def step(x, state):
        return np.tanh(x @ weights + state)

    f = ag.function(
        lambda x, s: rnn(step, x, s), input_signature=[ag.TensorSpec(shape), ag.TensorSpec((shape[0], 3))]
    )
    x = rng.random((2, 5, 3))
    np.testing.assert_array_equal(f(x, np.zeros((2, 3))), rnn(step, x, np.zeros((2, 3))))
    assert f.get_concrete_function().graph.count("for") == (shape[1] is None)


def test_23_a_list_that_is_filled_in_a_staged_loop():
    @ag.function
    def f(x):
        kept = []
        for v in x:
            if v > 0:
                kept.append(v)
        last = kept.pop() if len(kept) > 1 else np.float64(-1)
        return len(kept), last, np.stack(kept)

    count, last, stacked = f(np.array([1.0, -2.0, 3.0, 4.0]))
    assert (count, last, stacked.tolist()) == (2, 4.0, [1.0, 3.0])


def test_24_assert_is_staged():
    @ag.function
    def f(x):
        assert np.all(x > 0), "not positive"
        return x

    f(np.ones(2))
    with pytest.raises(AssertionError, match="not positive"):
        f(-np.ones(2))
