"""Compile a function with TensorFlow for the conformance suite."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf

from autograph_rs.testing import BackendConformance

tf.experimental.numpy.experimental_enable_numpy_behavior()

SHAPE = "the shape of a tensor is a tf.TensorShape, which compares equal to a tuple"


class System(BackendConformance):
    differs = {
        "indexing.py::shapes_and_axes": SHAPE,
        "numpy_.py::broadcasting": SHAPE,
        "numpy_.py::reshape": SHAPE,
        "promotion.py::python_int_grows": "integers have the width of their dtype and wrap",
    }
    # Says what is wrong; functions that make closures do not turn it into ours.
    refusals = (tf.errors.OperatorNotAllowedInGraphError,)

    def stage(self, f: Callable[..., Any]) -> Callable[..., Any]:
        made = tf.function(f, autograph=False)

        def call(*arrays: Any) -> list[Any]:
            return [plain(t) for t in made(*map(tf.constant, arrays))]

        return call


def plain(tensor: Any) -> Any:
    if isinstance(tensor, list):
        return tf.nest.map_structure(plain, tensor)
    array = tensor.numpy()
    if isinstance(array, bytes):
        return array.decode()
    return np.vectorize(bytes.decode)(array) if array.dtype == object else array


def _give_methods() -> None:
    """The samples call methods of arrays; of these TensorFlow's NumPy behaviour gives tensors a few only."""
    numpy = tf.experimental.numpy
    for (
        name
    ) in "sum any all max min mean std var prod argmax argmin cumsum copy dot argsort sort nonzero".split():
        setattr(tf.Tensor, name, getattr(numpy, name))
    tf.Tensor.tolist = tf.unstack
    tf.Tensor.item = lambda self: tf.reshape(self, [])
    tf.Tensor.flatten = tf.Tensor.ravel
    tf.Tensor.trace = numpy.trace
    tf.Tensor.real, tf.Tensor.imag = property(tf.math.real), property(tf.math.imag)
    tf.Tensor.__lshift__, tf.Tensor.__rshift__ = tf.bitwise.left_shift, tf.bitwise.right_shift
    given = tf.Tensor.astype
    tf.Tensor.astype = lambda self, dtype: given(self, tf.as_dtype(np.dtype(dtype)))


_give_methods()
