"""`GradientTape`, and training steps of Variables."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_rs as ag


def taped(f, **options):
    """The gradient of `f` by a tape."""

    @ag.function
    def slope(x):
        with ag.GradientTape(**options) as tape:
            y = f(x)
        return tape.gradient(y, x)

    return slope


def test_what_is_computed_in_the_block():
    assert taped(lambda x: x**3)(np.float64(2)) == 12.0
    np.testing.assert_array_equal(taped(lambda x: x * x)(np.array([1.0, 2.0])), [2.0, 4.0])


def test_a_whole_step_of_training():
    w, b = ag.Variable(np.zeros((2, 1))), ag.Variable(0.0)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(50, 2))
    y = x @ np.array([[2.0], [-3.0]]) + 0.5

    @ag.function
    def step(x, y):
        with ag.GradientTape() as tape:
            loss = np.mean((x @ w + b - y) ** 2)
        for variable, gradient in zip((w, b), tape.gradient(loss, (w, b)), strict=True):
            variable.assign_sub(0.1 * gradient)
        return loss

    losses = [step(x, y) for _ in range(200)]
    assert losses[-1] < 1e-6 < losses[0]
    np.testing.assert_allclose(w.value, [[2.0], [-3.0]], atol=1e-3)


def test_a_whole_loop_of_training_with_a_staged_end():
    w = ag.Variable(5.0)

    @ag.function
    def train(rate, most):
        rounds = 0
        for _ in range(most):
            with ag.GradientTape() as tape:
                loss = (w - 2.0) ** 2
            gradient = tape.gradient(loss, w)
            if np.abs(gradient) < 1e-3:
                break
            if np.abs(gradient) > 1.0:
                gradient = gradient / np.abs(gradient)
            w.assign_sub(rate * gradient)
            rounds += 1
        return rounds

    rounds = train(np.float64(0.25), np.int64(500))
    assert 10 < rounds < 100
    np.testing.assert_allclose(w.value, 2.0, atol=1e-3)


def test_tapes_in_tapes():
    @ag.function
    def f(x):
        with ag.GradientTape() as outer:
            with ag.GradientTape() as inner:
                y = x**3
            first = inner.gradient(y, x)
        return first, outer.gradient(first, x)

    assert f(np.float64(2)) == (12.0, 12.0)


def test_what_comes_between_counts_too():
    @ag.function
    def f(x):
        with ag.GradientTape(persistent=True) as tape:
            y = x * x
            z = np.sin(y)
        return tape.gradient(z, y), tape.gradient(z, x), tape.gradient(y, x)

    x = 1.3
    np.testing.assert_allclose(f(np.float64(x)), [np.cos(x * x), 2 * x * np.cos(x * x), 2 * x], rtol=1e-14)


def test_several_targets_and_their_cotangents():
    @ag.function
    def f(x):
        with ag.GradientTape(persistent=True) as tape:
            y, z = x * x, 3.0 * x
        return tape.gradient([y, z], x), tape.gradient(
            [y, z], x, output_gradients=[np.float64(2), np.float64(1)]
        )

    assert f(np.float64(2)) == (7.0, 11.0)


def test_unconnected_sources():
    w = ag.Variable([1.0, 2.0])

    @ag.function
    def f(x, how):
        with ag.GradientTape() as tape:
            y = x * x
        return tape.gradient(y, [x, w], unconnected_gradients=how)

    assert f(np.float64(2), "none") == [4.0, None]
    found = f(np.float64(2), "zero")
    np.testing.assert_array_equal(found[1], [0.0, 0.0])
    with pytest.raises(ag.OptionError, match=r"unconnected_gradients must be .*, not 'zeros'"):
        f(np.float64(2), "zeros")


def test_a_variable_as_it_was_when_the_block_began():
    w = ag.Variable(2.0)

    @ag.function
    def f(x):
        w.assign(3.0 * x)
        with ag.GradientTape() as tape:
            y = w * w
        return tape.gradient(y, w)

    assert f(np.float64(1)) == 6.0


def test_two_optimisers_make_their_state_for_one_function_each():
    def make_step(rate):
        class Momentum:
            def __init__(self):
                self.speed = None

            def apply(self, variable, gradient):
                if self.speed is None:
                    self.speed = ag.Variable(np.zeros(variable.shape))
                self.speed.assign(0.9 * self.speed - rate * gradient)
                variable.assign_add(self.speed)

        optimiser = Momentum()

        @ag.function
        def step(w, x):
            with ag.GradientTape() as tape:
                loss = np.sum((w * x - 1.0) ** 2)
            optimiser.apply(w, tape.gradient(loss, w))
            return loss

        return step

    for rate in (0.01, 0.02):
        w, step = ag.Variable([0.0, 0.0]), make_step(rate)
        losses = [step(w, np.array([1.0, 2.0])) for _ in range(100)]
        assert losses[-1] < 0.05 * losses[0]


def test_watching():
    @ag.function
    def f(x):
        with ag.GradientTape() as tape:
            assert tape.watch(x) is x
            scale = tape.watch(np.array([2.0, 3.0]))
            y = np.sum(x * scale)
        return tape.gradient(y, scale)

    np.testing.assert_array_equal(f(np.array([4.0, 5.0])), [4.0, 5.0])


@pytest.mark.parametrize(
    ("use", "error", "message"),
    [
        (lambda tape, x: tape.watch(3), ag.GradientError, "watch 3"),
        (lambda tape, x: tape.watch("text"), ag.GradientError, "watch"),
        (lambda tape, x: [tape.gradient(x * x, x), tape.gradient(x, x)], ag.StateError, "a second time"),
        (lambda tape, x: ag.GradientTape().gradient(x, x), ag.StateError, "before its 'with' block"),
    ],
)
def test_mistakes(use, error, message):
    @ag.function
    def f(x):
        with ag.GradientTape() as tape:
            return use(tape, x)

    with pytest.raises(error, match=message):
        f(np.float64(1))
