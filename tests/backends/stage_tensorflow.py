"""How the conformance suite compiles a function with TensorFlow."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf

tf.experimental.numpy.experimental_enable_numpy_behavior()


def stage(f: Callable[..., Any]) -> Callable[..., Any]:
    made = tf.function(f, autograph=False)

    def call(*arrays: Any) -> list[Any]:
        return [plain(t) for t in made(*map(tf.constant, arrays))]

    return call


def plain(tensor: Any) -> Any:
    array = tensor.numpy()
    if isinstance(array, bytes):
        return array.decode()
    return np.vectorize(bytes.decode)(array) if array.dtype == object else array


def _give_methods() -> None:
    """The samples call methods of arrays; of these TensorFlow's NumPy behaviour gives tensors a few only."""
    numpy = tf.experimental.numpy
    for name in "sum any all max min mean std var prod argmax argmin cumsum copy dot argsort sort nonzero".split():
        setattr(tf.Tensor, name, getattr(numpy, name))
    tf.Tensor.tolist = tf.unstack
    tf.Tensor.item = lambda self: tf.reshape(self, [])
    tf.Tensor.flatten = tf.Tensor.ravel


_give_methods()


DIFFERS: dict[str, str] = {}
"""Samples that do what TensorFlow does, which is not what NumPy does."""
