"""Compile a function with TensorFlow's own AutoGraph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import stage_tensorflow
import tensorflow as tf


class System(stage_tensorflow.System):
    differs = {}
    refusals = (Exception,)

    def prepare(self, f: Callable[..., Any]) -> Callable[..., Any]:
        try:
            return tf.autograph.to_graph(f)
        except Exception:
            return f  # as `tf.function` does, with a warning
