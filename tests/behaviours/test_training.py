"""Behaviours 34 to 36: gradients through functions, steps of training, optimisers."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_rs as ag


@ag.function
def power(x, n):
    y = 1.0
    while n > 0:
        y = y * x
        n -= 1
    return y if x > 0 else -y


@ag.function
def twice_power(x, n):
    return power(x, n) + power(2 * x, n)


def test_34_gradients_through_functions():
    n = np.int64(3)
    assert ag.grad(twice_power)(2.0, n) == 12.0 + 2 * 48.0
    assert ag.grad(ag.grad(twice_power))(-2.0, n) == 12.0 + 4 * 24.0
    with ag.GradientTape() as tape:
        x = tape.watch(2.0)
        y = twice_power(x, n) * 3
    assert tape.gradient(y, x) == 3 * (12.0 + 2 * 48.0)


def test_35_a_whole_step_of_training():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 3))
    y = np.tanh(x @ [[1.0], [-2.0], [0.5]])
    w, b = ag.Variable(np.zeros((3, 1))), ag.Variable(0.0)
    rate = ag.Variable(0.5)

    @ag.function
    def step(x, y):
        with ag.GradientTape() as tape:
            loss = np.mean((np.tanh(x @ w + b) - y) ** 2)
        for variable, gradient in zip((w, b), tape.gradient(loss, (w, b)), strict=True):
            size = np.sqrt(np.sum(gradient**2))
            if size > 1:
                gradient = gradient / size
            variable.assign_sub(rate * gradient)
        return loss

    losses = [float(step(x, y)) for _ in range(100)]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 1e-3 < losses[0]
    assert len(step.traces()) == 1


class Momentum:
    def __init__(self, rate):
        self.rate, self.velocity = rate, None

    def apply(self, v, gradient):
        if self.velocity is None:
            self.velocity = ag.Variable(np.zeros(v.shape))
        self.velocity.assign(0.9 * self.velocity - self.rate * gradient)
        v.assign_add(self.velocity)


def train(optimiser, w, x):
    optimiser.apply(w, 2 * (w - x))
    return w


def test_36_two_optimisers_that_make_state():
    w, x = ag.Variable([1.0, 2.0]), np.array([0.0, 1.0])
    one, second = Momentum(0.1), Momentum(0.2)
    step = ag.function(train)
    step(one, w, x)
    with pytest.raises(ag.StateError, match="later call to train"):
        step(second, w, x)
    optimisers = [Momentum(0.1), Momentum(0.2)]
    functions = [ag.function(train) for _ in optimisers]
    staged, plain = ag.Variable([1.0, 2.0]), ag.Variable([1.0, 2.0])
    others = [Momentum(0.1), Momentum(0.2)]
    for _ in range(5):
        for optimiser, function, other in zip(optimisers, functions, others, strict=True):
            function(optimiser, staged, x)
            train(other, plain, x)
    np.testing.assert_array_equal(staged, plain)
