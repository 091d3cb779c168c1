"""TensorFlow as a backend; imported when a program uses TensorFlow."""

from .. import register_backend
from .backend import TensorFlowBackend


def register() -> None:
    register_backend(TensorFlowBackend())
