"""Five programs with control flow, as a user writes them. `backends_*.py` have the hand-written versions."""

from __future__ import annotations

import numpy as np


def collatz(n):
    """Run a scalar loop."""
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def clipped_walk(xs, state):
    """Run a vector loop with a branch."""
    for x in xs:
        state = 0.9 * state + x
        if np.sum(state) > 0:
            state = np.tanh(state)
        else:
            state = state * 0.5
    return state


def rnn(xs, hidden, w_in, w_hidden):
    """Run a recurrent network."""
    for x in xs:
        hidden = np.tanh(np.matmul(x, w_in) + np.matmul(hidden, w_hidden))
    return hidden


def newton(a, tolerance):
    """Solve by Newton's method, with an early return."""
    x = a
    steps = 0
    while steps < 100:
        step = (x * x - a) / (2.0 * x)
        x = x - step
        if np.abs(step) < tolerance:
            return x
        steps += 1
    return x


def beam_search(moves, emissions, scores, places, margin):
    """Find the best paths through a hidden Markov model, and stop once the best leads by a margin."""
    for emission in emissions:
        paths = np.expand_dims(scores, 1) + np.take(moves, places, axis=0) + emission
        paths = np.reshape(paths, (-1,))
        order = np.argsort(-paths)[:BEAMS]
        scores = np.take(paths, order)
        places = order % MOVES
        if scores[0] - scores[BEAMS - 1] > margin:
            break
    return scores, places


BEAMS, MOVES = 8, 64
_rng = np.random.default_rng(0)


def _normal(*shape: int) -> np.ndarray:
    return _rng.normal(size=shape).astype(np.float32)


WORKLOADS = {
    "scalar loop": (collatz, (np.int32(77031),)),
    "vector loop with a branch": (clipped_walk, (_normal(1000, 256), _normal(256))),
    "RNN": (
        rnn,
        (_normal(100, 8, 64), np.zeros((8, 128), np.float32), _normal(64, 128), 0.05 * _normal(128, 128)),
    ),
    "Newton with an early return": (newton, (np.float32(1e6), np.float32(1e-3))),
    "beam search": (
        beam_search,
        (
            _normal(MOVES, MOVES),
            _normal(200, MOVES),
            _normal(BEAMS),
            np.zeros(BEAMS, np.int32),
            np.float32(1e9),
        ),
    ),
}
