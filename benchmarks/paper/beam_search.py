"""Beam search over a recurrent language model, which ends when all beams have ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

END = 0


def extend(
    xp: Any, length: Any, beams: tuple[Any, ...], model: tuple[Any, ...], positions: Any, only_end: Any
) -> tuple[Any, ...]:
    """Extend each beam by each token, and keep the best of them."""
    sequences, tokens, ended, scores, state = beams
    embeddings, w, u, out = model
    vocabulary = out.shape[1]
    state = xp.tanh(xp.take(embeddings, tokens) @ w + state @ u)
    steps = xp.where(ended[:, None], only_end, xp.log_softmax(state @ out))
    paths = xp.reshape(scores[:, None] + steps, (-1,))
    scores, places = xp.top_k(paths, scores.shape[0])
    parents, tokens = places // vocabulary, places % vocabulary
    sequences = xp.where(positions == length, tokens[:, None], xp.take(sequences, parents))
    ended = xp.take(ended, parents) | (tokens == END)
    return sequences, tokens, ended, scores, xp.take(state, parents)


def program(xp: Any) -> Callable[..., Any]:
    def beam_search(sequences, tokens, scores, state, embeddings, w, u, out, positions, only_end):
        beams = sequences, tokens, tokens == END, scores, state
        length = 0
        while length < positions.shape[0] and not xp.all(beams[2]):
            beams = extend(xp, length, beams, (embeddings, w, u, out), positions, only_end)
            length += 1
        return beams[0], beams[3], length

    return beam_search


def arguments(
    rng: np.random.Generator, limit: int, beams: int, size: int, vocabulary: int
) -> tuple[Any, ...]:
    """Return empty beams, of which only the first may be extended at first, a model, and two constants."""
    sequences, tokens = np.zeros((beams, limit), int), np.ones(beams, int)
    scores = np.where(np.arange(beams) == 0, 0.0, -1e9)
    embeddings = rng.normal(size=(vocabulary, size))
    w, u = (rng.normal(scale=size**-0.5, size=(size, size)) for _ in range(2))
    out = rng.normal(scale=3 * size**-0.5, size=(size, vocabulary))
    only_end = np.where(np.arange(vocabulary) == END, 0.0, -1e9)
    state = np.zeros((beams, size))
    return sequences, tokens, scores, state, embeddings, w, u, out, np.arange(limit), only_end


SIZES = {"limit": 40, "beams": 8, "size": 64, "vocabulary": 500}
SMALL = {"limit": 6, "beams": 3, "size": 4, "vocabulary": 7}
