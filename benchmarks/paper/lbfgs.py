"""L-BFGS with a backtracking line search, on a logistic regression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

HISTORY = 8
TOLERANCE = 1e-4
PENALTY = 0.005


def loss(xp: Any) -> Callable[..., Any]:
    def logistic(x, features, labels):
        margins = labels * xp.matvec(features, x)
        return xp.mean(xp.softplus(-margins)) + PENALTY * xp.dot(x, x)

    return logistic


def direction(xp, slope, steps, changes, curvatures, scale):
    """Return minus the product of the approximate inverse Hessian and the slope, by two loops."""
    q = slope
    factors = []
    for i in range(HISTORY):
        factor = curvatures[i] * xp.dot(steps[i], q)
        q = q - factor * changes[i]
        factors.append(factor)
    q = scale * q
    for i in reversed(range(HISTORY)):
        q = q + (factors[i] - curvatures[i] * xp.dot(changes[i], q)) * steps[i]
    return -q


def program(xp: Any) -> Callable[..., Any]:
    value_and_slope = xp.value_and_grad(loss(xp))

    def minimise(x, features, labels, history, curvatures, limit):
        value, slope = value_and_slope(x, features, labels)
        steps = changes = history
        scale = 1.0
        count = 0
        while count < limit and xp.max(xp.abs(slope)) > TOLERANCE:
            towards = direction(xp, slope, steps, changes, curvatures, scale)
            descent = xp.dot(slope, towards)
            length = 1.0
            new_value, new_slope = value_and_slope(x + towards, features, labels)
            while new_value > value + 1e-4 * length * descent:
                length = length * 0.5
                new_value, new_slope = value_and_slope(x + length * towards, features, labels)
            step = length * towards
            change = new_slope - slope
            product = xp.dot(step, change)
            scale = product / xp.dot(change, change)
            steps = xp.push(steps, step)
            changes = xp.push(changes, change)
            curvatures = xp.push(curvatures, 1.0 / product)
            x, value, slope = x + step, new_value, new_slope
            count += 1
        return x, value, count

    return minimise


def arguments(rng: np.random.Generator, batch: int, size: int, limit: int) -> tuple[Any, ...]:
    features = rng.normal(size=(batch, size))
    labels = np.sign(features @ rng.normal(size=size) + rng.normal(size=batch))
    empty = np.zeros((HISTORY, size)), np.zeros(HISTORY)
    return np.zeros(size), features, labels, *empty, np.int64(limit)


SIZES = {"batch": 10, "size": 50, "limit": 100}
SMALL = {"batch": 6, "size": 4, "limit": 20}
