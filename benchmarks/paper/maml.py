"""MAML on sinusoids: weights from which one step on each task leads to a small loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def loss(xp: Any) -> Callable[..., Any]:
    """Return the squared error of a network of two hidden layers."""

    def squared_error(weights, x, y):
        w1, b1, w2, b2, w3, b3 = weights
        hidden = xp.relu(xp.relu(x @ w1 + b1) @ w2 + b2)
        error = hidden @ w3 + b3 - y
        return xp.mean(error * error)

    return squared_error


def program(xp: Any) -> Callable[..., Any]:
    task_loss = loss(xp)
    task_slope = xp.grad(task_loss)

    def meta_loss(weights, tasks, rate):
        total = 0.0
        for x, y, new_x, new_y in zip(*tasks, strict=True):
            slopes = task_slope(weights, x, y)
            adapted = [w - rate * slope for w, slope in zip(weights, slopes, strict=True)]
            total = total + task_loss(adapted, new_x, new_y)
        return total / len(tasks[0])

    meta_slope = xp.value_and_grad(meta_loss)

    def train(weights, x, y, new_x, new_y, rate, meta_rate):
        losses = []
        for tasks in zip(x, y, new_x, new_y, strict=True):
            value, slopes = meta_slope(weights, tasks, rate)
            weights = [w - meta_rate * slope for w, slope in zip(weights, slopes, strict=True)]
            losses.append(value)
        return weights, xp.stack(losses)

    return train


def arguments(rng: np.random.Generator, steps: int, tasks: int, points: int, size: int) -> tuple[Any, ...]:
    """Return weights, two sets of points on the sinusoids of each step, and the rates."""
    shapes = (1, size), (size,), (size, size), (size,), (size, 1), (1,)
    weights = [rng.normal(scale=shape[0] ** -0.5, size=shape) * (len(shape) > 1) for shape in shapes]
    amplitudes = rng.uniform(0.1, 5.0, (steps, tasks, 1, 1))
    phases = rng.uniform(0.0, np.pi, (steps, tasks, 1, 1))
    x, new_x = (rng.uniform(-5.0, 5.0, (steps, tasks, points, 1)) for _ in range(2))
    y, new_y = (amplitudes * np.sin(places + phases) for places in (x, new_x))
    return weights, x, y, new_x, new_y, np.float64(0.01), np.float64(0.01)


SIZES = {"steps": 4, "tasks": 5, "points": 10, "size": 40}
SMALL = {"steps": 3, "tasks": 2, "points": 3, "size": 4}
