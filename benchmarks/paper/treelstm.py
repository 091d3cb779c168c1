"""A TreeLSTM over one binary tree, whose nodes are listed after their children.

The row of a node holds its state and its memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

NO_CHILD = -1


def leaf(xp: Any, x: Any, w: Any) -> Any:
    """Return the row of a word."""
    gate, output, new = xp.split(xp.vecmat(x, w), 3)
    memory = xp.sigmoid(gate) * xp.tanh(new)
    return xp.concatenate([xp.sigmoid(output) * xp.tanh(memory), memory])


def merge(xp: Any, left: Any, right: Any, u: Any) -> Any:
    """Return the row of a node from those of its children."""
    left_state, left_memory = xp.split(left, 2)
    right_state, right_memory = xp.split(right, 2)
    children = xp.concatenate([left_state, right_state])
    gate, output, keep_left, keep_right, new = xp.split(xp.vecmat(children, u), 5)
    memory = xp.sigmoid(keep_left) * left_memory + xp.sigmoid(keep_right) * right_memory
    memory = memory + xp.sigmoid(gate) * xp.tanh(new)
    return xp.concatenate([xp.sigmoid(output) * xp.tanh(memory), memory])


def program(xp: Any) -> Callable[..., Any]:
    def encode(words, lefts, rights, rows, embeddings, w, u):
        for i, (word, left, right) in enumerate(zip(words, lefts, rights, strict=True)):
            if left == NO_CHILD:
                row = leaf(xp, embeddings[word], w)
            else:
                row = merge(xp, rows[left], rows[right], u)
            rows = xp.put(rows, i, row)
        return rows[-1]

    return encode


def nodes(rng: np.random.Generator, leaves: int) -> list[tuple[int, int]]:
    """Return the children of each node of a random tree, in postorder."""
    if leaves == 1:
        return [(NO_CHILD, NO_CHILD)]
    split = int(rng.integers(1, leaves))
    left, right = nodes(rng, split), nodes(rng, leaves - split)
    shifted = [(a + len(left), b + len(left)) if a != NO_CHILD else (a, b) for a, b in right]
    both = left + shifted
    return [*both, (len(left) - 1, len(both) - 1)]


def arguments(rng: np.random.Generator, leaves: int, size: int, vocabulary: int) -> tuple[Any, ...]:
    lefts, rights = np.array(nodes(rng, leaves)).T
    words = rng.integers(0, vocabulary, len(lefts))
    embeddings = rng.normal(size=(vocabulary, size))
    w = rng.normal(scale=size**-0.5, size=(size, 3 * size))
    u = rng.normal(scale=size**-0.5, size=(2 * size, 5 * size))
    return words, lefts, rights, np.zeros((len(lefts), 2 * size)), embeddings, w, u


SIZES = {"leaves": 40, "size": 64, "vocabulary": 500}
SMALL = {"leaves": 5, "size": 3, "vocabulary": 6}
