"""A sequence-to-sequence model with attention, gated recurrent cells, and scheduled sampling of tokens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

PADDING = 0


def cell(xp: Any, x: Any, state: Any, weights: tuple[Any, ...]) -> Any:
    """Return the new state of a minimal gated unit."""
    w, u, w_gate, u_gate = weights
    gate = xp.sigmoid(x @ w_gate + state @ u_gate)
    return (1.0 - gate) * state + gate * xp.tanh(x @ w + (gate * state) @ u)


def decode(xp, token, target, state, memory, embeddings, decoder, attend, out):
    """Return the new state, the scores of the tokens that may follow, and the losses of the target."""
    state = cell(xp, xp.take(embeddings, token), state, decoder)
    weights = xp.softmax(xp.sum(memory * state, axis=2))
    context = xp.sum(weights[:, :, None] * memory, axis=0)
    scores = xp.log_softmax(xp.tanh(xp.concatenate([state, context]) @ attend) @ out)
    losses = -xp.pick(scores, target)
    return state, scores, xp.sum(xp.where(target == PADDING, 0.0, losses))


def program(xp: Any) -> Callable[..., Any]:
    def translate(sources, targets, forced, state, token, embeddings, encoder, decoder, attend, out):
        memory = []
        for source in sources:
            state = cell(xp, xp.take(embeddings, source), state, encoder)
            memory.append(state)
        memory = xp.stack(memory)
        total = 0.0
        predicted = []
        for target, force in zip(targets, forced, strict=True):
            state, scores, loss = decode(xp, token, target, state, memory, embeddings, decoder, attend, out)
            best = xp.argmax(scores)
            if force:
                token = target
            else:
                token = best
            predicted.append(best)
            total = total + loss
        return total, xp.stack(predicted)

    return translate


def arguments(
    rng: np.random.Generator, source: int, target: int, batch: int, size: int, vocabulary: int
) -> tuple[Any, ...]:
    def weights(rows: int, columns: int) -> np.ndarray:
        return rng.normal(scale=rows**-0.5, size=(rows, columns))

    sources = rng.integers(1, vocabulary, (source, batch))
    lengths = rng.integers(1, target + 1, batch)
    targets = rng.integers(1, vocabulary, (target, batch)) * (np.arange(target)[:, None] < lengths)
    encoder, decoder = (tuple(weights(size, size) for _ in range(4)) for _ in range(2))
    model = (
        rng.normal(size=(vocabulary, size)),
        encoder,
        decoder,
        weights(2 * size, size),
        weights(size, vocabulary),
    )
    return sources, targets, rng.random(target) < 0.5, np.zeros((batch, size)), np.ones(batch, int), *model


SIZES = {"source": 20, "target": 20, "batch": 16, "size": 64, "vocabulary": 500}
SMALL = {"source": 4, "target": 3, "batch": 2, "size": 3, "vocabulary": 5}
