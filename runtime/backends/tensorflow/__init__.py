"""TensorFlow as a backend; imported when a program uses TensorFlow."""

from ...higher_order import note_framework
from ...slots import note_libraries
from .. import register_backend
from .backend import TensorFlowBackend

COMPILERS = (
    "tensorflow.python.autograph", "tensorflow.python.eager", "tensorflow.python.ops.script_ops",
    "tensorflow.python.ops.numpy_ops",
)  # fmt: skip
"""What converts functions itself, or runs them in Python."""


def register() -> None:
    note_libraries("tensorflow", "keras", build=True)
    note_framework("tensorflow", but=COMPILERS)
    register_backend(TensorFlowBackend())
