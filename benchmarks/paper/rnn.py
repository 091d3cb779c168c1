"""A dynamic RNN: a basic cell over a batch of sequences, whose states stop changing where they end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def step(xp: Any, x: Any, state: Any, running: Any, w: Any, u: Any, b: Any) -> Any:
    """Return the new state, and the output, which is zero for sequences that have ended."""
    new = xp.tanh(x @ w + state @ u + b)
    return xp.where(running, new, state), xp.where(running, new, 0.0)


def program(xp: Any) -> Callable[..., Any]:
    def dynamic_rnn(inputs, lengths, state, w, u, b):
        outputs = []
        for i, x in enumerate(inputs):
            state, output = step(xp, x, state, (i < lengths)[:, None], w, u, b)
            outputs.append(output)
        return xp.stack(outputs), state

    return dynamic_rnn


def arguments(rng: np.random.Generator, steps: int, batch: int, size: int) -> tuple[Any, ...]:
    weights = (rng.normal(scale=size**-0.5, size=(size, size)) for _ in range(2))
    inputs = rng.normal(size=(steps, batch, size))
    lengths = rng.integers(1, steps + 1, batch)
    return inputs, lengths, np.zeros((batch, size)), *weights, np.zeros(size)


SIZES = {"steps": 64, "batch": 32, "size": 256}
SMALL = {"steps": 5, "batch": 3, "size": 4}
