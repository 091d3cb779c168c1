"""How TensorFlow compiles a function with its own AutoGraph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf
from stage_tensorflow import plain

DIFFERS: dict[str, str] = {}


def prepare(f: Callable[..., Any]) -> Callable[..., Any]:
    try:
        return tf.autograph.to_graph(f)
    except Exception:
        return f  # as `tf.function` does, with a warning


def stage(f: Callable[..., Any]) -> Callable[..., Any]:
    made = tf.function(f, autograph=False)

    def call(*arrays: Any) -> list[Any]:
        return [plain(t) for t in made(*map(tf.constant, arrays))]

    return call
