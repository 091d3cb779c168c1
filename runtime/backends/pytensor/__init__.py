"""The PyTensor backend, imported once a program has imported PyTensor."""

from .. import register_backend
from ..functional.optional_values import Optional
from .backend import PytensorBackend
from .private import compare_by_value, convert_to_tensor
from .stacked_lists import StackedList, array_of


def register() -> None:
    backend = PytensorBackend()
    compare_by_value(backend.staging)
    convert_to_tensor(Optional, Optional.as_array)
    convert_to_tensor(StackedList, array_of)
    register_backend(backend)
