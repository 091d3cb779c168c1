"""Gradient descent of a linear classifier on images of digits, with the loop over batches in the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

CLASSES = 10


def loss(xp: Any) -> Callable[..., Any]:
    def cross_entropy(w, b, images, labels):
        return -xp.mean(xp.sum(labels * xp.log_softmax(images @ w + b), axis=1))

    return cross_entropy


def step(xp: Any) -> Callable[..., Any]:
    slopes = xp.grad(loss(xp), 2)

    def descend(w, b, images, labels, rate):
        dw, db = slopes(w, b, images, labels)
        return w - rate * dw, b - rate * db

    return descend


def program(xp: Any) -> Callable[..., Any]:
    descend = step(xp)

    def train(w, b, images, labels, rate, steps):
        for i in range(steps):
            batch = i % images.shape[0]
            w, b = descend(w, b, images[batch], labels[batch], rate)
        return w, b

    return train


def python_loop(step: Callable[..., Any]) -> Callable[..., Any]:
    """Return the loop around a step that is compiled alone."""

    def train(w, b, images, labels, rate, steps):
        batches = list(zip(images, labels, strict=True))
        for i in range(steps):
            w, b = step(w, b, *batches[i % len(batches)], rate)
        return w, b

    return train


def arguments(rng: np.random.Generator, steps: int, batches: int, batch: int, pixels: int) -> tuple[Any, ...]:
    """Return weights, images near one prototype for each digit, their labels, the rate, and the steps."""
    digits = rng.integers(0, CLASSES, (batches, batch))
    images = rng.random((CLASSES, pixels))[digits] + rng.normal(scale=0.3, size=(batches, batch, pixels))
    labels = np.eye(CLASSES)[digits]
    return np.zeros((pixels, CLASSES)), np.zeros(CLASSES), images, labels, np.float64(0.05), np.int64(steps)


SIZES = {"steps": 50, "batches": 8, "batch": 200, "pixels": 784}
SMALL = {"steps": 5, "batches": 3, "batch": 4, "pixels": 6}
