"""TensorFlow as a backend; imported when a program uses TensorFlow."""

from ...heap import note_libraries
from .. import register_backend
from .backend import TensorFlowBackend


def register() -> None:
    note_libraries("tensorflow", "keras", build=True)
    register_backend(TensorFlowBackend())
