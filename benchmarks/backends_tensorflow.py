"""The programs of `workloads.py` in TensorFlow, with control flow written by hand."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from workloads import BEAMS, MOVES, WORKLOADS

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf


def collatz(n):
    def body(n, steps):
        return tf.cond(n % 2 == 0, lambda: n // 2, lambda: 3 * n + 1), steps + 1

    return tf.while_loop(lambda n, _: n != 1, body, (n, tf.constant(0)))[1]


def clipped_walk(xs, state):
    def body(i, state):
        state = 0.9 * state + xs[i]
        state = tf.cond(tf.reduce_sum(state) > 0, lambda: tf.tanh(state), lambda: state * 0.5)
        return i + 1, state

    return tf.while_loop(lambda i, _: i < xs.shape[0], body, (tf.constant(0), state))[1]


def rnn(xs, hidden, w_in, w_hidden):
    def body(i, hidden):
        return i + 1, tf.tanh(tf.matmul(xs[i], w_in) + tf.matmul(hidden, w_hidden))

    return tf.while_loop(lambda i, _: i < xs.shape[0], body, (tf.constant(0), hidden))[1]


def newton(a, tolerance):
    def body(i, x, _):
        step = (x * x - a) / (2.0 * x)
        return i + 1, x - step, tf.abs(step) < tolerance

    def goes_on(i, _, done):
        return (i < 100) & ~done

    return tf.while_loop(goes_on, body, (tf.constant(0), a, tf.constant(False)))[1]


def beam_search(moves, emissions, scores, places, margin):
    def body(i, scores, places, _):
        paths = tf.expand_dims(scores, 1) + tf.gather(moves, places, axis=0) + emissions[i]
        paths = tf.reshape(paths, (-1,))
        order = tf.argsort(-paths)[:BEAMS]
        scores = tf.gather(paths, order)
        return i + 1, scores, order % MOVES, scores[0] - scores[BEAMS - 1] > margin

    def goes_on(i, _scores, _places, done):
        return (i < emissions.shape[0]) & ~done

    return tf.while_loop(goes_on, body, (tf.constant(0), scores, places, tf.constant(False)))[1:3]


BY_HAND = dict(zip(WORKLOADS, (collatz, clipped_walk, rnn, newton, beam_search), strict=True))


def arguments(given: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(map(tf.constant, given))


def compiled(f: Callable[..., Any], given: tuple[Any, ...]) -> Callable[[], Any]:
    """Return a function that calls the graph. The first call traces it."""
    made = tf.function(f, autograph=False)
    return lambda: made(*given)


def as_numpy(results: Any) -> Any:
    return tf.nest.map_structure(np.asarray, results)


MODES = {"tf.function": compiled}
