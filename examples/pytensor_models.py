"""Time series models as plain Python loops, for PyTensor: an AR(2) and a hidden Markov model.

    pip install 'autograph_rs[pytensor]'
    python examples/pytensor_models.py

Each log likelihood, and its gradient, equals that of a `scan` written by hand.
"""

import numpy as np
import pytensor
import pytensor.tensor as pt

import autograph_rs as ag


@ag.convert
def ar2(y, a, b, sigma):
    """Return the log likelihood of an autoregressive process of order 2 that starts at zero."""
    before, before_that, total = 0.0, 0.0, 0.0
    for value in y:
        error = (value - a * before - b * before_that) / sigma
        total += -0.5 * error**2 - np.log(sigma) - 0.5 * np.log(2 * np.pi)
        before, before_that = value, before
    return total


def ar2_by_hand(y, a, b, sigma):
    def step(value, before, before_that, total):
        error = (value - a * before - b * before_that) / sigma
        return value, before, total - 0.5 * error**2 - pt.log(sigma) - 0.5 * np.log(2 * np.pi)

    zero = pt.constant(np.zeros(()))
    *_, totals = pytensor.scan(step, sequences=[y], outputs_info=[zero] * 3, return_updates=False)
    return totals[-1]


@ag.convert
def hidden_markov(observed, start, transition, emission):
    """Return the log likelihood of observed symbols by the forward algorithm.

    `start` are the probabilities of the states, `transition` those of the next state by state, and `emission`
    those of the symbols by state. A negative symbol is missing.
    """
    belief = start
    total = 0.0
    for symbol in observed:
        if symbol >= 0:
            belief = belief * emission[:, symbol]
        scale = belief.sum()
        total += np.log(scale)
        belief = np.dot(belief / scale, transition)
    return total


def hidden_markov_by_hand(observed, start, transition, emission):
    def step(symbol, belief, total):
        belief = pt.switch(symbol >= 0, belief * emission[:, symbol], belief)
        scale = belief.sum()
        return pt.dot(belief / scale, transition), total + pt.log(scale)

    _, totals = pytensor.scan(
        step, sequences=[observed], outputs_info=[start, pt.constant(np.zeros(()))], return_updates=False
    )
    return totals[-1]


def compiled(model, inputs, parameters):
    """Compile a model, and its gradient with respect to the parameters."""
    value = model(*inputs)
    return pytensor.function(inputs, [value, *pytensor.grad(value, parameters)])


def largest_difference(models, inputs, parameters, values):
    """Return the largest difference between the values and gradients of two models."""
    first, second = (compiled(model, inputs, parameters)(*values) for model in models)
    return max(np.max(np.abs(a - b)) for a, b in zip(first, second, strict=True))


def main():
    rng = np.random.default_rng(0)
    y, parameters = pt.dvector("y"), pt.dscalars("a", "b", "sigma")
    values = rng.normal(size=200), 0.5, -0.3, 1.2
    difference = largest_difference((ar2, ar2_by_hand), [y, *parameters], [y, *parameters], values)
    print(f"AR(2): value and gradient differ by at most {difference:.1e}")
    assert difference < 1e-10

    observed, start = pt.lvector("observed"), pt.dvector("start")
    parameters = [start, pt.dmatrix("transition"), pt.dmatrix("emission")]
    values = (
        np.where(rng.random(200) < 0.1, -1, rng.integers(0, 4, 200)),
        rng.dirichlet(np.ones(3)),
        rng.dirichlet(np.ones(3), 3),
        rng.dirichlet(np.ones(4), 3),
    )
    models = hidden_markov, hidden_markov_by_hand
    difference = largest_difference(models, [observed, *parameters], parameters, values)
    print(f"HMM:   value and gradient differ by at most {difference:.1e}")
    assert difference < 1e-10
    print("The models agree with those written by hand.")


if __name__ == "__main__":
    main()
