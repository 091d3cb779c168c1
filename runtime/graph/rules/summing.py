"""What reverses of broadcasting compute, which NumPy has no function for."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..types import ArrayType
from .probing import Rule
from .shapes import as_array, dimensions


def sum_to(array: Any, shape: tuple[int, ...]) -> Any:
    """An array summed over the axes along which one of `shape` is repeated to have the array's shape.

    >>> import numpy as np
    >>> sum_to(np.ones((2, 3)), (3,)), sum_to(np.ones((2, 3)), (1, 3))
    (array([2., 2., 2.]), array([[2., 2., 2.]]))
    """
    given = np.shape(array)
    if given == shape:
        return array
    extra = len(given) - len(shape)
    repeated = (extra + i for i, n in enumerate(shape) if n == 1 != given[extra + i])
    total = np.sum(array, (*range(extra), *repeated), keepdims=True)
    total = total.reshape(total.shape[extra:])
    return total[()] if not shape else np.broadcast_to(total, shape) if total.shape != shape else total


def sum_to_type(array: Any, shape: Any) -> ArrayType:
    return ArrayType(as_array(array).dtype, dimensions(tuple(shape)))


sum_to.__module__ = ""  # under which a graph shows it
RULES: dict[Any, Rule] = {sum_to: sum_to_type}
