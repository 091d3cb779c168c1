"""The TensorFlow backend, imported once a program has imported TensorFlow."""

from typing import Any

import tensorflow as tf

from ...operators.higher_order import register_framework
from ...values.locations import register_libraries
from .. import register_backend
from ..functional.optional_values import Optional
from .backend import TensorFlowBackend

UNCONVERTED = (
    "tensorflow.python.autograph", "tensorflow.python.eager", "tensorflow.python.ops.script_ops",
    "tensorflow.python.ops.numpy_ops",
)  # fmt: skip
"""Modules whose functions convert the functions passed to them, or call them in Python."""


def as_tensor(value: Optional, dtype: Any = None, *_: Any, **__: Any) -> Any:
    return tf.convert_to_tensor(value.as_array(), dtype)


def register() -> None:
    register_libraries("tensorflow", "keras", lazily_built=True)
    register_framework("tensorflow", but=UNCONVERTED)
    tf.register_tensor_conversion_function(Optional, as_tensor)
    register_backend(TensorFlowBackend())
