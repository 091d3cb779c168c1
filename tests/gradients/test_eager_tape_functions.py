"""Calls of a `function` in the block of a `GradientTape` that is outside of any function."""

from __future__ import annotations

import numpy as np

import autograph_rs as ag


def test_training_around_a_function():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(50, 2))
    y = x @ [[2.0], [-3.0]] + 0.5

    class Model:
        def __init__(self):
            self.w, self.b = ag.Variable(np.zeros((2, 1))), None

        @ag.function
        def __call__(self, x):
            if self.b is None:
                self.b = ag.Variable(0.0)
            y = x @ self.w
            if np.sum(y) > 1e6:
                y = y * 0
            return y + self.b

    model, losses = Model(), []
    for _ in range(200):
        with ag.GradientTape() as tape:
            loss = np.mean((model(x) - y) ** 2)
        weights = model.w, model.b
        for variable, gradient in zip(weights, tape.gradient(loss, weights), strict=True):
            variable.assign_sub(0.1 * gradient)
        losses.append(float(loss))
    assert losses[-1] < 1e-6 < losses[0]
    np.testing.assert_allclose(model.w.value, [[2.0], [-3.0]], atol=1e-3)


def test_a_function_that_assigns():
    total = ag.Variable(1.0)

    @ag.function
    def add(x):
        total.assign_add(x * x)
        return total * 2

    with ag.GradientTape() as tape:
        x = tape.watch(3.0)
        y = add(x) + add(x)
    assert float(total) == 19.0
    assert tape.gradient(y, [x, total]) == [6 * 2 + 12 * 2, 4.0]
    assert float(total) == 19.0


def test_functions_of_nested_arguments_and_results():
    @ag.function
    def f(pair, *, scale):
        a, b = pair["a"], pair["b"]
        return {"sum": (a + b) * scale, "parts": [a * a, 3.0]}

    with ag.GradientTape() as tape:
        a, b = tape.watch(2.0), tape.watch(np.array([1.0, 2.0]))
        made = f({"a": a, "b": b}, scale=2.0)
        y = np.sum(made["sum"]) + made["parts"][0] * made["parts"][1]
    da, db = tape.gradient(y, (a, b))
    assert da == 4.0 + 12.0
    np.testing.assert_array_equal(db, [2.0, 2.0])


def test_loops_of_the_function_run_as_often_as_they_did():
    @ag.function
    def power(x, n):
        y = 1.0
        for _ in range(n):
            y = y * x
        return y

    for n in (0, 1, 5):
        with ag.GradientTape() as tape:
            x = tape.watch(2.0)
            y = power(x, np.int64(n))
        assert tape.gradient(y, x) == n * 2.0 ** (n - 1)


def test_gradients_of_functions_in_a_tape():
    curve = ag.grad(lambda x: x**3)
    with ag.GradientTape() as tape:
        x = tape.watch(2.0)
        y = curve(x)
    assert tape.gradient(y, x) == 12.0


def test_a_function_that_has_a_tape():
    @ag.function
    def f(x):
        with ag.GradientTape() as tape:
            y = x**3
        return tape.gradient(y, x)

    with ag.GradientTape() as tape:
        x = tape.watch(2.0)
        y = f(x)
    assert (float(y), tape.gradient(y, x)) == (12.0, 12.0)


def test_run_functions_eagerly():
    ag.run_functions_eagerly(True)
    try:
        f = ag.function(lambda x: x**2 if x > 0 else -x)
        with ag.GradientTape() as tape:
            x = tape.watch(3.0)
            y = f(x)
        assert tape.gradient(y, x) == 6.0
    finally:
        ag.run_functions_eagerly(False)


def test_after_the_block_functions_take_its_values():
    f = ag.function(lambda x: x + 1)
    with ag.GradientTape() as tape:
        x = tape.watch(np.array([1.0]))
    assert f(x).tolist() == [2.0]
    assert f(x=x).tolist() == [2.0]
    assert len(f.traces()) == 1


def test_a_function_is_what_it_was_when_it_was_called():
    scale, rates = 3.0, np.array([1.0, 2.0])
    model = type("Model", (), {"power": 2})()

    @ag.function
    def f(x):
        return scale * np.sum(rates * x**model.power)

    with ag.GradientTape() as tape:
        x = tape.watch(np.array([1.0, 2.0]))
        y = f(x)
        scale, model.power = 5.0, 3
        rates[:] = 7.0
    assert tape.gradient(y, x).tolist() == [6.0, 24.0]


def test_a_variable_of_an_object_is_replaced():
    model = type("Model", (), {})()
    model.w = old = ag.Variable(3.0)
    square = ag.function(lambda: model.w * model.w)
    with ag.GradientTape() as tape:
        y = square()
        model.w = ag.Variable(5.0)
    assert tape.gradient(y, old) == 6.0


def test_a_float_given_to_a_function():
    """A Python float that is recorded is staged in the function, and not a part of its graph."""

    @ag.function
    def square(x):
        return x * x

    for value in (2.0, 3.0):
        with ag.GradientTape() as tape:
            x = tape.watch(np.array([value]))
            y = square(x[0].item())
        assert tape.gradient(y, x).tolist() == [2 * value]
    assert len(square.traces()) == 1
