"""The PyTensor backend, imported once a program has imported PyTensor."""

from .. import register_backend
from ..functional.optional_values import Optional
from .backend import PytensorBackend
from .private import convert_to_tensor
from .stacked_lists import StackedList, array_of


def register() -> None:
    convert_to_tensor(Optional, Optional.as_array)
    convert_to_tensor(StackedList, array_of)
    register_backend(PytensorBackend())
