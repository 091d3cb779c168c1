"""The TensorFlow backend, imported once a program has imported TensorFlow."""

from ...operators.higher_order import register_framework
from ...values.locations import register_libraries
from .. import register_backend
from .backend import TensorFlowBackend

UNCONVERTED = (
    "tensorflow.python.autograph", "tensorflow.python.eager", "tensorflow.python.ops.script_ops",
    "tensorflow.python.ops.numpy_ops",
)  # fmt: skip
"""Modules whose functions convert the functions passed to them, or call them in Python."""


def register() -> None:
    register_libraries("tensorflow", "keras", lazily_built=True)
    register_framework("tensorflow", but=UNCONVERTED)
    register_backend(TensorFlowBackend())
