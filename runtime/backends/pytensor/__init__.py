"""The PyTensor backend, imported once a program has imported PyTensor."""

from .. import register_backend
from .backend import PytensorBackend
from .private import compare_by_value


def register() -> None:
    backend = PytensorBackend()
    compare_by_value(backend.staging)
    register_backend(backend)
